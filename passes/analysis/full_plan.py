"""What a loop's fills need to complete mbarrier slots instead of counters, and why one cannot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import CopyLike
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.fill_blocks import may_skip, other_reads
from gemm_ladder.passes.analysis.fill_waits import is_plain, stage_copies
from gemm_ladder.passes.analysis.kernel import ancestors, constant, walk
from gemm_ladder.passes.analysis.slots import Slot, slot_of
from gemm_ladder.passes.analysis.staged_loop import (
    SYNC,
    HandOff,
    StagedLoop,
    find_staged_loops,
    is_wait,
    lds_fills,
    slots_read,
)
from gemm_ladder.passes.analysis.sync import reaching_waves
from gemm_ladder.passes.base import PassError

_PUBLISHING = ("tile.barrier", "tile.wait_barrier")


@dataclass(frozen=True)
class FullPlan:
    """``loop`` with ``fills`` of its body, and ``prologue`` fills by the number of their block,
    that go to ``engine``; ``others`` are its copies that waves go on counting, ``others_entry`` the
    slots that those fill before the loop, ``pending`` how many of them a wave may leave under way
    when it says that the next stage has landed.

    The loop fills ``ahead`` iterations before it reads slot ``current``, ``start`` in the first;
    ``arrivals`` complete a phase: the asking wave's and, with ``others``, that of every wave.
    ``predicate`` is what the fills are made under already. ``entry_is_free``: nothing but the
    fills needs the hand-offs between the prologue and the loop.
    """

    loop: StagedLoop
    engine: str
    fills: tuple[CopyLike, ...]
    prologue: dict[int, list[CopyLike]]
    others: tuple[CopyLike, ...]
    others_entry: tuple[ir.Value, ...]
    pending: int
    ahead: int
    current: ir.Value
    start: int
    stages: int
    arrivals: int
    predicate: ir.Value | None
    entry_is_free: bool

    def current_argument(self) -> int | None:
        """The number of ``current`` among the arguments of the loop's body, if it is one."""
        arguments = list(self.loop.body.arguments)
        return arguments.index(self.current) if self.current in arguments else None

    def moved_to(self, loop: ir.Operation, current: int | None) -> FullPlan:
        """The plan for ``loop``, which has taken the old loop's body over; ``current`` is
        current_argument from before."""
        found = next(x for x in find_staged_loops(self.loop.kernel) if x.loop == loop)
        slot = self.current if current is None else found.body.arguments[current]
        return replace(self, loop=found, current=slot)

    def following(self) -> ir.Value:
        """The slot of the next iteration, at the insertion point, the end of the body."""
        number = self.current_argument()
        if number:
            return self.loop.top[-1].operands[number - 1]
        return arith.remui(arith.addi(self.current, build.index(1)), build.index(self.stages))

    def fill_place(self) -> ir.Operation | None:
        """Where the fills can be asked for before the current slot is waited for; None: they
        stay behind the reads."""
        top = self.loop.top
        first = min(self.loop.index(op) for op in self.loop.reads)
        last = max(self.loop.index(fill.operation) for fill in self.fills)
        between = [op for op in top[first:last] if op.name in _PUBLISHING]
        if between and self.ahead:
            return None
        waits = [op for op in top[:first] if op.name == "tile.wait_barrier"]
        return waits[-1] if waits and last > top.index(waits[-1]) else None

    def waits(self) -> list[ir.Operation]:
        """The waits for copies in the body that only these fills, and the others, need."""
        return [op for op in walk(self.loop.body) if is_wait(op, "copy")]

    def publication(self) -> list[ir.Operation]:
        """The hand-off between fills and reads of one iteration, but for its waits for copies."""
        if self.ahead:
            return []
        first = min(self.loop.index(op) for op in self.loop.reads)
        hand_off = next(h for h in _kept(self.loop) if self.loop.index(h.wait) < first)
        return [op for op in hand_off.ops if not is_wait(op, "copy")]


def _kept(loop: StagedLoop) -> Iterator[HandOff]:
    """Hand-offs at which waves arrive and wait."""
    return (h for h in loop.hand_offs if h.arrive is not None)


def full_plan(loop: StagedLoop, rings: list[ir.Value], engine: str) -> FullPlan:
    """How ``loop``'s fills of ``rings`` go to ``engine``; raises PassError where they cannot."""
    fills = tuple(c for c in loop.fills if c.dst in rings)
    before = [c for c in loop.prologue if c.dst in rings]
    _check_places(loop, fills, before)
    current, start, stages = _current(loop, fills)
    others = _others(loop, rings)
    ahead = _ahead(loop, fills, others)
    prologue: dict[int, list[CopyLike]] = {}
    for fill in before:
        prologue.setdefault((_fixed(fill, stages) - start) % stages, []).append(fill)
    waves = reaching_waves(loop.kernel, loop.loop)
    if not waves or waves[0] != 0:
        raise PassError(loop.loop, "the wave that asks the engine does not come to this loop")
    entry = [c for c in loop.prologue if c.dst not in rings]
    slots = {(_fixed(c, stages) - start) % stages: c.slot for c in entry}
    pending = max(ahead - 1, 0) * _others_of_stage(entry, others, ahead)
    told = [slot for number, slot in slots.items() if not (pending and number)]
    return FullPlan(
        loop, engine, fills, prologue, tuple(others), tuple(told), pending, ahead, current, start,
        stages, 1 + (len(waves) if others else 0), _predicate(fills), _entry_is_free(loop),
    )  # fmt: skip


