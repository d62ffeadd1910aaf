"""WMMA: batched matrix products with the lane maps of gfx1250 (rocjitsu mma/layout.h).

Fidelity. Products of 8- and 16-bit inputs are exact in f64; the sum over k is taken in f64 and,
with C, rounded once to the type of D. So integer-valued data is exact, and results do not depend on
the host's BLAS. The integer form is exact. Hardware's own order and internal width are not
published; its f32 result may differ in the last places.
"""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np

from . import numeric
from .asm import KernelAsm, Line
from .operands import Operand, Reader, check_bank, literal_bits, parse_operand
from .state import LANES, Array, Group
from .table import Handler

_NAME = re.compile(
    r"v_wmma_(f32|bf16|f16|bf16f32|i32)_16x16x(4|32|64|128)_(bf16|f16|f32|iu8|(?:fp8|bf8)_(?:fp8|bf8))"
)
# (type of D, k, inputs) -> registers of A and of B; what is not here does not exist.
FORMS = {
    **{(out, k, f"{a}_{b}"): k // 8 for out in ("f32", "f16") for k in (64, 128)
       for a in ("fp8", "bf8") for b in ("fp8", "bf8")},
    **{(out, 32, kind): 8 for out, kind in (("f32", "f16"), ("f32", "bf16"), ("f16", "f16"),
                                           ("bf16", "bf16"), ("bf16f32", "bf16"))},
    ("f32", 4, "f32"): 2,
    ("i32", 64, "iu8"): 8,
}  # fmt: skip
KEPT_FRAGMENTS = 32
# Values of all bytes. fp8 and bf8 are OCP's e4m3 and e5m2 (LLVM: gfx1250 has no fnuz formats).
_ALL = np.arange(256, dtype=np.uint8)
BYTES: dict[str, Array] = {
    "fp8": _ALL.view(ml_dtypes.float8_e4m3fn).astype(np.float64),
    "bf8": _ALL.view(ml_dtypes.float8_e5m2).astype(np.float64),
    "u8": _ALL.astype(np.float64),
    "i8": _ALL.view(np.int8).astype(np.float64),
}
_FLAGS = frozenset({"matrix_a_reuse", "matrix_b_reuse"})


def unpack16(words: Array, kind: str) -> Array:
    """A or B fragment, VGPRs [8, n, 32], as f64 [n, k, 16], k in storage order.

    Lane i + 16h holds index i; stored k is (vgpr, h, half), which stands for
    k = 16 * (vgpr // 4) + 8h + 2 * (vgpr % 4) + half. The order is the same for A and B, so the
    product does not ask for the true one.
    """
    waves = words.shape[1]
    parts = words.reshape(8, waves, 2, 16)
    out = np.empty((waves, 8, 2, 2, 16), np.float64)
    for half in (0, 1):
        bits = parts & np.uint32(0xFFFF0000) if half else parts << np.uint32(16)
        if kind == "bf16":
            values: Array = bits.view(np.float32)
        else:
            values = (bits >> np.uint32(16)).astype(np.uint16).view(np.float16)
        out[:, :, :, half] = values.transpose(1, 0, 2, 3)
    return out.reshape(waves, 32, 16)


def unpack8(words: Array, kind: str) -> Array:
    """A or B fragment of bytes, VGPRs [r, n, 32], as f64 [n, k, 16], k in storage order.

    Stored k is (vgpr, h, byte), which stands for k = 32 * (vgpr // 4) + 16h + 4 * (vgpr % 4) +
    byte: 16 consecutive k a lane, the halves of the wave taking turns.
    """
    count, waves = len(words), words.shape[1]
    octets = np.ascontiguousarray(words).view(np.uint8).reshape(count, waves, 2, 16, 4)
    values: Array = BYTES[kind][octets.transpose(1, 0, 2, 4, 3)]
    return values.reshape(waves, 8 * count, 16)


def unpack32(words: Array) -> Array:
    """f32 16x4 fragment, VGPRs [2, n, 32], as [n, 4, 16]: k = 2 * (lane // 16) + vgpr."""
    waves = words.shape[1]
    parts = words.view(np.float32).reshape(2, waves, 2, 16)
    return np.asarray(parts.transpose(1, 2, 0, 3).reshape(waves, 4, 16), np.float64)


