"""Single vector rows: expected values worked out from the ISA's definitions."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest

from .snippet import execute, f32, vgpr
from .test_families import OTHER, WORDS, signed

MORE_VECTOR = [
    ("v_and_b16 v4.l, v0.l, v1.l", 0xF0F0, 0xFF00, 0, 0xF000),
    ("v_or_b16 v4.l, v0.l, v1.l", 0xF0F0, 0xFF00, 0, 0xFFF0),
    ("v_xor_b16 v4.l, v0.l, v1.l", 0xF0F0, 0xFF00, 0, 0x0FF0),
    ("v_not_b16 v4.l, v0.l", 0xF0F0, 0, 0, 0x0F0F),
    ("v_or_b32_e32 v4, v0, v1", 0xF0F0, 0xFF00, 0, 0xFFF0),
    ("v_xor_b32_e32 v4, v0, v1", 0xF0F0, 0xFF00, 0, 0x0FF0),
    ("v_bitop3_b16 v4.l, v0.l, v1.l, v2.l bitop3:0x80", 0xFF, 0x3C, 0x18, 0x18),
    ("v_bfm_b32 v4, v0, v1", 4, 8, 0, 0xF00),
    ("v_mad_u16 v4.l, v0.l, v1.l, v2.l", 0x101, 3, 5, 0x308),
    ("v_pk_mad_u16 v4, v0, v1, v2", 0x00020101, 0x00030003, 0x00010005, 0x00070308),
    ("v_mul_hi_u32_u24 v4, v0, v1", 0xFF800000, 0x00100000, 0, 0x800),
    ("v_mad_i32_i24 v4, v0, v1, v2", 0x00FFFFFF, 5, 2, 0xFFFFFFFD),
    ("v_sad_u32 v4, v0, v1, v2", 3, 10, 5, 12),
    ("v_cvt_u32_u16_e32 v4, v0.h", 0xFFFF0000, 0, 0, 0xFFFF),
    ("v_cvt_i32_i16_e32 v4, v0.h", 0xFFFF0000, 0, 0, 0xFFFFFFFF),
    ("v_cvt_f32_ubyte0_e32 v4, v0", 0x04030201, 0, 0, f32(1.0)),
    ("v_cvt_f32_ubyte2_e32 v4, v0", 0x04030201, 0, 0, f32(3.0)),
    ("v_cvt_f32_ubyte3_e32 v4, v0", 0x04030201, 0, 0, f32(4.0)),
    ("v_floor_f32_e32 v4, v0", f32(-1.25), 0, 0, f32(-2.0)),
    ("v_ceil_f32_e32 v4, v0", f32(-1.25), 0, 0, f32(-1.0)),
    ("v_minimum_f32 v4, v0, v1", f32(math.nan), f32(1.0), 0, f32(math.nan)),
    ("v_maximum_f32 v4, v0, v1", f32(3.0), f32(1.0), 0, f32(3.0)),
    ("v_rcp_iflag_f32_e32 v4, v0", f32(4.0), 0, 0, f32(0.25)),
    ("v_rsq_f32_e32 v4, v0", f32(4.0), 0, 0, f32(0.5)),
    ("v_cvt_pkrtz_f16_f32 v4, v0, v1", f32(1.0), f32(-2.0), 0, 0xC0003C00),
    ("v_add_f16_e32 v4.l, v0.l, v1.l", 0x3C00, 0x4000, 0, 0x4200),
    ("v_sub_f16_e32 v4.l, v0.l, v1.l", 0x3C00, 0x4000, 0, 0xBC00),
    ("v_mul_f16_e32 v4.l, v0.l, v1.l", 0x4000, 0x4200, 0, 0x4600),
    ("v_min_num_f16 v4.l, v0.l, v1.l", 0x7E00, 0x4200, 0, 0x4200),
    ("v_max_num_f16 v4.l, v0.l, v1.l", 0x3C00, 0x4200, 0, 0x4200),
    ("v_fma_f16 v4.l, v0.l, v1.l, v2.l", 0x4000, 0x4200, 0x3C00, 0x4700),
    ("v_pk_add_f16 v4, v0, v1", 0x3C004000, 0x40003C00, 0, 0x42004200),
    ("v_pk_mul_f16 v4, v0, v1", 0x40004200, 0x42003C00, 0, 0x46004200),
    ("v_pk_min_num_f16 v4, v0, v1", 0x7E003C00, 0x42004000, 0, 0x42003C00),
    ("v_pk_max_num_f16 v4, v0, v1", 0x7E003C00, 0x42004000, 0, 0x42004000),
    ("v_pk_mul_bf16 v4, v0, v1", 0x40004040, 0x40403F80, 0, 0x40C04040),
    ("v_pk_min_num_bf16 v4, v0, v1", 0x7FC03F80, 0x40404000, 0, 0x40403F80),
    ("v_pk_max_num_bf16 v4, v0, v1", 0x7FC03F80, 0x40404000, 0, 0x40404000),
    ("v_pk_fma_bf16 v4, v0, v1, v2", 0x40003F80, 0x40404000, 0x3F803F80, 0x40E04040),
    ("v_fma_mix_f32_f16 v4, v0, v1, v2 op_sel_hi:[1,1,0]", 0x4000, 0x4200, f32(1.0), f32(7.0)),
    ("v_fma_mixlo_f16 v4, v0, v1, v2", f32(2.0), f32(3.0), f32(1.0), 0x4700),
    ("v_fma_mixlo_bf16 v4, v0, v1, v2", f32(2.0), f32(3.0), f32(1.0), 0x40E0),
    ("v_fma_mixhi_bf16 v4, v0, v1, v2", f32(2.0), f32(3.0), f32(1.0), 0x40E00000),
]  # fmt: skip


@pytest.mark.parametrize(("text", "a", "b", "c", "want"), MORE_VECTOR)
def test_more_vector(text: str, a: int, b: int, c: int, want: int) -> None:
    got = int(vgpr(execute(text, v={0: a, 1: b, 2: c, 4: 0}), 4)[0])
    if want == f32(math.nan):
        assert math.isnan(struct.unpack("<f", struct.pack("<I", got))[0])
    else:
        assert hex(got) == hex(want)


def test_halves_that_accumulate() -> None:
    machine = execute("v_fmac_f16_e32 v4.l, v0.l, v1.l", v={0: 0x4000, 1: 0x4200, 4: 0x3C00})
    assert vgpr(machine, 4)[0] == 0x4700


def test_doubles() -> None:
    def pair(value: float) -> list[int]:
        return list(struct.unpack("<2I", struct.pack("<d", value)))

    (a, b), (c, d) = pair(1.25), pair(-3.5)
    text = """v_add_f64 v[4:5], v[0:1], v[2:3]
