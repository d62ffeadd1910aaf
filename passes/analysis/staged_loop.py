"""Loops that fill stages of LDS rings and read them: fills, reads, hand-offs, the way in.

Nothing is required of the order or the number of stages: a loop over a single stage publishes what
it has filled in the same iteration, a pipelined one reads what an earlier iteration, or the way in,
has filled. What a pass needs beyond that, it checks itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import AllocOp, CopyLike, WaitOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import Kernel, ancestors, ops_named, walk
from gemm_ladder.passes.analysis.slots import Slot, next_iteration, slot_of

# Ops that order accesses of LDS, and nothing else.
SYNC = (
    "tile.wait",
    "tile.fence",
    "tile.sched_fence",
    "tile.arrive",
    "tile.wait_barrier",
    "tile.barrier",
)
_COPIES = ("tile.copy", "tile.copy_async")


@dataclass(frozen=True)
class HandOff:
    """Where waves hand LDS over: an ``arrive`` and a ``wait`` at one barrier, in one block.

    They are one op for tile.barrier; ``arrive`` is None where only the wait is in the block (what
    an engine completes). ``before`` are the sync ops right before the arrive, ``after`` those right
    behind the wait, up to the next hand-off.
    """

    arrive: ir.Operation | None
    wait: ir.Operation
    before: tuple[ir.Operation, ...]
    after: tuple[ir.Operation, ...]

    @property
    def bar(self) -> ir.Value:
        """The barrier."""
        return self.wait.operands[0]

    @property
    def ops(self) -> list[ir.Operation]:
        """All of it, in program order."""
        ends = [self.wait]
        if self.arrive is not None and self.arrive != self.wait:
            ends.insert(0, self.arrive)
        return [*self.before, *ends, *self.after]

    def waits(self, kind: str) -> list[ir.Operation]:
        """The tile.waits for ``kind`` right before the arrival."""
        return [op for op in self.before if is_wait(op, kind)]


@dataclass(frozen=True)
class StagedLoop:
    """An scf.for that both fills ``rings`` (tile.alloc ops) and reads them.

    ``fills`` are the copies into them in its body, ``reads`` the loads, and products with LDS
    operands; both may be nested in scf.if, reads in inner loops, too. ``prologue`` are the copies
    into these rings before the loop, ``entry`` the hand-offs between the first of those and the
    loop, in the loop's block; ``hand_offs`` those at the top level of the body.
    """

    kernel: Kernel
    loop: ir.Operation
    rings: tuple[AllocOp, ...]
    fills: tuple[CopyLike, ...]
    reads: tuple[ir.Operation, ...]
    prologue: tuple[CopyLike, ...]
    entry: tuple[HandOff, ...]
    hand_offs: tuple[HandOff, ...]

    @property
    def body(self) -> ir.Block:
        """The loop's body."""
        return self.loop.regions[0].blocks[0]

    @property
    def top(self) -> list[ir.Operation]:
        """The ops of the body, in order."""
        return [view.operation for view in self.body.operations]

    @property
    def induction(self) -> ir.Value:
        """The induction variable."""
        return self.body.arguments[0]

    def within(self, op: ir.Operation) -> ir.Operation:
        """The op at the top level of the body that ``op`` is, or is nested in."""
        return next(own for own in (op, *ancestors(op)) if own.block == self.body)

    def index(self, op: ir.Operation) -> int:
        """Where ``op``, or what it is nested in, stands in the body."""
        return self.top.index(self.within(op))

    def ahead(self, fill: CopyLike) -> int | None:
        """How many iterations later what ``fill`` brings is read for the last time, 0 in its own.

        None where the slots do not tell: no relation, or a loop that does not move on by one.
        """
        found = self.distances(fill)
        return max(distance for _, distance in found) if found else None

    def distances(self, fill: CopyLike) -> list[tuple[ir.Operation, int]] | None:
        """The reads of ``fill``'s ring, each with how many iterations later it finds the data."""
        lds = LdsType.of(fill.dst.type)
        assert lds is not None
        filled, found = slot_of(fill.slot, lds.stages), []
        later = next_iteration(filled, self.loop)
        if lds.stages > 1 and not later.must_equal(filled.shifted(filled.base, -1)):
            return None
        for op, slot in self._read_slots(fill.dst, lds.stages):
            if filled.unknown or slot.unknown or not filled.same_base(slot):
                return None
            distance = (filled.offset - slot.offset) % lds.stages
            behind = distance == 0 and self.index(fill.operation) > self.index(op)
            found.append((op, lds.stages if behind else distance))
        return found

    def _read_slots(self, ring: ir.Value, stages: int) -> Iterator[tuple[ir.Operation, Slot]]:
        for op in self.reads:
            for value in slots_read(op, ring):
                yield op, slot_of(value, stages)


