"""Ring slots as base + offset modulo the ring's stages, across loop iterations."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyAsyncOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.index_values import evaluate
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

    def must_equal(self, other: Slot) -> bool:
        """Whether the two are the same slot of a ring."""
        if self.unknown or other.unknown or not self.same_base(other):
            return False
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
    """``value`` as a slot: a constant, or one value plus a distance, wrapped in whatever way.

    ``(x + c) mod stages``, ``x xor 1``, a select between ``x + c`` and 0 and the like count alike:
    what matters is where every slot x leads. Of values that a loop carries at a fixed distance
    from each other (current and next) the first is the base.
    """
    fixed = evaluate(value, {})
    if fixed is not None:
        return Slot(None, fixed % stages, stages)
    found = _distance(value, stages)
    if found is None:
        return _first_of_loop(value, stages)
    base, distance = found
    inner = _first_of_loop(base, stages)
    return inner.shifted(inner.base, distance)


def _distance(value: ir.Value, stages: int) -> tuple[ir.Value, int] | None:
    """(x, d) where ``value`` is (x + d) mod ``stages``; None where it is not."""
    bases = _leaves(value)
    if len(bases) != 1 or value in bases:
        return None
    (base,) = bases
    # Twice the range: a wrap that is right for any x, not only for a slot.
    for reach in (2 * stages, stages):
        places = [evaluate(value, {base: x}) for x in range(reach)]
        distance = (places[0] or 0) % stages
        if places == [(x + distance) % stages for x in range(reach)]:
            return (base, distance) if reach > stages or _is_slot(base, stages) else None
    return None


def _leaves(value: ir.Value) -> list[ir.Value]:
    """What the index arithmetic of ``value`` starts from, but for constants."""
    op = defining(value)
    if op is None or not op.name.startswith("arith."):
        return [value]
    found: list[ir.Value] = []
    for operand in op.operands:
        if constant(operand) is None:
            found += [leaf for leaf in _leaves(operand) if leaf not in found]
    return found


def _carrier(value: ir.Value) -> tuple[ir.Operation, int] | None:
    """The scf.for that carries ``value``, and its number among the carried values."""
    if defining(value) is not None:
        return None
    argument = ir.BlockArgument(value)
    loop = argument.owner.owner.operation
    if loop.name != "scf.for" or argument.arg_number == 0:
        return None
    return loop, argument.arg_number - 1


def _is_slot(value: ir.Value, stages: int) -> bool:
    """Whether a loop carries ``value`` and never takes it out of [0, ``stages``)."""
    found = _carrier(value)
    if found is None:
        return False
    start, yielded = _ends(*found)
    if start is None or not 0 <= start < stages:
        return False
    group = _group(found[0], value, stages)
    following = [evaluate(yielded, _placed(group, x, stages)) for x in range(stages)]
    return all(y is not None and 0 <= y < stages for y in following)


def _ends(loop: ir.Operation, number: int) -> tuple[int | None, ir.Value]:
    """The constant that carried value ``number`` of ``loop`` starts as, and what it becomes."""
    end = list(loop.regions[0].blocks[0].operations)[-1]
    return constant(loop.operands[3 + number]), end.operands[number]


def _first_of_loop(value: ir.Value, stages: int) -> Slot:
    """``value`` relative to the first value that its loop carries at a fixed distance from it."""
    found = _carrier(value)
    if found is not None:
        loop, number = found
        for argument in list(loop.regions[0].blocks[0].arguments)[1 : number + 1]:
            group = _group(loop, argument, stages)
            if value in group:
                return Slot(argument, group[value], stages)
    return Slot(value, 0, stages)


def _group(loop: ir.Operation, first: ir.Value, stages: int) -> dict[ir.Value, int]:
    """Values that ``loop`` keeps at (``first`` + d) mod ``stages``, each with its d."""
    arguments = list(loop.regions[0].blocks[0].arguments)[1:]
    ends = {argument: _ends(loop, number) for number, argument in enumerate(arguments)}
    origin = ends[first][0]
    if origin is None:
        return {}
    apart = {v: (start - origin) % stages for v, (start, _) in ends.items() if start is not None}
    while True:
        wrong = [v for v in apart if not _keeps(apart, ends, first, v, stages)]
        if not wrong:
            return apart
        if first in wrong:
            return {}
        apart = {v: d for v, d in apart.items() if v not in wrong}


def _keeps(
    apart: dict[ir.Value, int],
    ends: dict[ir.Value, tuple[int | None, ir.Value]],
    first: ir.Value,
    value: ir.Value,
    stages: int,
) -> bool:
    """Whether one iteration keeps ``value`` at its distance from ``first``, if all others do."""
    for place in range(stages):
        ours, theirs = (evaluate(ends[v][1], _placed(apart, place, stages)) for v in (first, value))
        if ours is None or theirs is None or theirs != (ours + apart[value]) % stages:
            return False
    return True


def _placed(apart: dict[ir.Value, int], place: int, stages: int) -> dict[ir.Value, int | None]:
    return {v: (place + d) % stages for v, d in apart.items()}


def _carried(loop: ir.Operation) -> list[tuple[ir.Value, ir.Value, ir.Value]]:
    """(argument, initial value, yielded value) of each loop-carried index."""
    body = loop.regions[0].blocks[0]
    inits, arguments = list(loop.operands)[3:], list(body.arguments)[1:]
    yields = list(list(body.operations)[-1].operands)
    rows = zip(arguments, inits, yields, strict=True)
    return [row for row in rows if isinstance(row[0].type, ir.IndexType)]


def enter_loop(slot: Slot, holder: ir.Value, loop: ir.Operation) -> Slot:
    """``slot`` of ring or barrier ``holder``, in the terms that the first iteration uses for it."""
    if slot.base is not None or slot.unknown:
        return slot
    used = (v for op in walk(loop.regions[0].blocks[0]) for v in _used(op, holder))
    bases = [base for v in used if (base := slot_of(v, slot.stages).base) is not None]
    for argument, initial, _ in _carried(loop):
        start = constant(initial)
        if start is not None and argument in bases:
            return slot.shifted(argument, -start)
    return slot


def _used(op: ir.Operation, holder: ir.Value) -> list[ir.Value]:
    """The slots of ``holder`` that ``op`` names."""
    operands = list(op.operands)
    if holder not in operands:
        return []
    if op.name in ("tile.copy", "tile.copy_async"):
        if holder in operands[:2]:
            return [operands[2]]
        completes = CopyAsyncOp(op).completes
        return [] if completes is None or completes[1] is None else [completes[1]]
    if op.name in ("tile.load", "tile.arrive", "tile.wait_barrier"):
        return [v for v in operands[1:2] if isinstance(v.type, ir.IndexType)]
    if op.name == "tile.mma":
        held = [v for v in operands[:2] if LdsType.of(v.type) is not None]
        return [operands[3 + 3 * i] for i, v in enumerate(held) if v == holder]
    return []


def next_iteration(slot: Slot, loop: ir.Operation) -> Slot:
    """``slot`` of one iteration in the terms of the next one."""
    if slot.base is None:
        return slot
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