v_mul_f64 v[6:7], v[0:1], v[2:3]
v_cvt_f32_f64 v8, v[2:3]
v_cvt_f64_f32 v[10:11], v8
v_ashrrev_i64 v[12:13], 4, v[2:3]"""
    machine = execute(text, v={0: a, 1: b, 2: c, 3: d})
    for reg, value in ((4, -2.25), (6, -4.375), (10, -3.5)):
        assert [int(vgpr(machine, reg + i)[0]) for i in (0, 1)] == pair(value)
    assert vgpr(machine, 8)[0] == f32(-3.5)
    shifted = (signed(c | d << 32, 64) >> 4) & (1 << 64) - 1
    assert int(vgpr(machine, 12)[0]) | int(vgpr(machine, 13)[0]) << 32 == shifted


def test_moves_of_pairs_and_truth_tables() -> None:
    text = """v_pk_mov_b32 v[4:5], v[0:1], v[2:3] op_sel:[1,0]
v_dual_bitop2_b32 v6, v0, v1 bitop3:0x14 :: v_dual_mov_b32 v7, v2"""
    machine = execute(text, v={0: 0xF0, 1: 0x3C, 2: 7, 3: 9})
    assert [int(vgpr(machine, reg)[0]) for reg in (4, 5)] == [0x3C, 9]
    assert vgpr(machine, 6)[0] == 0xF0 ^ 0x3C  # table rows 2 and 4: one of the two


def test_branches_on_zero_masks() -> None:
    text = """s_cbranch_vccnz .LBB0_1
s_mov_b32 s4, 1
.LBB0_1:
s_cbranch_execnz .LBB0_2
s_mov_b32 s4, 2
.LBB0_2:"""
    machine = execute(text, s={4: 0, 106: np.array([0, 3])}, waves=2)
    assert machine.s[4].tolist() == [1, 0]
    assert execute(text, s={4: 0, 106: 1}, exec_mask=0).s[4, 0] == 2


def test_lanes_are_read_and_written_by_number() -> None:
    """v_readlane takes any lane, masked or not; v_writelane ignores EXEC and keeps other lanes."""
    text = """v_readlane_b32 s4, v0, 7
v_readlane_b32 s5, v0, s6
v_writelane_b32 v1, s7, 3"""
    machine = execute(text, v={0: WORDS, 1: OTHER}, s={6: 35, 7: 99}, exec_mask=1)
    assert machine.s[4:6, 0].tolist() == [WORDS[7], WORDS[3]]
    want = list(OTHER)
    want[3] = 99
    assert vgpr(machine, 1).tolist() == want
