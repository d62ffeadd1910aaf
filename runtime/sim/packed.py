"""Packed (v_pk_*) instructions: one effect on two halves, chosen and negated by modifiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from . import numeric
from .asm import KernelAsm, Line
from .operands import DTYPES, Operand, Reader, check_bank, parse_operand, reader
from .state import Array, Group
from .table import Row

DEFAULTS = {"op_sel": 0, "op_sel_hi": 1, "neg_lo": 0, "neg_hi": 0}


def packed_phases(row: Row, line: Line, kernel: KernelAsm) -> tuple[Any, Any]:
    """(compute, store) of a packed row; compute returns the (low, high) halves."""
    kind = row.results[0]
    wide = kind in ("f32", "u32")
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    if len(operands) != 1 + len(row.sources):
        raise line.fail(f"expected {1 + len(row.sources)} operands")
    picks = _picks(line, len(row.sources))
    low_reads: list[Reader] = []
    high_reads: list[Reader] = []
    for slot, operand in enumerate(operands[1:]):
        check_bank(operand, slot, line)
        for high, reads in ((False, low_reads), (True, high_reads)):
            upper = picks["op_sel_hi" if high else "op_sel"][slot]
            negate = picks["neg_hi" if high else "neg_lo"][slot]
            reads.append(_half(operand, kind, bool(upper), bool(negate), wide, line))
    check_bank(operands[0], 3, line)
    compute = _compute(row, low_reads, high_reads)
    return compute, _store(operands[0].reg, kind, "clamp" in line.modifiers)


def _picks(line: Line, sources: int) -> dict[str, list[int]]:
    picks = {name: [value] * sources for name, value in DEFAULTS.items()}
    for name, text in line.modifiers.items():
        if name == "clamp":
            continue
        if name not in picks:
            raise line.fail(f"unknown modifier {name}")
        values = [int(bit) for bit in text.strip("[]").split(",")]
        picks[name][: len(values)] = values
    return picks


def _half(operand: Operand, kind: str, upper: bool, negate: bool, wide: bool, line: Line) -> Reader:
    """Reader of one half: a register of the pair, or 16 bits of the register."""
    if operand.kind == "lit" and not wide:
        # A constant fills the low half; the high half of an inline constant is zero.
        source = reader(replace(operand, kind="lit"), "u32" if "." not in operand.literal else kind,
                        line)  # fmt: skip
        if "." not in operand.literal:
            source = _literal_half(source, kind, upper)
    elif operand.kind == "lit":
        source = reader(operand, kind, line)
    elif wide:
        shift = 1 if upper and operand.count > 1 else 0
        source = reader(replace(operand, reg=operand.reg + shift, count=1), kind, line)
    else:
        source = reader(replace(operand, half="h" if upper else "l"), kind, line)
    if not negate:
        return source
    return lambda g: np.negative(source(g))


def _literal_half(source: Reader, kind: str, upper: bool) -> Reader:
    def read(g: Group) -> Array:
        half = (source(g) >> np.uint32(16 if upper else 0)).astype(np.uint16)
        return numeric.bf16_to_f32(half) if kind == "bf16" else half.view(DTYPES[kind])

    return read


def _compute(row: Row, low: list[Reader], high: list[Reader]) -> Callable[[Group], Any]:
    effect = row.effect
    if row.name == "v_pk_mov_b32":
        return lambda g: (low[0](g).copy(), high[1](g).copy())
    return lambda g: (effect(*(r(g) for r in low)), effect(*(r(g) for r in high)))


def _store(reg: int, kind: str, clamp: bool) -> Callable[[Group, Any], None]:
    dtype = DTYPES[kind]

    def store(g: Group, halves: tuple[Array, Array]) -> None:
        low, high = (np.asarray(half, dtype=dtype) for half in halves)
        if clamp:
            low, high = np.clip(low, 0, 1), np.clip(high, 0, 1)
        if kind in ("f32", "u32"):
            g.write_v(reg, low.view(np.uint32))
            g.write_v(reg + 1, high.view(np.uint32))
            return
        if kind == "bf16":
            low, high = numeric.f32_to_bf16(low), numeric.f32_to_bf16(high)
        bits = high.view(np.uint16).astype(np.uint32) << np.uint32(16)
        g.write_v(reg, low.view(np.uint16).astype(np.uint32) | bits)

    return store
