"""Scalar ALU: expected values worked out from the ISA's definitions."""

from __future__ import annotations

import pytest

from .snippet import execute, f32

FULL = 0xFFFFFFFF
VCC, M0, EXEC = 106, 125, 126
# (text, SGPRs before, SCC before, SGPRs after, SCC after or None when untouched)
CASES = [
    ("s_mov_b32 s4, 0x1234", {}, 0, {4: 0x1234}, 0),
    ("s_mov_b32 s4, -2", {}, 1, {4: FULL - 1}, 1),
    ("s_mov_b32 s4, 1.0", {}, 0, {4: f32(1.0)}, 0),
    ("s_mov_b64 s[4:5], s[2:3]", {2: 7, 3: 9}, 0, {4: 7, 5: 9}, 0),
    ("s_mov_b64 s[4:5], -1", {}, 0, {4: FULL, 5: FULL}, 0),
    ("s_movk_i32 s4, 0x8000", {}, 0, {4: 0xFFFF8000}, 0),
    ("s_add_co_u32 s4, s2, s3", {2: FULL, 3: 2}, 0, {4: 1}, 1),
    ("s_add_co_i32 s4, s2, s3", {2: 0x7FFFFFFF, 3: 1}, 0, {4: 0x80000000}, 1),
    ("s_add_co_i32 s4, s2, -1", {2: 0}, 1, {4: FULL}, 0),
    ("s_add_co_ci_u32 s4, s2, s3", {2: FULL, 3: 0}, 1, {4: 0}, 1),
    ("s_sub_co_u32 s4, s2, s3", {2: 1, 3: 2}, 0, {4: FULL}, 1),
    ("s_sub_co_i32 s4, s2, s3", {2: 0x80000000, 3: 1}, 0, {4: 0x7FFFFFFF}, 1),
    ("s_sub_co_ci_u32 s4, s2, s3", {2: 5, 3: 5}, 1, {4: FULL}, 1),
    ("s_addk_co_i32 s4, 0xffff", {4: 5}, 0, {4: 4}, 0),
    ("s_mulk_i32 s4, 0x10", {4: 3}, 0, {4: 48}, 0),
    ("s_add_nc_u64 s[4:5], s[2:3], s[6:7]", {2: FULL, 3: 1, 6: 1, 7: 2}, 1, {4: 0, 5: 4}, 1),
    ("s_sub_nc_u64 s[4:5], s[2:3], s[6:7]", {2: 0, 3: 5, 6: 1, 7: 0}, 0, {4: FULL, 5: 4}, 0),
    ("s_mul_i32 s4, s2, s3", {2: 0x10001, 3: 0x10001}, 1, {4: 0x20001}, 1),
    ("s_mul_hi_u32 s4, s2, s3", {2: FULL, 3: FULL}, 0, {4: FULL - 1}, 0),
    ("s_mul_hi_i32 s4, s2, s3", {2: FULL, 3: 5}, 0, {4: FULL}, 0),
    ("s_mul_u64 s[4:5], s[2:3], s[6:7]", {2: 0, 3: 1, 6: 3, 7: 0}, 0, {4: 0, 5: 3}, 0),
    ("s_lshl2_add_u32 s4, s2, s3", {2: 3, 3: 5}, 1, {4: 17}, 0),
    ("s_lshl4_add_u32 s4, s2, s3", {2: 0x10000000, 3: 5}, 0, {4: 5}, 1),
    ("s_lshl_b32 s4, s2, 33", {2: 3}, 0, {4: 6}, 1),
    ("s_lshl_b64 s[4:5], s[2:3], 33", {2: 3, 3: 0}, 0, {4: 0, 5: 6}, 1),
    ("s_lshr_b32 s4, s2, 4", {2: 0xF}, 1, {4: 0}, 0),
    ("s_ashr_i32 s4, s2, 4", {2: 0x80000000}, 0, {4: 0xF8000000}, 1),
    ("s_ashr_i64 s[4:5], s[2:3], 32", {2: 1, 3: 0x80000000}, 0, {4: 0x80000000, 5: FULL}, 1),
    ("s_bfe_u32 s4, s2, 0x80004", {2: 0x12345678}, 0, {4: 0x67}, 1),
    ("s_bfe_i32 s4, s2, 0x40000", {2: 0xF8}, 0, {4: 0xFFFFFFF8}, 1),
    ("s_bfe_u32 s4, s2, 0x200000", {2: 0x89ABCDEF}, 0, {4: 0x89ABCDEF}, 1),
    ("s_bfe_u32 s4, s2, 4", {2: FULL}, 1, {4: 0}, 0),
    ("s_bfm_b32 s4, 4, 8", {}, 0, {4: 0xF00}, 0),
    ("s_and_b32 s4, s2, s3", {2: 0xF0, 3: 0x0F}, 1, {4: 0}, 0),
    ("s_or_b64 s[4:5], s[2:3], s[6:7]", {2: 1, 3: 2, 6: 4, 7: 8}, 0, {4: 5, 5: 10}, 1),
    ("s_xor_b32 s4, s2, -1", {2: 0xF0}, 0, {4: 0xFFFFFF0F}, 1),
    ("s_and_not1_b32 s4, s2, s3", {2: 0xFF, 3: 0x0F}, 0, {4: 0xF0}, 1),
    ("s_or_not1_b32 s4, s2, s3", {2: 1, 3: 0xFFFFFFF0}, 0, {4: 0xF}, 1),
    ("s_not_b32 s4, s2", {2: FULL}, 1, {4: 0}, 0),
    ("s_brev_b32 s4, s2", {2: 0x80000001}, 0, {4: 0x80000001}, 0),
    ("s_brev_b32 s4, 1", {}, 0, {4: 0x80000000}, 0),
    ("s_bcnt1_i32_b32 s4, s2", {2: 0xF0F0}, 0, {4: 8}, 1),
    ("s_ctz_i32_b32 s4, s2", {2: 0x100}, 0, {4: 8}, 0),
    ("s_ctz_i32_b32 s4, s2", {2: 0}, 0, {4: FULL}, 0),
    ("s_clz_i32_u32 s4, s2", {2: 0x00010000}, 0, {4: 15}, 0),
    ("s_abs_i32 s4, s2", {2: -5}, 0, {4: 5}, 1),
    ("s_sext_i32_i8 s4, s2", {2: 0x1280}, 0, {4: 0xFFFFFF80}, 0),
    ("s_sext_i32_i16 s4, s2", {2: 0x18000}, 0, {4: 0xFFFF8000}, 0),
    ("s_bitset1_b32 s4, 4", {4: 1}, 0, {4: 0x11}, 0),
    ("s_bitset0_b32 s4, 0", {4: 0x11}, 0, {4: 0x10}, 0),
    ("s_min_i32 s4, s2, s3", {2: -1, 3: 1}, 0, {4: FULL}, 1),
    ("s_min_u32 s4, s2, s3", {2: -1, 3: 1}, 1, {4: 1}, 0),
    ("s_max_i32 s4, s2, s3", {2: -1, 3: 1}, 1, {4: 1}, 0),
    ("s_max_u32 s4, s2, s3", {2: -1, 3: 1}, 0, {4: FULL}, 1),
    ("s_cselect_b32 s4, s2, s3", {2: 1, 3: 2}, 1, {4: 1}, 1),
    ("s_cselect_b64 s[4:5], s[2:3], 0", {2: 1, 3: 2}, 0, {4: 0, 5: 0}, 0),
    ("s_cmov_b32 s4, s2", {2: 1, 4: 9}, 0, {4: 9}, 0),
    ("s_cmp_lt_u32 s2, s3", {2: 1, 3: FULL}, 0, {}, 1),
    ("s_cmp_lt_i32 s2, s3", {2: 1, 3: FULL}, 1, {}, 0),
    ("s_cmp_ge_i32 s2, 0", {2: FULL}, 1, {}, 0),
    ("s_cmp_eq_u64 s[2:3], 0", {2: 0, 3: 1}, 1, {}, 0),
    ("s_cmp_lg_u64 s[2:3], 0", {2: 0, 3: 1}, 0, {}, 1),
    ("s_cmp_gt_f32 s2, 0.5", {2: f32(0.75)}, 0, {}, 1),
    ("s_bitcmp1_b32 s2, 4", {2: 0x10}, 0, {}, 1),
    ("s_bitcmp0_b32 s2, 4", {2: 0x10}, 1, {}, 0),
    ("s_pack_ll_b32_b16 s4, s2, s3", {2: 0x11112222, 3: 0x33334444}, 0, {4: 0x44442222}, 0),
    ("s_pack_hh_b32_b16 s4, s2, s3", {2: 0x11112222, 3: 0x33334444}, 0, {4: 0x33331111}, 0),
    ("s_mul_f32 s4, s2, 2.0", {2: f32(1.5)}, 0, {4: f32(3.0)}, 0),
    ("s_fmac_f32 s4, s2, s3", {2: f32(2), 3: f32(3), 4: f32(1)}, 0, {4: f32(7)}, 0),
    ("s_cvt_f32_u32 s4, s2", {2: FULL}, 0, {4: f32(4294967296.0)}, 0),
    ("s_cvt_u32_f32 s4, s2", {2: f32(-3.0)}, 0, {4: 0}, 0),
    ("s_mov_b32 m0, s2", {2: 3}, 0, {M0: 3}, 0),
    ("s_mov_b32 null, s2", {2: 3}, 0, {124: 0}, 0),
    ("s_and_saveexec_b32 s4, s2", {2: 0xF0, EXEC: 0x3C}, 0, {4: 0x3C, EXEC: 0x30}, 1),
    ("s_or_saveexec_b32 s4, s2", {2: 0xF0, EXEC: 0x0F}, 0, {4: 0x0F, EXEC: 0xFF}, 1),
    ("s_and_not1_saveexec_b32 s4, s2", {2: 0xF0, EXEC: 0xF0}, 1, {4: 0xF0, EXEC: 0}, 0),
    ("s_and_not1_saveexec_b32 s4, s2", {2: 0xF0, EXEC: 0x0F}, 1, {4: 0x0F, EXEC: 0xF0}, 1),
    ("s_xor_b32 exec_lo, exec_lo, s2", {2: 0xFF, EXEC: 0x0F}, 0, {EXEC: 0xF0}, 1),
    ("s_bfe_u32 s4, ttmp8, 0x50019", {116: 3 << 25}, 0, {4: 3}, 1),
]


@pytest.mark.parametrize(("text", "before", "scc", "after", "scc_after"), CASES)
def test_scalar(text: str, before: dict[int, int], scc: int, after: dict[int, int],
                scc_after: int) -> None:  # fmt: skip
    machine = execute(text, s=before, scc=bool(scc), exec_mask=before.get(EXEC, FULL))
    for reg, value in after.items():
        assert machine.s[reg, 0] == value & FULL, f"s{reg} = {machine.s[reg, 0]:#x}"
    assert machine.scc[0] == bool(scc_after)
