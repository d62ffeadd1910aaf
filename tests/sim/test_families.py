"""Families of rows against definitions in Python's own integers; no row is left untested."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gemm_ladder.runtime.sim import (
    bitop,
    control,
    lanes,
    mix,
    salu_table,
    valu16_table,
    valu_table,
    waits,
)

from .snippet import execute, f32, vgpr

GENERATOR = np.random.default_rng(17)
WORDS = [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
         *GENERATOR.integers(0, 2**32, 27, dtype=np.uint64).tolist()]  # fmt: skip
OTHER = WORDS[5:] + WORDS[:5]
THIRD = WORDS[11:] + WORDS[:11]
Two = Callable[[int, int], int]


def signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


LOGIC: dict[str, Two] = {
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "nand": lambda a, b: ~(a & b), "nor": lambda a, b: ~(a | b), "xnor": lambda a, b: ~(a ^ b),
    "and_not1": lambda a, b: a & ~b, "or_not1": lambda a, b: a | ~b,
    "and_not0": lambda a, b: ~a & b, "or_not0": lambda a, b: ~a | b,
}  # fmt: skip
ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b, "lg": lambda a, b: a != b, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip


def scalar(text: str, s: dict[int, int], scc: bool = False) -> Any:
    return execute(text, s=s, scc=scc)


@pytest.mark.parametrize("op", [name for name in LOGIC if not name.endswith("0")])
def test_scalar_logic(op: str) -> None:
    """s_OP_b32 and b64; SCC says whether the result is not 0."""
    for a, b in list(zip(WORDS, OTHER, strict=True))[:9]:
        machine = scalar(f"s_{op}_b32 s4, s2, s3", {2: a, 3: b})
        want = LOGIC[op](a, b) & 0xFFFFFFFF
        assert (machine.s[4, 0], machine.scc[0]) == (want, want != 0)
        machine = scalar(f"s_{op}_b64 s[4:5], s[2:3], s[6:7]", {2: a, 3: b, 6: b, 7: a ^ 5})
        low, high = want, LOGIC[op](b, a ^ 5) & 0xFFFFFFFF
        assert machine.s[4:6, 0].tolist() == [low, high]
        assert machine.scc[0] == (low | high != 0)


@pytest.mark.parametrize("op", LOGIC)
def test_save_exec(op: str) -> None:
    """D = EXEC; EXEC = S0 op EXEC; SCC = EXEC != 0."""
    machine = execute(f"s_{op}_saveexec_b32 s4, s2", s={2: 0xF0F01234}, exec_mask=0xFF00FFFF)
    want = LOGIC[op](0xF0F01234, 0xFF00FFFF) & 0xFFFFFFFF
    assert (machine.s[4, 0], machine.s[126, 0]) == (0xFF00FFFF, want)
    assert machine.scc[0] == (want != 0)


@pytest.mark.parametrize("op", ORDER)
def test_scalar_comparisons(op: str) -> None:
    for a, b in [*zip(WORDS, OTHER, strict=True), (7, 7)]:
        for kind, read in (("u32", int), ("i32", lambda x: signed(x, 32))):
            machine = scalar(f"s_cmp_{op}_{kind} s2, s3", {2: a, 3: b})
            assert machine.scc[0] == ORDER[op](read(a), read(b)), (op, kind, a, b)
    for x, y in ((1.5, 2.5), (2.5, 1.5), (1.0, 1.0), (-0.0, 0.0)):
        machine = scalar(f"s_cmp_{op}_f32 s2, s3", {2: f32(x), 3: f32(y)})
        assert machine.scc[0] == ORDER[op](x, y)


MORE_SCALAR = [
    ("s_absdiff_i32 s4, s2, s3", {2: 3, 3: 10}, {4: 7}, True),
    ("s_add_f32 s4, s2, s3", {2: f32(1.5), 3: f32(2.25)}, {4: f32(3.75)}, None),
    ("s_sub_f32 s4, s2, s3", {2: f32(1.5), 3: f32(2.25)}, {4: f32(-0.75)}, None),
    ("s_cvt_f32_i32 s4, s2", {2: 0xFFFFFFFB}, {4: f32(-5.0)}, None),
    ("s_cvt_i32_f32 s4, s2", {2: f32(-5.75)}, {4: 0xFFFFFFFB}, None),
    ("s_bcnt0_i32_b32 s4, s2", {2: 0xFFFF00FF}, {4: 8}, True),
    ("s_bcnt0_i32_b64 s4, s[2:3]", {2: 0xFFFF00FF, 3: 0xFFFFFFFE}, {4: 9}, True),
    ("s_bcnt1_i32_b64 s4, s[2:3]", {2: 0xFF00, 3: 1}, {4: 9}, True),
    ("s_bfe_u64 s[4:5], s[2:3], 0xc001c", {2: 0xA0000000, 3: 0x12}, {4: 0x12A, 5: 0}, True),
    ("s_bfe_i64 s[4:5], s[2:3], 0x80020", {2: 0, 3: 0x80},
     {4: 0xFFFFFF80, 5: 0xFFFFFFFF}, True),
    ("s_bitcmp0_b64 s[2:3], 33", {2: 0, 3: 1}, {}, True),
    ("s_bitcmp1_b64 s[2:3], 32", {2: 0, 3: 1}, {}, True),
    ("s_ctz_i32_b64 s4, s[2:3]", {2: 0, 3: 4}, {4: 34}, None),
    ("s_lshl1_add_u32 s4, s2, s3", {2: 5, 3: 3}, {4: 13}, False),
    ("s_lshl3_add_u32 s4, s2, s3", {2: 0x20000000, 3: 3}, {4: 3}, True),
    ("s_lshr_b64 s[4:5], s[2:3], 4", {2: 0x10, 3: 0xF}, {4: 0xF0000001, 5: 0}, True),
    ("s_not_b64 s[4:5], s[2:3]", {2: 0, 3: 0xFFFFFFFF}, {4: 0xFFFFFFFF, 5: 0}, True),
    ("s_pack_lh_b32_b16 s4, s2, s3", {2: 0x11112222, 3: 0x33334444}, {4: 0x33332222}, None),
    ("s_pack_hl_b32_b16 s4, s2, s3", {2: 0x11112222, 3: 0x33334444}, {4: 0x44441111}, None),
    ("s_cmov_b64 s[4:5], s[2:3]", {2: 1, 3: 2, 4: 9, 5: 9}, {4: 9, 5: 9}, None),
    ("s_setreg_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 2, 1), s2", {2: 1}, {}, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "before", "after", "scc"), MORE_SCALAR)
def test_more_scalar(text: str, before: Any, after: Any, scc: bool | None) -> None:
    machine = scalar(text, before)
    for reg, want in after.items():
        assert machine.s[reg, 0] == want
    if scc is not None:
        assert machine.scc[0] == scc
    if "cmov" in text:
        assert scalar(text, before, scc=True).s[4:6, 0].tolist() == [1, 2]


def halves(word: int) -> tuple[int, int]:
    return word & 0xFFFF, word >> 16


INTEGER: dict[str, Two] = {
    "min": min, "max": max, "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "mul_lo": lambda a, b: a * b,
}  # fmt: skip
PACKED_INT = [*((op, t) for op in ("min", "max", "add", "sub") for t in ("u16", "i16")),
              ("mul_lo", "u16")]  # fmt: skip


@pytest.mark.parametrize(("op", "kind"), PACKED_INT)
def test_sixteen_bit_integers(op: str, kind: str) -> None:
    """v_OP_(nc_)T on low halves and v_pk_OP_T on both."""
    infix = "_nc" if op in ("add", "sub") else ""
    text = f"""v_{op}{infix}_{kind} v4.l, v0.l, v1.l
