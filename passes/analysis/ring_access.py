"""Accesses of ring slots that are not handed over yet: who counts them, who was told of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyAsyncOp, CopyLike
from gemm_ladder.dialect_defs.types import BarType, LdsType
from gemm_ladder.passes.analysis.kernel import constant, defining
from gemm_ladder.passes.analysis.slots import Slot, slot_of

# A slot, and the ring or barrier that it is one of, to that slot at another point of the program.
Move = Callable[[Slot, ir.Value], Slot]


@dataclass(frozen=True, eq=False)
class Told:
    """A slot of barrier ``bar``; None for a hardware barrier."""

    bar: ir.Value
    slot: Slot | None

    def is_at(self, bar: ir.Value, slot: Slot | None) -> bool:
        """Whether a wait for ``slot`` of ``bar`` waits for this."""
        if self.bar != bar:
            return False
        if self.slot is None or slot is None:
            return self.slot is None and slot is None
        return self.slot.must_equal(slot)

    def moved(self, move: Move) -> Told:
        """The same at another point."""
        return self if self.slot is None else Told(self.bar, move(self.slot, self.bar))


@dataclass(frozen=True, eq=False)
class Access:
    """A fill ("copy"), a wave's write ("lds write") or a read ("lds read") of a slot.

    ``open`` until a wait; then each arrival of its waves at a barrier tells of it, and the wait for
    what was ``told`` forgets the access. ``counted`` are the kinds of tile.wait that count it;
    ``completes`` is the barrier that it tells itself, ``issuer`` the only wave that makes it.
    """

    kind: str
    ring: ir.Value
    slot: Slot
    op: ir.Operation
    counted: tuple[str, ...]
    open: bool = True
    told: tuple[Told, ...] = ()
    completes: Told | None = None
    issuer: int | None = None

    def moved(self, move: Move) -> Access:
        """The same access at another point."""
        completes = None if self.completes is None else self.completes.moved(move)
        told = tuple(t.moved(move) for t in self.told)
        return replace(self, slot=move(self.slot, self.ring), completes=completes, told=told)

    def same(self, other: Access) -> bool:
        """Whether ``other`` is this access in the same state."""
        mine, theirs = ([a.slot, *(t.slot for t in a.told)] for a in (self, other))
        if self.op != other.op or self.open != other.open or len(mine) != len(theirs):
            return False
        return all(_alike(a, b) for a, b in zip(mine, theirs, strict=True))

    def is_counted_with(self, other: Access) -> bool:
        """Whether every wave that makes this access makes ``other``, too."""
        return other.issuer is None or other.issuer == self.issuer


def _alike(one: Slot | None, other: Slot | None) -> bool:
    if one is None or other is None:
        return one is None and other is None
    return (one.unknown and other.unknown) or one.must_equal(other)


def fill_access(copy: CopyLike) -> Access:
    """The fill of LDS that ``copy`` is."""
    completes, issuer = None, None
    if copy.operation.name == "tile.copy_async":
        posted = CopyAsyncOp(copy.operation)
        issuer = posted.issuer
        completes = None if posted.completes is None else told_at(*posted.completes)
    counted = ("copy",) if completes is None else ()
    slot = _filled_slot(copy)
    return Access(
        "copy", copy.dst, slot, copy.operation, counted, completes=completes, issuer=issuer
    )


def _filled_slot(copy: CopyLike) -> Slot:
    """The ring slot; where ``copy`` moves a part of a tile, its operand counts parts."""
    ring = LdsType.of(copy.dst.type)
    assert ring is not None
    parts = copy.ints_attr("parts")
    count = parts[0] * parts[1] if parts else 1
    if count == 1:
        return slot_of(copy.slot, ring.stages)
    fixed, op = constant(copy.slot), defining(copy.slot)
    if fixed is not None:
        return Slot(None, fixed // count, ring.stages)
    for term in (copy.slot, *(op.operands if op is not None and op.name == "arith.addi" else ())):
        scaled = defining(term)
        if scaled is None or scaled.name != "arith.muli":
            continue
        factors = list(scaled.operands)
        for value, factor in (factors, factors[::-1]):
            if constant(factor) == count:
                return slot_of(value, ring.stages)
    return Slot(None, 0, ring.stages, unknown=True)


def told_at(bar: ir.Value, slot: ir.Value | None) -> Told:
    """Slot ``slot`` of ``bar``; a hardware barrier, and an mbarrier without a slot, has one."""
    bars = BarType.of(bar.type)
    assert bars is not None
    return Told(bar, None if slot is None else slot_of(slot, bars.slots))