def product(a: Array, b: Array) -> Array:
    """Sum over k of a[n, k, row] * b[n, k, col], laid out as D: [8, n, 2, 16].

    D: lane = col + 16 * (row // 8), VGPR = row % 8.
    """
    result = a.transpose(0, 2, 1) @ b
    waves = len(result)
    layout: Array = result.reshape(waves, 2, 8, 16).transpose(2, 0, 1, 3)
    return layout


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of a WMMA line, None when it is not one."""
    match = _NAME.fullmatch(line.mnemonic)
    if not match:
        return None
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    if len(operands) != 4:
        raise line.fail("expected 4 operands")
    out, sizes = match[1], FORMS.get((match[1], int(match[2]), match[3]))
    if sizes is None:
        raise line.fail("there is no such WMMA")
    for slot, operand in zip((3, 0, 1, 2), operands, strict=True):
        check_bank(operand, slot, line)
    line.uses.require()
    negate, kinds = _negations(line, out), _kinds(line, match[3])
    if operands[1].count != sizes or operands[2].count != sizes:
        raise line.fail(f"expected {sizes} registers for A and B")
    addend = _addend(operands[3], "f32" if out == "bf16f32" else out, line)
    store = _storer(operands[0], out.removesuffix("f32") or out, line)

    def handler(g: Group) -> None:
        if not g.full:
            raise line.fail("WMMA with inactive lanes is undefined")
        a = _fragment(g, operands[1], kinds[0])
        b = _fragment(g, operands[2], kinds[1])
        total = product(a, b)
        if negate["product"]:
            total = -total
        extra = addend(g)
        if negate["abs_c"]:
            extra = np.abs(extra)
        store(g, total - extra if negate["c"] else total + extra)

    return handler


def _picks(line: Line, out: str) -> dict[str, list[int]]:
    """neg_lo and neg_hi as lists; refuses other modifiers."""
    picks: dict[str, list[int]] = {"neg_lo": [0, 0, 0], "neg_hi": [0, 0, 0]}
    for name, text in line.modifiers.items():
        if name in _FLAGS or (name == "clamp" and out == "i32"):
            continue
        if name not in picks:
            raise line.fail(f"unknown modifier {name}")
        picks[name] = [int(bit) for bit in text.strip("[]").split(",")]
    return picks


def _kinds(line: Line, inputs: str) -> tuple[str, str]:
    """Element types of A and B; neg_lo of an integer form says which are signed (LLVM, iu8)."""
    if inputs == "iu8":
        low = _picks(line, "i32")["neg_lo"]
        return "i8" if low[0] else "u8", "i8" if low[1] else "u8"
    a, _, b = inputs.partition("_")
    return a, b or a


def _negations(line: Line, out: str) -> dict[str, bool]:
    """neg_lo/neg_hi: bits 0 and 1 negate A and B, bit 2 of neg_lo negates C, of neg_hi |C|.

    LLVM prints both lists equal for A and B of these forms.
    """
    picks = _picks(line, out)
    if out == "i32":
        return {"product": False, "c": False, "abs_c": False}
    low, high = picks["neg_lo"], picks["neg_hi"]
    if low[:2] != high[:2] and any(high[:2]):
        raise line.fail("neg_lo and neg_hi of A or B differ")
    flip = bool(low[0]) != bool(low[1])
    return {"product": flip, "c": bool(low[2]), "abs_c": bool(high[2])}


def _fragment(g: Group, operand: Operand, kind: str) -> Array:
    """The operand's matrix; kept until one of its registers is written."""
    last = operand.reg + operand.count
    key = (operand.reg, kind)
    versions = tuple(g.m.versions[operand.reg : last])
    whole = isinstance(g.sel, slice)
    known = g.m.fragments.get(key)
    if whole and known is not None and known[0] == versions:
        return known[1]
    words = g.v[operand.reg : last, g.sel]
    if kind == "f32":
        matrix = unpack32(words)
    else:
        matrix = unpack8(words, kind) if kind in BYTES else unpack16(words, kind)
    if whole:
        if len(g.m.fragments) >= KEPT_FRAGMENTS:
            g.m.fragments.clear()
        g.m.fragments[key] = (versions, matrix)
    return matrix


def _addend(operand: Operand, out: str, line: Line) -> Reader:
    """C as f64 [8, n, 2, 16]; an inline constant fills the matrix."""
    kind = out
    if operand.kind == "lit":
        bits = literal_bits(operand.literal, kind)
        value = _decode(np.array([bits], np.uint32), kind)
        return lambda g: value
    count = 8 if out in ("f32", "i32") else 4
    if operand.count != count:
        raise line.fail(f"expected {count} registers for C")

    def read(g: Group) -> Array:
        words = g.v[operand.reg : operand.reg + count, g.sel]
        return _matrix(words, kind)

    return read


def _decode(bits: Array, kind: str) -> Array:
    if kind in ("f32", "i32"):
        return bits.view(np.float32 if kind == "f32" else np.int32).astype(np.float64)
    half = bits.astype(np.uint16)
    value: Any = numeric.bf16_to_f32(half) if kind == "bf16" else half.view(np.float16)
    return np.asarray(value, np.float64)


def _matrix(words: Array, kind: str) -> Array:
    """C registers [count, n, 32] as [8, n, 2, 16]; 16-bit C packs rows 2v and 2v+1."""
    waves = words.shape[1]
    if kind in ("f32", "i32"):
        typed = words.view(np.float32 if kind == "f32" else np.int32)
        return typed.reshape(8, waves, 2, 16)
    halves = np.ascontiguousarray(words).view(np.uint16).reshape(4, waves, LANES, 2)
    rows = np.ascontiguousarray(halves.transpose(0, 3, 1, 2)).reshape(8, waves, 2, 16)
    return _decode(rows, kind)


def _storer(operand: Operand, out: str, line: Line) -> Any:
    reg = operand.reg
    count = 8 if out in ("f32", "i32") else 4
    clamp = "clamp" in line.modifiers
    if operand.kind != "v" or operand.count != count:
        raise line.fail(f"expected {count} registers for D")

    def store(g: Group, value: Array) -> None:
        g.m.touch(reg, count)
        if out == "f32":
            g.v[reg : reg + 8, g.sel] = value.astype(np.float32).view(np.uint32).reshape(8, g.n, 32)
            return
        if out == "i32":
            whole = (np.clip(value, -(2**31), 2**31 - 1) if clamp else value).astype(np.int64)
            g.v[reg : reg + 8, g.sel] = whole.astype(np.uint32).reshape(8, g.n, 32)
            return
        single = value.astype(np.float32)
        half = numeric.f32_to_bf16(single) if out == "bf16" else value.astype(np.float16)
        bits = half.view(np.uint16).reshape(4, 2, g.n, LANES).astype(np.uint32)
        g.v[reg : reg + 4, g.sel] = bits[:, 0] | (bits[:, 1] << np.uint32(16))

    return store
