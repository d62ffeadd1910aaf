"""Instructions that look across lanes: readlane, writelane, mbcnt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import numeric
from .asm import KernelAsm, Line
from .operands import Operand, check_bank, parse_operand, reader, writer
from .state import LANES, Array, Group
from .table import Handler, base_name

_BELOW: Array = ((np.uint64(1) << np.arange(LANES, dtype=np.uint64)) - np.uint64(1)).astype(
    np.uint32
)[None, :]


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of a cross-lane instruction, None when it is not one."""
    make = BUILDERS.get(base_name(line.mnemonic))
    if make is None:
        return None
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    return make(line, operands)


def _first_lane(line: Line, operands: list[Operand]) -> Handler:
    """v_readfirstlane_b32: the lowest active lane, lane 0 when none is."""
    check_bank(operands[1], 0, line)
    source = reader(operands[1], "u32", line)
    store = writer(operands[0], "u32", line, vector=False)

    def handler(g: Group) -> None:
        value = source(g)
        if value.shape[1] == 1:
            store(g, value[:, 0])
        elif g.full:
            store(g, value[:, 0].copy())
        else:
            store(g, value[np.arange(g.n), np.argmax(g.mask, axis=1)])

    return handler


def _read_lane(line: Line, operands: list[Operand]) -> Handler:
    check_bank(operands[1], 0, line)
    source = reader(operands[1], "u32", line)
    lane = reader(operands[2], "u32", line, vector=False)
    store = writer(operands[0], "u32", line, vector=False)

    def handler(g: Group) -> None:
        value = np.broadcast_to(source(g), (g.n, LANES))
        store(g, value[np.arange(g.n), np.broadcast_to(lane(g) & 31, (g.n,))])

    return handler


def _write_lane(line: Line, operands: list[Operand]) -> Handler:
    """v_writelane_b32 ignores EXEC."""
    check_bank(operands[0], 3, line)
    value = reader(operands[1], "u32", line, vector=False)
    lane = reader(operands[2], "u32", line, vector=False)
    reg = operands[0].reg

    def handler(g: Group) -> None:
        g.m.touch(reg, 1)
        g.v[reg, g.index, np.broadcast_to(lane(g) & 31, (g.n,))] = value(g)

    return handler


def _mbcnt_low(line: Line, operands: list[Operand]) -> Handler:
    """Ones of the mask below this lane, plus S1."""
    check_bank(operands[0], 3, line)
    bits, addend = reader(operands[1], "u32", line), reader(operands[2], "u32", line)
    reg = operands[0].reg
    return lambda g: g.write_v(reg, numeric.bit_count(bits(g) & _BELOW) + addend(g))


def _mbcnt_high(line: Line, operands: list[Operand]) -> Handler:
    """No lane lies above 31 in wave32: the count is S1."""
    check_bank(operands[0], 3, line)
    addend = reader(operands[2], "u32", line)
    reg = operands[0].reg
    return lambda g: g.write_v(reg, addend(g))


BUILDERS: dict[str, Callable[[Line, list[Operand]], Handler]] = {
    "v_readfirstlane_b32": _first_lane,
    "v_readlane_b32": _read_lane,
    "v_writelane_b32": _write_lane,
    "v_mbcnt_lo_u32_b32": _mbcnt_low,
    "v_mbcnt_hi_u32_b32": _mbcnt_high,
}
