"""Vector ALU: expected values worked out from the ISA's definitions, same value in every lane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gemm_ladder.runtime.sim import SimError

from .snippet import FULL, bits, execute, f16, vgpr

VCC = 106
NAN = float("nan")
POISON = 0x7FFF7FFF
# (text, VGPRs before, SGPRs before, VGPRs after)
CASES: list[tuple[str, dict[int, Any], dict[int, Any], dict[int, Any]]] = [
    ("v_mov_b32_e32 v2, v1", {1: 7}, {}, {2: 7}),
    ("v_mov_b32_e32 v2, s3", {}, {3: 9}, {2: 9}),
    ("v_mov_b32_e32 v2, 0.5", {}, {}, {2: 0.5}),
    ("v_mov_b64_e32 v[2:3], v[4:5]", {4: 1, 5: 2}, {}, {2: 1, 3: 2}),
    ("v_mov_b64_e32 v[2:3], -1", {}, {}, {2: FULL, 3: FULL}),
    ("v_not_b32_e32 v2, v1", {1: 0xF}, {}, {2: 0xFFFFFFF0}),
    ("v_add_nc_u32_e32 v2, v0, v1", {0: FULL, 1: 2}, {}, {2: 1}),
    ("v_sub_nc_u32_e32 v2, v0, v1", {0: 1, 1: 2}, {}, {2: FULL}),
    ("v_subrev_nc_u32_e32 v2, v0, v1", {0: 1, 1: 2}, {}, {2: 1}),
    ("v_add_nc_u64_e32 v[2:3], v[4:5], v[6:7]", {4: FULL, 5: 0, 6: 1, 7: 1}, {}, {2: 0, 3: 2}),
    ("v_add_nc_u64_e32 v[2:3], s[4:5], v[6:7]", {6: 1, 7: 1}, {4: FULL, 5: 1}, {2: 0, 3: 3}),
    (
        "v_add_nc_u64_e32 v[124:125], v[124:125], v[6:7]",
        {124: 1, 125: 2, 6: 3, 7: 4},
        {},
        {124: 4, 125: 6},
    ),
    ("v_sub_nc_u64_e32 v[2:3], v[4:5], v[6:7]", {4: 0, 5: 2, 6: 1, 7: 0}, {}, {2: FULL, 3: 1}),
    ("v_add3_u32 v2, v0, v1, 3", {0: 1, 1: 2}, {}, {2: 6}),
    ("v_mul_lo_u32 v2, v0, v1", {0: 0x10001, 1: 0x10001}, {}, {2: 0x20001}),
    ("v_mul_hi_u32 v2, v0, v1", {0: FULL, 1: FULL}, {}, {2: FULL - 1}),
    ("v_mul_hi_i32 v2, v0, v1", {0: -1, 1: 7}, {}, {2: FULL}),
    ("v_mul_u32_u24_e32 v2, v0, v1", {0: 0xFF000003, 1: 5}, {}, {2: 15}),
    ("v_mul_i32_i24_e32 v2, v0, v1", {0: 0x00FFFFFF, 1: 5}, {}, {2: -5}),
    ("v_mad_u32_u24 v2, v0, v1, v3", {0: 0x01000002, 1: 3, 3: 4}, {}, {2: 10}),
    ("v_mad_u32 v2, v0, v1, v3", {0: 0x10000, 1: 0x10000, 3: 4}, {}, {2: 4}),
    ("v_mad_nc_u64_u32 v[2:3], v0, v1, v[4:5]", {0: FULL, 1: FULL, 4: 1, 5: 0}, {},
     {2: 2, 3: 0xFFFFFFFE}),
    ("v_mad_nc_i64_i32 v[2:3], v0, v1, v[4:5]", {0: -2, 1: 3, 4: 0, 5: 0}, {},
     {2: -6, 3: FULL}),
    ("v_mad_co_u64_u32 v[2:3], null, v0, v1, v[4:5]", {0: 2, 1: 3, 4: 1, 5: 1}, {},
     {2: 7, 3: 1}),
    ("v_mul_u64_e32 v[2:3], v[4:5], v[6:7]", {4: 0, 5: 1, 6: 5, 7: 0}, {}, {2: 0, 3: 5}),
    ("v_lshl_add_u32 v2, v0, 4, v1", {0: 3, 1: 1}, {}, {2: 49}),
    ("v_add_lshl_u32 v2, v0, v1, 2", {0: 3, 1: 1}, {}, {2: 16}),
    ("v_lshl_or_b32 v2, v0, 4, v1", {0: 3, 1: 1}, {}, {2: 49}),
    ("v_lshl_add_u64 v[2:3], v[4:5], 4, v[6:7]", {4: 0x10000000, 5: 0, 6: 1, 7: 0}, {},
     {2: 1, 3: 1}),
    ("v_and_or_b32 v2, v0, 12, v1", {0: 0xFF, 1: 1}, {}, {2: 13}),
    ("v_or3_b32 v2, v0, v1, 4", {0: 1, 1: 2}, {}, {2: 7}),
    ("v_xor3_b32 v2, v0, v1, 4", {0: 5, 1: 3}, {}, {2: 2}),
    ("v_xad_u32 v2, v0, v1, 4", {0: 5, 1: 3}, {}, {2: 10}),
    ("v_xnor_b32_e32 v2, v0, v1", {0: 5, 1: 3}, {}, {2: 0xFFFFFFF9}),
    ("v_lshlrev_b32_e32 v2, 33, v0", {0: 3}, {}, {2: 6}),
    ("v_lshrrev_b32_e32 v2, 4, v0", {0: 0x80000000}, {}, {2: 0x08000000}),
    ("v_ashrrev_i32_e32 v2, 4, v0", {0: 0x80000000}, {}, {2: 0xF8000000}),
    ("v_lshlrev_b64_e32 v[2:3], 4, v[4:5]", {4: 0xF0000000, 5: 1}, {}, {2: 0, 3: 0x1F}),
    ("v_lshrrev_b64 v[2:3], 4, v[4:5]", {4: 0, 5: 0x1F}, {}, {2: 0xF0000000, 3: 1}),
    ("v_bfe_u32 v2, v0, 10, 10", {0: 0xABCDE << 10}, {}, {2: 0xDE | 0x0}),
    ("v_bfe_i32 v2, v0, 4, 4", {0: 0x80}, {}, {2: -8}),
    ("v_bfi_b32 v2, v0, v1, v3", {0: 0xFF, 1: 0x1111, 3: 0x2222}, {}, {2: 0x2211}),
    ("v_perm_b32 v2, v0, v1, s3", {0: 0xA7A6A5A4, 1: 0xA3A2A1A0}, {3: 0x07060100},
     {2: 0xA7A6A1A0}),
    ("v_perm_b32 v2, v0, v1, s3", {0: 0x80000000, 1: 0}, {3: 0x0C0D0B08}, {2: 0x00FFFF00}),
    ("v_alignbit_b32 v2, v0, v1, 8", {0: 0x11, 1: 0x22334455}, {}, {2: 0x11223344}),
    ("v_alignbyte_b32 v2, v0, v1, 2", {0: 0x1122, 1: 0x33445566}, {}, {2: 0x11223344}),
    ("v_bfrev_b32_e32 v2, v0", {0: 1}, {}, {2: 0x80000000}),
    ("v_bcnt_u32_b32 v2, v0, 5", {0: 0xFF}, {}, {2: 13}),
    ("v_ctz_i32_b32_e32 v2, v0", {0: 8}, {}, {2: 3}),
    ("v_clz_i32_u32_e32 v2, v0", {0: 1}, {}, {2: 31}),
    ("v_min_u32_e32 v2, v0, v1", {0: FULL, 1: 3}, {}, {2: 3}),
    ("v_min_i32_e32 v2, v0, v1", {0: FULL, 1: 3}, {}, {2: FULL}),
    ("v_max3_i32 v2, v0, v1, 9", {0: FULL, 1: 3}, {}, {2: 9}),
    ("v_med3_i32 v2, v0, v1, 9", {0: FULL, 1: 3}, {}, {2: 3}),
    ("v_cndmask_b32_e32 v2, v0, v1, vcc_lo", {0: 1, 1: 2}, {VCC: FULL}, {2: 2}),
    ("v_cndmask_b32_e64 v2, v0, -v1, s4", {0: 1.0, 1: 2.0}, {4: FULL}, {2: -2.0}),
    ("v_cndmask_b16 v2.l, v0.l, v1.h, vcc_lo", {0: 1, 1: 0x50000, 2: 0xABCD0000}, {VCC: FULL},
     {2: 0xABCD0005}),
    ("v_mov_b16_e32 v2.h, v0.l", {0: 0x77771234, 2: 0x0000BEEF}, {}, {2: 0x1234BEEF}),
    ("v_mov_b16_e32 v2.l, 0", {2: 0x1234BEEF}, {}, {2: 0x12340000}),
    ("v_bitop3_b32 v2, v0, v1, v3 bitop3:0x40", {0: 12, 1: 10, 3: 5}, {}, {2: 8}),
    ("v_bitop3_b32 v2, v0, v1, v3 bitop3:0xca", {0: 0xF0, 1: 0x1AA, 3: 0x255}, {}, {2: 0x2A5}),
    ("v_dual_mov_b32 v2, v0 :: v_dual_bitop2_b32 v3, 12, v1 bitop3:0x54", {0: 4, 1: 3}, {},
     {2: 4, 3: 15}),
    ("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0", {0: 4, 1: 3}, {}, {0: 3, 1: 4}),
    ("v_dual_add_nc_u32 v0, v0, v1 :: v_dual_lshlrev_b32 v1, 4, v0", {0: 4, 1: 3}, {},
     {0: 7, 1: 64}),
    ("v_dual_cndmask_b32 v2, v0, v1 :: v_dual_fmac_f32 v3, v4, v5",
     {0: 1, 1: 2, 3: 1.0, 4: 2.0, 5: 3.0}, {VCC: 0}, {2: 1, 3: 7.0}),
    ("v_add_f32_e32 v2, v0, v1", {0: 1.5, 1: 2.25}, {}, {2: 3.75}),
    ("v_add_f32_e64 v2, |v0|, -v1", {0: -1.5, 1: 2.25}, {}, {2: -0.75}),
    ("v_add_f32_e64 v2, v0, v1 clamp", {0: 1.5, 1: 2.25}, {}, {2: 1.0}),
    ("v_mul_f32_e64 v2, v0, v1 mul:2", {0: 1.5, 1: 2.0}, {}, {2: 6.0}),
    ("v_sub_f32_e32 v2, v0, v1", {0: 1.5, 1: 2.25}, {}, {2: -0.75}),
    ("v_subrev_f32_e32 v2, v0, v1", {0: 1.5, 1: 2.25}, {}, {2: 0.75}),
    ("v_fma_f32 v2, v0, v1, v3", {0: 1 + 2.0**-12, 1: 1 + 2.0**-12, 3: -1.0 - 2.0**-11}, {},
     {2: 2.0**-24}),
    ("v_fmac_f32_e32 v2, v0, v1", {0: 2.0, 1: 3.0, 2: 1.0}, {}, {2: 7.0}),
    ("v_fmamk_f32 v2, v0, 0x40400000, v1", {0: 2.0, 1: 1.0}, {}, {2: 7.0}),
    ("v_fmaak_f32 v2, v0, v1, 0x40400000", {0: 2.0, 1: 1.0}, {}, {2: 5.0}),
    ("v_max_num_f32_e32 v2, v0, v1", {0: NAN, 1: 1.0}, {}, {2: 1.0}),
    ("v_min_num_f32_e32 v2, v0, v1", {0: -1.0, 1: 1.0}, {}, {2: -1.0}),
    ("v_med3_num_f32 v2, v0, 0, 1.0", {0: 1.5}, {}, {2: 1.0}),
    ("v_rcp_f32_e32 v2, v0", {0: 4.0}, {}, {2: 0.25}),
    ("v_sqrt_f32_e32 v2, v0", {0: 9.0}, {}, {2: 3.0}),
    ("v_exp_f32_e32 v2, v0", {0: 3.0}, {}, {2: 8.0}),
    ("v_log_f32_e32 v2, v0", {0: 8.0}, {}, {2: 3.0}),
    ("v_rndne_f32_e32 v2, v0", {0: 2.5}, {}, {2: 2.0}),
    ("v_trunc_f32_e32 v2, v0", {0: -2.5}, {}, {2: -2.0}),
    ("v_ldexp_f32 v2, v0, 3", {0: 1.5}, {}, {2: 12.0}),
    ("v_cvt_f32_u32_e32 v2, v0", {0: FULL}, {}, {2: 4294967296.0}),
    ("v_cvt_f32_i32_e32 v2, v0", {0: -3}, {}, {2: -3.0}),
    ("v_cvt_u32_f32_e32 v2, v0", {0: -3.5}, {}, {2: 0}),
    ("v_cvt_i32_f32_e32 v2, v0", {0: -3.5}, {}, {2: -3}),
    ("v_cvt_f32_f16_e32 v2, v0.h", {0: f16(1.5) << 16}, {}, {2: 1.5}),
    ("v_cvt_f16_f32_e32 v2.l, v0", {0: 1.5, 2: 0}, {}, {2: f16(1.5)}),
    ("v_cvt_f32_bf16_e32 v2, v0.l", {0: 0x3FC0}, {}, {2: 1.5}),
    ("v_cvt_f32_bf16_e32 v2, v0.h", {0: 0x3FC01234}, {}, {2: 1.5}),
    ("v_cvt_pk_bf16_f32 v2, v0, v1", {0: 1 + 2.0**-8, 1: 1 + 3 * 2.0**-8}, {}, {2: 0x3F823F80}),
    ("v_cvt_pk_f16_f32 v2, v0, v1", {0: 1.5, 1: -2.0}, {}, {2: f16(-2.0) << 16 | f16(1.5)}),
    ("v_cvt_pk_rtz_f16_f32 v2, v0, v1", {0: 1 + 2.0**-10 + 2.0**-11 + 2.0**-12, 1: -70000.0}, {},
     {2: f16(-65504.0) << 16 | f16(1 + 2.0**-10)}),
    ("v_cvt_f32_ubyte1_e32 v2, v0", {0: 0xAB00}, {}, {2: 171.0}),
    ("v_pk_add_f32 v[2:3], v[4:5], v[6:7]", {4: 1.0, 5: 2.0, 6: 3.0, 7: 4.0}, {}, {2: 4.0, 3: 6.0}),
    ("v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[8:9] op_sel_hi:[1,0,1]",
     {4: 1.0, 5: 2.0, 6: 3.0, 7: 99.0, 8: 10.0, 9: 20.0}, {}, {2: 13.0, 3: 26.0}),
    ("v_pk_mul_f32 v[2:3], v[4:5], v[6:7] neg_lo:[1,0] neg_hi:[1,0]",
     {4: 1.0, 5: 2.0, 6: 3.0, 7: 4.0}, {}, {2: -3.0, 3: -8.0}),
    ("v_pk_fma_f16 v2, v0, v1, v3", {0: f16(2.0) << 16 | f16(1.0), 1: f16(3.0) << 16 | f16(4.0),
     3: f16(0.5) << 16 | f16(0.25)}, {}, {2: f16(6.5) << 16 | f16(4.25)}),
    ("v_pk_add_u16 v2, v0, v1 op_sel:[0,1] op_sel_hi:[1,0]", {0: 0x00010002, 1: 0x00100020}, {},
     {2: 0x00210012}),
    ("v_pk_add_bf16 v2, v0, v1", {0: 0x3F804000, 1: 0x3F803F80}, {}, {2: 0x40004040}),
    ("v_add_nc_u16 v2.l, v0.l, v1.h", {0: 5, 1: 0x70000, 2: 0}, {}, {2: 12}),
    ("v_lshlrev_b16 v2.h, 4, v0.l", {0: 0xFFF1, 2: 0}, {}, {2: 0xFF100000}),
    ("v_pack_b32_f16 v2, v0.l, v1.h", {0: 0x1111, 1: 0x22220000}, {}, {2: 0x22221111}),
    ("v_add_co_ci_u32_e64 v2, s4, v0, v1, s5", {0: 1, 1: 2}, {5: FULL}, {2: 4}),
    (
        "v_fma_mix_f32_bf16 v2, v0, v1, v3 op_sel:[1,0,0] op_sel_hi:[1,1,0]",
        {0: 0x40000000, 1: 0x12344040, 3: 0.5},
        {},
        {2: 6.5},
    ),
    (
        "v_fma_mix_f32 v2, -v0, v1, 1.0 op_sel_hi:[1,0,0]",
        {0: f16(2.0), 1: 3.0},
        {},
        {2: -5.0},
    ),
    (
        "v_fma_mixhi_f16 v2, v0, v1, 0 op_sel_hi:[1,0,0]",
        {0: f16(2.0), 1: 3.0, 2: 0x1234},
        {},
        {2: f16(6.0) << 16 | 0x1234},
    ),
    ("v_mbcnt_lo_u32_b32 v2, -1, 0", {}, {}, {2: np.arange(32)}),
    ("v_mbcnt_hi_u32_b32 v2, -1, v0", {0: 5}, {}, {2: 5}),
    ("v_nop", {2: 1}, {}, {2: 1}),
    ("s_set_vgpr_msb 0x41\nv_mov_b32_e32 v2 /*v258*/, v3 /*v259*/", {259: 6}, {}, {258: 6}),
    ("s_set_vgpr_msb 4\nv_add_nc_u32_e32 v2, v3, v4 /*v260*/", {3: 6, 260: 1}, {}, {2: 7}),
    (
        "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 0x9001\n"
        "v_add_nc_u32_e32 v2 /*v258*/, v3 /*v515*/, v4",
        {515: 6, 4: 1},
        {},
        {258: 7},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "before", "scalars", "after"), CASES)
def test_vector(text: str, before: dict[int, Any], scalars: dict[int, Any],
                after: dict[int, Any]) -> None:  # fmt: skip
    machine = execute(text, v=before, s=scalars)
    for reg, value in after.items():
        want = np.broadcast_to(bits(value), 32)
        np.testing.assert_array_equal(vgpr(machine, reg), want, err_msg=f"v{reg}")


# (text, VGPRs, SGPR written, lanes set): lane i holds i in v0; EXEC is 0x0fffffff.
LANE = np.arange(32)
COMPARES = [
    ("v_cmp_gt_u32_e32 vcc_lo, 3, v0", VCC, lambda i: i < 3),
    ("v_cmp_lt_i32_e64 s4, v1, v0", 4, lambda i: i > -2),
    ("v_cmp_eq_u16_e64 s4, v0.l, 5", 4, lambda i: i == 5),
    ("v_cmp_ne_u32_e64 s4, 7, v0", 4, lambda i: i != 7),
    ("v_cmp_gt_u64_e64 s4, v[2:3], v[4:5]", 4, lambda i: i > 10),
    ("v_cmp_nlt_f32_e64 s4, v6, v7", 4, lambda i: i != 1),
    ("v_cmp_lg_f32_e64 s4, v6, v7", 4, lambda i: i == 1),
    ("v_cmp_u_f32_e64 s4, v6, v6", 4, lambda i: i == 2),
    ("v_cmp_neq_f32_e64 s4, v6, v7", 4, lambda i: i in (1, 2)),
]


@pytest.mark.parametrize(("text", "reg", "want"), COMPARES)
def test_compare_clears_inactive_lanes(text: str, reg: int, want: Any) -> None:
    """v6 = 0, except lane 1 = -1 and lane 2 = NaN; v7 = 0."""
    odd = np.zeros(32, np.float32)
    odd[1], odd[2] = -1.0, NAN
    v = {0: LANE, 1: -2, 2: LANE, 3: 0, 4: 10, 5: 0, 6: odd, 7: 0.0}
    machine = execute(text, v=v, exec_mask=0x0FFFFFFF)
    expected = sum(1 << i for i in range(28) if want(i))
    assert machine.s[reg, 0] == expected


def test_compare_to_exec_and_masked_write() -> None:
    machine = execute(
        "v_cmpx_gt_u32_e64 4, v0\nv_mov_b32_e32 v1, 9", v={0: LANE, 1: 1}, exec_mask=0xFFFFFFFE
    )
    assert machine.s[126, 0] == 0b1110
    assert vgpr(machine, 1).tolist() == [1, 9, 9, 9] + [1] * 28


def test_carry_out_of_an_add() -> None:
    machine = execute("v_add_co_u32 v2, vcc_lo, v0, -1", v={0: LANE})
    assert machine.s[VCC, 0] == 0xFFFFFFFE
    assert vgpr(machine, 2)[0] == FULL


def test_lane_moves() -> None:
    text = "v_readfirstlane_b32 s4, v0\nv_readlane_b32 s5, v0, 7\nv_writelane_b32 v1, s5, 3"
    machine = execute(text, v={0: LANE + 100, 1: 0}, exec_mask=0xFFFFFF00)
    assert machine.s[4, 0] == 108
    assert machine.s[5, 0] == 107
    assert vgpr(machine, 1).tolist() == [0, 0, 0, 107] + [0] * 28


def test_a_register_nobody_wrote_is_nan_in_every_format() -> None:
    machine = execute("v_add_f32_e32 v2, v50, v50")
    assert vgpr(machine, 50)[0] == POISON
    assert np.isnan(vgpr(machine, 2, np.float32)).all()
    assert np.isnan(vgpr(machine, 50, np.float16)).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("v_frobnicate_b32 v0, v1", "unknown instruction"),
        ("v_add_f32_e64 v0, v1, v2 frob:1", "unknown modifier frob"),
        ("v_add_nc_u32_e32 v0, v1", "expected 3 operands"),
        ("v_add_nc_u32_e32 v0, v1, q7", "operand 'q7' is not understood"),
        ("v_and_b32_e64 v0, -v1, v2", "neg/abs on an integer operand"),
        ("v_mov_b32_e32 v2 /*v258*/, v3", "the bank mode 0x0 makes it v2"),
        ("s_set_vgpr_msb 1\n.LBB0_1:", "leaves a block in bank mode 0x1"),
        ("s_set_vgpr_msb 0x541", "says the bank mode was 0x5, it is 0x0"),
    ],
)
def test_what_is_not_understood_is_refused_by_line(text: str, says: str) -> None:
    with pytest.raises(SimError, match=r"line 8: `") as caught:
        execute(text)
    assert says in str(caught.value)


def test_f32_fma_rounds_once() -> None:
    """Against exact rational arithmetic, on values whose sum rounds twice through f64."""
    from fractions import Fraction

    generator = np.random.default_rng(7)
    a = generator.standard_normal(32).astype(np.float32)
    b = generator.standard_normal(32).astype(np.float32)
    c = (generator.standard_normal(32) * 2.0 ** generator.integers(-40, 40, 32)).astype(np.float32)
    machine = execute("v_fma_f32 v2, v0, v1, v3", v={0: a, 1: b, 3: c})
    got = vgpr(machine, 2, np.float32)
    for x, y, z, r in zip(a, b, c, got, strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        error = abs(Fraction(float(r)) - exact)
        for side in (-np.inf, np.inf):
            other = Fraction(float(np.nextafter(r, np.float32(side))))
            assert error <= abs(other - exact)


def test_f32_fma_does_not_round_twice() -> None:
    """24929 * 673 = 2^24 + 1: half way between two f32, decided by an addend f64 cannot hold."""
    c = np.tile(np.array([2.0**-80, -(2.0**-80)], np.float32), 16)
    text = "v_fma_f32 v2, v0, v1, v3"
    machine = execute(text, v={0: 24929.0, 1: 673 * 2.0**-24, 3: c})
    want = np.tile(np.array([1 + 2.0**-23, 1.0], np.float32), 16)
    np.testing.assert_array_equal(vgpr(machine, 2, np.float32), want)


@pytest.mark.parametrize(
    ("text", "a", "b", "want"),
    [
        ("v_add_nc_u32_e64 v2, v0, v1 clamp", 0xFFFFFFF0, 0x20, 0xFFFFFFFF),
        ("v_sub_nc_u32_e64 v2, v0, v1 clamp", 5, 9, 0),
        ("v_subrev_nc_u32_e64 v2, v0, v1 clamp", 9, 5, 0),
        ("v_add_nc_i32 v2, v0, v1 clamp", 0x7FFFFFFF, 1, 0x7FFFFFFF),
        ("v_sub_nc_i32 v2, v0, v1 clamp", 0x80000000, 1, 0x80000000),
        ("v_sub_nc_i32 v2, v0, v1", 0x80000000, 1, 0x7FFFFFFF),
        ("v_add_nc_u16 v2.l, v0.l, v1.l clamp", 0xFFF0, 0x20, 0xFFFF),
        ("v_sub_nc_i16 v2.l, v0.l, v1.l clamp", 0x8000, 1, 0x8000),
    ],
)
def test_integer_clamp_saturates(text: str, a: int, b: int, want: int) -> None:
    """LLVM selects these for llvm.{u,s}{add,sub}.sat."""
    assert vgpr(execute(text, v={0: a, 1: b, 2: 0}), 2)[0] == want
