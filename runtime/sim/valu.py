"""Turn vector ALU lines into handlers: plain, VOPD pairs, packed, comparisons, lane moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import mix, valu16_table, valu_table
from .asm import KernelAsm, Line, parse_instruction
from .bitop import FORMS, bitop_phases
from .operands import (
    DTYPES,
    Operand,
    Reader,
    Writer,
    check_bank,
    parse_operand,
    reader,
    writer,
)
from .packed import packed_phases
from .state import EXEC, VCC, Array, Group
from .table import Handler, Row, base_name

ROWS: dict[str, Row] = {**valu_table.ROWS, **valu16_table.ROWS}
Compute = Callable[[Group], Any]
Store = Callable[[Group, Any], None]
OUTPUT_SCALE = {"mul:2": 2.0, "mul:4": 4.0, "div:2": 0.5}


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of a vector ALU instruction, None when the tables have no such row."""
    if line.mnemonic == "vopd":
        return _pair(line, kernel)
    found = phases(line, kernel)
    if found is None:
        return None
    compute, store = found
    return lambda g: store(g, compute(g))


def _pair(line: Line, kernel: KernelAsm) -> Handler:
    """A VOPD pair reads all its sources before either half writes."""
    halves = []
    for text in line.operands:
        half = parse_instruction(text.replace("v_dual_", "v_", 1), line.number, line.msb)
        found = phases(half, kernel)
        line.uses.join(half.uses)
        if found is None:
            raise line.fail(f"unknown instruction {half.mnemonic}")
        halves.append(found)
    (compute_x, store_x), (compute_y, store_y) = halves

    def handler(g: Group) -> None:
        first, second = compute_x(g), compute_y(g)
        if second.base is not None:
            second = second.copy()
        store_x(g, first)
        store_y(g, second)

    return handler


def phases(line: Line, kernel: KernelAsm) -> tuple[Compute, Store] | None:
    """The reading and the writing half of an instruction, None when there is no such row."""
    name = base_name(line.mnemonic)
    if name in valu16_table.COMPARES:
        return _plain(valu16_table.COMPARES[name], line, kernel)
    if name.startswith("v_cmpx_") and name.replace("cmpx", "cmp") in valu16_table.COMPARES:
        return _compare_exec(valu16_table.COMPARES[name.replace("cmpx", "cmp")], line, kernel)
    if name in valu16_table.PACKED:
        return packed_phases(valu16_table.PACKED[name], line, kernel)
    if name in mix.FORMS:
        return mix.mix_phases(name, line, kernel)
    if name in FORMS:
        return bitop_phases(name, line, kernel)
    if name in ROWS:
        return _plain(ROWS[name], line, kernel)
    return None


def _plain(row: Row, line: Line, kernel: KernelAsm) -> tuple[Compute, Store]:
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    results = row.results
    if row.sources and row.sources[-1] == "mask" and len(operands) == _arity(row) - 1:
        operands.append(Operand("s", VCC))
    if len(operands) != _arity(row):
        raise line.fail(f"expected {_arity(row)} operands")
    modifiers = dict(line.modifiers)
    effect = row.effect
    if "clamp" in modifiers and row.name in valu_table.SATURATING:
        effect = _saturating(row)
        del modifiers["clamp"]
    operands = _select_halves(row, operands, modifiers, line)
    finish = _finisher(row, modifiers, line)
    if row.name.startswith("v_cndmask"):
        _note_select(line, operands[1:])
    reads = source_readers(row, operands, len(results), line)
    for operand in operands[: len(results)]:
        check_bank(operand, 3, line)
    writes = [_cast(writer(operand, kind, line), kind)
              for operand, kind in zip(operands, results, strict=False)]  # fmt: skip
    return _compute(effect, reads, finish), _store(writes)


def _saturating(row: Row) -> Callable[..., Array]:
    """The row's sum or difference, held to the range of its type."""
    exact, limits = valu_table.SATURATING[row.name], np.iinfo(DTYPES[row.results[0]])

    def effect(a: Array, b: Array) -> Array:
        wide = exact(a.astype(np.int64), b.astype(np.int64))
        return np.asarray(np.clip(wide, limits.min, limits.max))

    return effect


