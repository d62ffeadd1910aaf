"""Ring slots as base + offset modulo the ring's stages, across loop iterations."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyLike, LoadOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import constant, defining, is_inside, walk


@dataclass(frozen=True)
class Slot:
    """Slot (base + offset) mod stages; base None is 0. An ``unknown`` slot may be any."""

    base: ir.Value | None
    offset: int
    stages: int
    unknown: bool = False

    def may_equal(self, other: Slot) -> bool:
        """Whether the two can be the same slot of a ring."""
        if self.unknown or other.unknown or not self.same_base(other):
            return True
        return (self.offset - other.offset) % self.stages == 0

    def same_base(self, other: Slot) -> bool:
        """Whether offsets of the two can be compared."""
        # MLIR's values do not compare with None.
        if self.base is None or other.base is None:
            return self.base is None and other.base is None
        return bool(self.base == other.base)

    def shifted(self, base: ir.Value | None, distance: int) -> Slot:
        """Relative to ``base``, ``distance`` further."""
        return Slot(base, (self.offset + distance) % self.stages, self.stages, self.unknown)


def slot_of(value: ir.Value, stages: int) -> Slot:
    """``value`` as a slot: looks through constants and (x + c) mod stages."""
    fixed = constant(value)
    if fixed is not None:
        return Slot(None, fixed % stages, stages)
    op = defining(value)
    wraps = op is not None and op.name in ("arith.remui", "arith.remsi")
    if op is not None and wraps and constant(op.operands[1]) == stages:
        return _sum(op.operands[0], stages)
    return Slot(value, 0, stages)


def _sum(value: ir.Value, stages: int) -> Slot:
    op = defining(value)
    if op is not None and op.name == "arith.addi":
        for term, other in (op.operands, reversed(list(op.operands))):
            distance = constant(other)
            if distance is not None:
                inner = _sum(term, stages)
                return inner.shifted(inner.base, distance)
    return slot_of(value, stages)


def _carried(loop: ir.Operation) -> list[tuple[ir.Value, ir.Value, ir.Value]]:
    """(argument, initial value, yielded value) of each loop-carried index."""
    body = loop.regions[0].blocks[0]
    inits, arguments = list(loop.operands)[3:], list(body.arguments)[1:]
    yields = list(list(body.operations)[-1].operands)
    rows = zip(arguments, inits, yields, strict=True)
    return [row for row in rows if isinstance(row[0].type, ir.IndexType)]


def enter_loop(slot: Slot, ring: ir.Value, loop: ir.Operation) -> Slot:
    """``slot``, in the terms that the first iteration uses for ``ring``."""
    if slot.base is not None or slot.unknown:
        return slot
    bases = _bases(ring, loop.regions[0].blocks[0])
    for argument, initial, _ in _carried(loop):
        start = constant(initial)
        if start is not None and argument in bases:
            return slot.shifted(argument, -start)
    return slot


def _bases(ring: ir.Value, body: ir.Block) -> list[ir.Value | None]:
    found = []
    for op in walk(body):
        lds = LdsType.of(ring.type)
        if lds is None or ring not in list(op.operands):
            continue
        if op.name in ("tile.copy", "tile.copy_async"):
            found.append(slot_of(CopyLike(op).slot, lds.stages).base)
        elif op.name == "tile.load":
            found.append(slot_of(LoadOp(op).coords[0], lds.stages).base)
    return found


def next_iteration(slot: Slot, loop: ir.Operation) -> Slot:
    """``slot`` of one iteration in the terms of the next one."""
    for argument, _, yielded in _carried(loop):
        ahead = slot_of(yielded, slot.stages)
        if slot.base == argument and ahead.base == argument:
            return slot.shifted(argument, -ahead.offset)
    return leave_loop(slot, loop)


def leave_loop(slot: Slot, loop: ir.Operation) -> Slot:
    """``slot`` where values of ``loop``'s body mean nothing any more."""
    if slot.base is None or not is_inside(slot.base, loop):
        return slot
    return Slot(None, 0, slot.stages, unknown=True)
