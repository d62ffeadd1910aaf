"""One defect at a time in the synchronisation of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.compiler.interp.program import find_kernels
from gemm_ladder.compiler.session import Session, module_text
from gemm_ladder.dialect_defs.types import BarType, LdsType
from gemm_ladder.passes.analysis.kernel import walk

SYNC = ("tile.wait", "tile.arrive", "tile.wait_barrier", "tile.barrier", "tile.fence")


@dataclass(frozen=True)
class Mutant:
    """``name`` says what was done to which op (the n-th with sync or LDS, in program order)."""

    name: str
    text: str


def mutants(text: str) -> Iterator[Mutant]:
    """Every deletion, weakened count and swapped slot of the sync and LDS ops of ``text``."""
    session = Session()
    original = session.parse(text, "")
    for number, op in enumerate(_ops(original)):
        for what in _changes(op):
            module = session.parse(text, "")
            changed = _ops(module)[number]
            label = f"{_label(op)} #{number}: {what}"
            with module.context, changed.location:
                _apply(changed, what)
            yield Mutant(label, module_text(module))


def _ops(module: ir.Module) -> list[ir.Operation]:
    return [
        op
        for func in find_kernels(module)
        for op in walk(func.regions[0].blocks[0])
        if op.name.startswith("tile.")
    ]


def _label(op: ir.Operation) -> str:
    kind = f" {ir.StringAttr(op.attributes['kind']).value}" if op.name == "tile.wait" else ""
    return op.name.removeprefix("tile.") + kind


def _changes(op: ir.Operation) -> list[str]:
    """Names of the mutations that ``op`` has."""
    found = ["delete"] if op.name in SYNC else []
    for name, word in (("pending", "pending + 1"), ("arrivals", "arrivals - 1")):
        if name in op.attributes:
            found.append(word)
    if "tx_bytes" in op.attributes:
        found.append("tx_bytes - 1")
    return found + [f"other slot in operand {i}" for i, _ in _slots(op)]


def _slots(op: ir.Operation) -> list[tuple[int, int]]:
    """(operand number, slots) of every index of a slot of more than one."""
    operands = list(op.operands)
    if op.name in ("tile.load", "tile.store"):
        found = [(0, 1) if op.name == "tile.load" else (1, 2)]
    elif op.name in ("tile.copy", "tile.copy_async"):
        found = [(0 if LdsType.of(operands[0].type) else 1, 2)]
        found += [(len(operands) - 2, len(operands) - 1)] if BarType.of(operands[-2].type) else []
    elif op.name == "tile.mma" and LdsType.of(operands[0].type):
        found = [(0, 3), (1, 6)]
    elif op.name in ("tile.arrive", "tile.wait_barrier") and len(operands) > 1:
        found = [(0, 1)]
    else:
        found = []
    sized = []
    for holder, index in found:
        ring, bar = (kind.of(operands[holder].type) for kind in (LdsType, BarType))
        slots = ring.stages if ring else bar.slots if bar else 1
        if slots > 1:
            sized.append((index, slots))
    return sized


def _apply(op: ir.Operation, what: str) -> None:
    if what == "delete":
        op.erase()
        return
    for name, by in (("pending", 1), ("arrivals", -1), ("tx_bytes", -1)):
        if what.startswith(f"{name} "):
            attr = ir.IntegerAttr(op.attributes[name])
            op.attributes[name] = ir.IntegerAttr.get(attr.type, attr.value + by)
            return
    index = int(what.split()[-1])
    slots = dict(_slots(op))[index]
    with ir.InsertionPoint(op):
        one, count = (arith.constant(ir.IndexType.get(), v) for v in (1, slots))
        op.operands[index] = arith.remui(arith.addi(op.operands[index], one), count)