def _note_select(line: Line, sources: list[Operand]) -> None:
    """Which registers a select picks from: only the picked one has to be valid."""
    first, second = (
        frozenset(range(op.reg, op.reg + op.count)) if op.kind == "v" else frozenset()
        for op in sources[:2]
    )
    if sources[2].kind == "s":
        line.uses.select = (first, second, sources[2].reg)


def _arity(row: Row) -> int:
    return len(row.results) + sum(not kind.startswith("dst:") for kind in row.sources)


def source_readers(row: Row, operands: list[Operand], skip: int, line: Line) -> list[Reader]:
    """Readers of the sources, bank mode checked; `skip` operands are results."""
    reads: list[Reader] = []
    rest = iter(operands[skip:])
    for slot, kind in enumerate(row.sources):
        if kind.startswith("dst:"):
            reads.append(reader(operands[0], kind[4:], line))
            continue
        operand = next(rest)
        check_bank(operand, slot, line)
        reads.append(reader(operand, kind, line))
    return reads


def _select_halves(
    row: Row, operands: list[Operand], modifiers: dict[str, str], line: Line
) -> list[Operand]:
    """Apply op_sel to 16-bit operands that do not spell .l or .h."""
    if "op_sel" not in modifiers:
        return operands
    picks = [int(bit) for bit in modifiers.pop("op_sel").strip("[]").split(",")]
    order = [*range(len(row.results), len(operands)), 0]
    chosen = list(operands)
    for position, pick in zip(order, picks, strict=False):
        old = operands[position]
        if pick:
            chosen[position] = Operand(
                old.kind, old.reg, old.count, "h", old.neg, old.absolute, old.literal, old.low
            )
    return chosen


def _finisher(row: Row, modifiers: dict[str, str], line: Line) -> Callable[[Any], Any] | None:
    """Output modifiers: scale, then clamp to [0, 1]; floats only."""
    scale = 1.0
    for name in ("mul", "div"):
        if name in modifiers:
            scale = OUTPUT_SCALE[f"{name}:{modifiers.pop(name)}"]
    clamp = "clamp" in modifiers
    modifiers.pop("clamp", None)
    if modifiers:
        raise line.fail(f"unknown modifier {next(iter(modifiers))}")
    if scale == 1.0 and not clamp:
        return None
    if row.results[0] not in ("f32", "f16", "bf16", "f64"):
        raise line.fail("clamp or scale of an integer result is not modelled")

    def finish(value: Array) -> Array:
        value = value * value.dtype.type(scale)
        return np.clip(value, 0, 1) if clamp else value

    return finish


def _cast(write: Writer, kind: str) -> Writer:
    if kind == "mask":
        return write
    dtype = DTYPES[kind]
    return lambda g, value: write(g, np.asarray(value, dtype=dtype))


def _compute(effect: Any, reads: list[Reader], finish: Any) -> Compute:
    if finish is not None:
        return lambda g: finish(effect(*(read(g) for read in reads)))
    if len(reads) == 1:
        only = reads[0]
        return lambda g: effect(only(g))
    if len(reads) == 2:
        first, second = reads
        return lambda g: effect(first(g), second(g))
    if len(reads) == 3:
        first, second, third = reads
        return lambda g: effect(first(g), second(g), third(g))
    return lambda g: effect(*(read(g) for read in reads))


def _store(writes: list[Writer]) -> Store:
    if len(writes) == 1:
        return writes[0]

    def store(g: Group, values: tuple[Array, ...]) -> None:
        for write, value in zip(writes, values, strict=True):
            write(g, value)

    return store


def _compare_exec(row: Row, line: Line, kernel: KernelAsm) -> tuple[Compute, Store]:
    """v_cmpx: the result goes to EXEC, inactive lanes become 0."""
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    if operands and operands[0].kind == "s" and len(operands) == 3:
        operands = operands[1:]
    if len(operands) != 2:
        raise line.fail("expected 2 operands")
    target = Operand("s", EXEC)
    reads = source_readers(row, [target, *operands], 1, line)
    return _compute(row.effect, reads, None), _store([writer(target, "mask", line)])