def find_staged_loops(kernel: Kernel) -> list[StagedLoop]:
    """Every loop of ``kernel`` that fills LDS rings and reads them, outer ones first."""
    loops = (_staged(kernel, loop) for loop in ops_named(kernel.body, "scf.for"))
    return [found for found in loops if found is not None]


def is_wait(op: ir.Operation, kind: str) -> bool:
    """Whether ``op`` is a tile.wait of ``kind``."""
    return op.name == "tile.wait" and WaitOp(op).str_attr("kind") == kind


def is_drain(op: ir.Operation, kind: str) -> bool:
    """Whether ``op`` waits for all ops of ``kind``."""
    return is_wait(op, kind) and WaitOp(op).int_attr("pending") == 0


def lds_fills(block: ir.Block) -> list[CopyLike]:
    """The copies into LDS in ``block``, nested ones too."""
    copies = [CopyLike(op) for op in ops_named(block, *_COPIES)]
    return [copy for copy in copies if copy.fills_lds]


def slots_read(op: ir.Operation, ring: ir.Value) -> list[ir.Value]:
    """The slots of ``ring`` that ``op`` reads: a load, a product, or a copy out of LDS."""
    operands = list(op.operands)
    if op.name == "tile.load":
        return [operands[1]] if operands[0] == ring else []
    if op.name == "tile.mma":
        held = [v for v in operands[:2] if LdsType.of(v.type) is not None]
        return [operands[3 + 3 * i] for i, v in enumerate(held) if v == ring]
    if op.name in _COPIES and operands[0] == ring:
        return [operands[2]]
    return []


def hand_offs(ops: list[ir.Operation]) -> list[HandOff]:
    """The hand-offs among ``ops``, consecutive ops of one block."""
    found: list[HandOff] = []
    arrived: dict[ir.Value, int] = {}
    taken = 0
    for number, op in enumerate(ops):
        if op.name == "tile.arrive":
            arrived[op.operands[0]] = number
        if op.name not in ("tile.wait_barrier", "tile.barrier"):
            continue
        start = number if op.name == "tile.barrier" else arrived.pop(op.operands[0], None)
        first = number if start is None else start
        low = first
        while low > taken and ops[low - 1].name in ("tile.wait", "tile.fence", "tile.sched_fence"):
            low -= 1
        high = number + 1
        while high < len(ops) and ops[high].name == "tile.sched_fence":
            high += 1
        arrive = None if start is None else ops[start]
        found.append(HandOff(arrive, op, tuple(ops[low:first]), tuple(ops[number + 1 : high])))
        taken = high
    return found


def _staged(kernel: Kernel, loop: ir.Operation) -> StagedLoop | None:
    body = loop.regions[0].blocks[0]
    fills = [c for c in lds_fills(body) if _nearest_loop(c.operation) == loop]
    filled = [c.dst for c in fills]
    reads = [op for op in walk(body) if any(slots_read(op, ring) for ring in filled)]
    rings = [AllocOp(op) for op in kernel_rings(kernel) if op.results[0] in filled]
    rings = [r for r in rings if any(slots_read(op, r.results[0]) for op in reads)]
    held = [r.results[0] for r in rings]
    if not held:
        return None
    before = [c for c in lds_fills(kernel.body) if c.dst in held and precedes(c.operation, loop)]
    fills = [c for c in fills if c.dst in held]
    outside = [view.operation for view in loop.block.operations]
    lead = outside[: outside.index(loop)]
    first = min((_place(lead, c.operation) for c in before), default=len(lead))
    top = [view.operation for view in body.operations]
    return StagedLoop(
        kernel, loop, tuple(rings), tuple(fills), tuple(reads), tuple(before),
        tuple(hand_offs(lead[first:])), tuple(hand_offs(top)),
    )  # fmt: skip


def kernel_rings(kernel: Kernel) -> list[ir.Operation]:
    """The tile.allocs of ``kernel``."""
    return ops_named(kernel.body, "tile.alloc")


def _nearest_loop(op: ir.Operation) -> ir.Operation | None:
    return next((around for around in ancestors(op) if around.name == "scf.for"), None)


def precedes(op: ir.Operation, loop: ir.Operation) -> bool:
    """Whether ``op``, or what holds it beside ``loop`` or what holds the loop, comes before it."""
    chain = [loop, *ancestors(loop)]
    for own in (op, *ancestors(op)):
        if own in chain:
            return False
        beside = [around for around in chain if around.block == own.block]
        if beside:
            return bool(own.is_before_in_block(beside[0]))
    return False


def _place(lead: list[ir.Operation], op: ir.Operation) -> int:
    """The number in ``lead`` of ``op`` or of what holds it; 0 where it comes before all of them."""
    return next((lead.index(o) for o in (op, *ancestors(op)) if o in lead), 0)
