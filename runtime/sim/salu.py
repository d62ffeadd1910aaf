"""Turn scalar ALU lines into handlers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .asm import KernelAsm, Line
from .operands import DTYPES, Operand, Reader, Writer, parse_operand, reader, writer
from .salu_table import ROWS
from .state import EXEC, Array, Group
from .table import Handler, Row
from .validity import SCC

STATE = ("scc", "nz", "exec", "nzexec")


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of a scalar ALU instruction, None when the table has no such row."""
    row = ROWS.get(line.mnemonic)
    if row is None:
        return None
    if line.modifiers:
        raise line.fail(f"unknown modifier {next(iter(line.modifiers))}")
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    results = [kind for kind in row.results if kind not in STATE]
    explicit = [kind for kind in row.sources if kind not in STATE and not kind.startswith("dst:")]
    if len(operands) != len(results) + len(explicit):
        raise line.fail(f"expected {len(results) + len(explicit)} operands")
    reads = _reads(row, operands, len(results), line)
    writes = _writes(row, operands, line)
    if len(writes) == 1 and "nz" not in row.results:
        return _single(row.effect, reads, writes[0])
    return _several(row, reads, writes)


def _reads(row: Row, operands: list[Operand], skip: int, line: Line) -> list[Reader]:
    reads: list[Reader] = []
    rest = iter(operands[skip:])
    for kind in row.sources:
        if kind == "scc":
            line.uses.s_read.add(SCC)
            reads.append(lambda g: g.m.scc[g.sel])
        elif kind == "exec":
            reads.append(lambda g: g.s[EXEC, g.sel].copy())
        elif kind.startswith("dst:"):
            reads.append(reader(operands[0], kind[4:], line, vector=False))
        else:
            reads.append(reader(next(rest), kind, line, vector=False))
    return reads


def _set_scc(g: Group, value: Array) -> None:
    g.m.scc[g.sel] = value


def _writes(row: Row, operands: list[Operand], line: Line) -> list[Writer]:
    writes: list[Writer] = []
    rest = iter(operands)
    if {"scc", "nz", "nzexec"} & set(row.results):
        line.uses.s_write.add(SCC)
    if "exec" in row.results:
        line.uses.s_write.add(EXEC)
    for kind in row.results:
        if kind == "scc":
            writes.append(_set_scc)
        elif kind == "exec":
            writes.append(lambda g, value: g.write_s(EXEC, value))
        elif kind not in STATE:
            writes.append(_cast(writer(next(rest), kind, line, vector=False), kind))
    return writes


def _cast(write: Writer, kind: str) -> Writer:
    dtype = DTYPES[kind]
    return lambda g, value: write(g, np.asarray(value, dtype=dtype))


def _single(effect: Any, reads: list[Reader], write: Writer) -> Handler:
    if len(reads) == 1:
        first = reads[0]
        return lambda g: write(g, effect(first(g)))
    if len(reads) == 2:
        first, second = reads
        return lambda g: write(g, effect(first(g), second(g)))
    return lambda g: write(g, effect(*(read(g) for read in reads)))


def _several(row: Row, reads: list[Reader], writes: list[Writer]) -> Handler:
    effect = row.effect
    exec_flag = "nzexec" in row.results
    nonzero = "nz" in row.results

    def handler(g: Group) -> None:
        values = effect(*(read(g) for read in reads))
        if not isinstance(values, tuple):
            values = (values,)
        for write, value in zip(writes, values, strict=True):
            write(g, value)
        if nonzero:
            _set_scc(g, np.asarray(values[0]) != 0)
        if exec_flag:
            _set_scc(g, g.s[EXEC, g.sel] != 0)

    return handler