def _others_of_stage(entry: list[CopyLike], others: list[CopyLike], ahead: int) -> int:
    """Copies of a stage that every wave counts, if before the loop, too, all stages have them."""
    steady = len(entry) == ahead * len(others) and all(map(is_plain, (*entry, *others)))
    return stage_copies(others) if others and steady else 0


def _check_places(loop: StagedLoop, fills: tuple[CopyLike, ...], before: list[CopyLike]) -> None:
    outer = [around for around in ancestors(loop.loop) if around.name == "scf.for"]
    if outer:
        raise PassError(
            loop.loop,
            "a loop inside another would count its phases anew each time; run persistent behind"
            " copy-engine",
            [(outer[0].location, "the other loop")],
        )
    for fill, block in [*((f, loop.body) for f in fills), *((f, loop.loop.block) for f in before)]:
        if fill.operation.block != block:
            raise PassError(fill, "an engine's bytes cannot be expected under a condition")
    for ring in {fill.dst for fill in fills}:
        for op in other_reads(loop, ring):
            raise PassError(
                op, "reads a ring outside of the loop that fills it: no phase to wait for there"
            )


def _current(loop: StagedLoop, fills: tuple[CopyLike, ...]) -> tuple[ir.Value, int, int]:
    """The slot that the loop reads, the number that it starts as, and the stages of the rings."""
    rings = [LdsType.of(ring.results[0].type) for ring in loop.rings]
    stages = {ring.stages for ring in rings if ring is not None}
    if len(stages) > 1:
        raise PassError(loop.loop, f"rings of different numbers of stages: {sorted(stages)}")
    count = stages.pop()
    values = [v for r in loop.rings for op in loop.reads for v in slots_read(op, r.results[0])]
    slots = [slot_of(v, count) for v in values]
    for op, slot in zip(loop.reads, slots, strict=False):
        if not slot.must_equal(slots[0]):
            raise PassError(
                op,
                "reads another stage than the reads before it: one wait for a phase does not cover"
                " both; run register-pipeline without carry",
            )
    return values[0], _start(loop, slots[0]), count


def _start(loop: StagedLoop, slot: Slot) -> int:
    """The number of ``slot`` in the first iteration."""
    if slot.base is None:
        return slot.offset
    arguments = list(loop.body.arguments)
    if slot.base in arguments[1:]:
        first = constant(loop.loop.operands[2 + arguments.index(slot.base)])
        if first is not None:
            return (first + slot.offset) % slot.stages
    raise PassError(loop.loop, "cannot tell at which stage this loop starts to read")


def _others(loop: StagedLoop, rings: list[ir.Value]) -> list[CopyLike]:
    """The body's other copies, which waves go on waiting for."""
    others = [c for c in lds_fills(loop.body) if c.dst not in rings]
    held = [ring.results[0] for ring in loop.rings]
    for copy in others:
        if copy.dst not in held or copy.operation.block != loop.body:
            raise PassError(copy, "another copy in the loop: waits for it would tell nothing more")
    return others


def _ahead(loop: StagedLoop, fills: tuple[CopyLike, ...], others: list[CopyLike]) -> int:
    """The distance of all fills to their reads."""
    found = {loop.ahead(c) for c in (*fills, *others)}
    distance = found.pop()
    if found or distance is None:
        raise PassError(
            fills[0], "the slots do not tell which iteration reads what this copy brings"
        )
    if distance and not all(may_skip(loop, fill) for fill in fills):
        raise PassError(fills[0], "the last copies of the loop would never be waited for")
    if others:
        _check_drain(loop, others)
    return distance


def _check_drain(loop: StagedLoop, others: list[CopyLike]) -> None:
    """The others' waves wait for all their copies, behind the last, before a hand-off."""
    behind = loop.top[max(loop.index(c.operation) for c in others) :]
    if not any(is_wait(op, "copy") for op in behind):
        raise PassError(others[-1], "no wait for this copy behind it, before the next iteration")


def _fixed(fill: CopyLike, stages: int) -> int:
    slot = slot_of(fill.slot, stages)
    if slot.base is not None:
        raise PassError(fill, "cannot tell which stage this copy fills before the loop")
    return slot.offset


def _predicate(fills: tuple[CopyLike, ...]) -> ir.Value | None:
    """The predicate that all of ``fills`` have; None for none. PassError if they differ."""
    found: list[ir.Value | None] = []
    for fill in fills:
        predicate = fill.segment(7) if fill.operation.name == "tile.copy_async" else None
        if fill.operation.name == "tile.copy" and len(fill.operation.operands) > 7:
            predicate = fill.operation.operands[7]
        found.append(predicate)
    plain = [p is None for p in found]
    if all(plain):
        return None
    if any(plain) or any(p != found[0] for p in found):
        raise PassError(fills[0], "the copies of one stage have different predicates")
    return found[0]


def _entry_is_free(loop: StagedLoop) -> bool:
    """Whether only the prologue's fills touch LDS before the loop."""
    known = [c.operation for c in loop.prologue]
    for op in walk(loop.kernel.body):
        if op == loop.loop:
            return True
        touches = op.name not in SYNC and op.name.startswith("tile.") and op.name != "tile.alloc"
        if touches and op not in known and any(LdsType.of(v.type) is not None for v in op.operands):
            return False
    return True