v_pk_{op}_{kind} v5, v0, v1"""
    machine = execute(text, v={0: WORDS, 1: OTHER, 4: 0})
    for lane, (a, b) in enumerate(zip(WORDS, OTHER, strict=True)):
        want = []
        for x, y in zip(halves(a), halves(b), strict=True):
            if kind == "i16":
                x, y = signed(x, 16), signed(y, 16)
            want.append(INTEGER[op](x, y) & 0xFFFF)
        assert vgpr(machine, 4)[lane] == want[0]
        assert vgpr(machine, 5)[lane] == want[0] | want[1] << 16


@pytest.mark.parametrize("kind", ["u32", "i32", "u64", "i64"])
@pytest.mark.parametrize("op", ["min", "max"])
def test_minimum_and_maximum(op: str, kind: str) -> None:
    wide = kind.endswith("64")
    text = f"v_{op}_{kind} v[4:5], v[0:1], v[2:3]" if wide else f"v_{op}_{kind} v4, v0, v2"
    machine = execute(text, v={0: WORDS, 1: THIRD, 2: OTHER, 3: WORDS})
    for lane in range(32):
        a, b = WORDS[lane], OTHER[lane]
        if wide:
            a, b = a | THIRD[lane] << 32, b | WORDS[lane] << 32
        width = 64 if wide else 32
        read = (lambda x, w=width: signed(x, w)) if kind[0] == "i" else int
        want = INTEGER[op](read(a), read(b)) & (1 << width) - 1
        got = int(vgpr(machine, 4)[lane]) | (int(vgpr(machine, 5)[lane]) << 32 if wide else 0)
        assert got == want


@pytest.mark.parametrize("name", ["v_min3_u32", "v_min3_i32", "v_max3_u32", "v_med3_u32"])
def test_three_sources(name: str) -> None:
    machine = execute(f"{name} v4, v0, v1, v2", v={0: WORDS, 1: OTHER, 2: THIRD})
    for lane, three in enumerate(zip(WORDS, OTHER, THIRD, strict=True)):
        values = sorted(signed(x, 32) if name.endswith("i32") else x for x in three)
        want = values[{"min": 0, "med": 1, "max": 2}[name[2:5]]] & 0xFFFFFFFF
        assert vgpr(machine, 4)[lane] == want


SHIFT16 = {"lshlrev": lambda n, x: x << n, "lshrrev": lambda n, x: x >> n}


@pytest.mark.parametrize("op", ["lshlrev_b16", "lshrrev_b16", "ashrrev_i16"])
def test_sixteen_bit_shifts(op: str) -> None:
    text = f"v_{op} v4.l, v0.l, v1.l\nv_pk_{op} v5, v0, v1"
    machine = execute(text, v={0: WORDS, 1: OTHER, 4: 0})
    for lane, (a, b) in enumerate(zip(WORDS, OTHER, strict=True)):
        want = []
        for count, x in zip(halves(a), halves(b), strict=True):
            count &= 15
            value = signed(x, 16) >> count if "ashr" in op else SHIFT16[op[:7]](count, x)
            want.append(value & 0xFFFF)
        assert vgpr(machine, 4)[lane] == want[0]
        assert vgpr(machine, 5)[lane] == want[0] | want[1] << 16


@pytest.mark.parametrize("name", ["sub_co_u32", "subrev_co_u32"])
def test_borrows(name: str) -> None:
    """Without and with a borrow in; lanes 0, 2, ... of s6 borrow."""
    carry = name.replace("_u32", "_ci_u32")
    text = f"v_{name} v4, s8, v0, v1\nv_{carry} v5, s9, v0, v1, s6"
    machine = execute(text, v={0: WORDS, 1: OTHER}, s={6: 0x55555555})
    for lane, (a, b) in enumerate(zip(WORDS, OTHER, strict=True)):
        if "rev" in name:
            a, b = b, a
        for reg, mask, total in ((4, 8, a - b), (5, 9, a - b - (lane % 2 == 0))):
            assert vgpr(machine, reg)[lane] == total & 0xFFFFFFFF
            assert int(machine.s[mask, 0]) >> lane & 1 == (total < 0)


def test_wide_signed_multiply_add() -> None:
    text = "v_mad_co_i64_i32 v[4:5], s8, v0, v1, v[2:3]"
    machine = execute(text, v={0: WORDS, 1: OTHER, 2: THIRD, 3: 0})
    for lane in range(32):
        total = signed(WORDS[lane], 32) * signed(OTHER[lane], 32) + THIRD[lane]
        got = int(vgpr(machine, 4)[lane]) | int(vgpr(machine, 5)[lane]) << 32
        assert got == total & (1 << 64) - 1


@pytest.mark.parametrize("name", sorted(waits.NO_EFFECT))
def test_hints_change_nothing(name: str) -> None:
    machine = execute(f"{name} 0x1" if name.startswith("s_") else name, v={1: 5}, s={4: 6})
    assert vgpr(machine, 1)[0] == 5
    assert machine.s[4, 0] == 6


def test_every_row_has_a_test() -> None:
    """A row's name stands in a test, or in a family that is tested by pattern above."""
    names = {*salu_table.ROWS, *valu_table.ROWS, *valu16_table.ROWS, *valu16_table.PACKED,
             *waits.WAITS, *waits.BUILDERS, *control.CONDITIONS, *control.BUILDERS,
             *lanes.BUILDERS, *mix.FORMS, *bitop.FORMS}  # fmt: skip
    text = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))
    for op in LOGIC:
        text += f" s_{op}_b32 s_{op}_b64 s_{op}_saveexec_b32"
    text += "".join(f" s_cmp_{op}_{t}" for op in ORDER for t in ("u32", "i32", "f32"))
    for op, kind in PACKED_INT:
        text += f" v_{op}_{kind} v_{op}_nc_{kind} v_pk_{op}_{kind}"
    text += "".join(f" v_{op}_{t}" for op in ("min", "max") for t in ("u32", "i32", "u64", "i64"))
    for op in ("lshlrev_b16", "lshrrev_b16", "ashrrev_i16"):
        text += f" v_{op} v_pk_{op}"
    for name in ("sub_co", "subrev_co"):
        text += f" v_{name}_u32 v_{name}_ci_u32"
    text = text.replace("v_dual_", "v_")
    missing = [name for name in sorted(names) if not re.search(rf"\b{name}(_e32|_e64)?\b", text)]
    assert missing == []
