"""Stages handed back by an `empty` mbarrier a slot, for fills that an engine completes.

Only the wave that posts a fill waits for the readers of that slot; no wave waits for all others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mlir import ir
from mlir.dialects import arith, gpu, scf

from gemm_ladder.dialect_defs import build, build_sync
from gemm_ladder.dialect_defs.tile import CopyAsyncOp, TileOp
from gemm_ladder.passes.analysis.coords import hoist
from gemm_ladder.passes.analysis.hand_off import ProductHandOff, reads_lds, scope_of
from gemm_ladder.passes.analysis.iteration import with_carried, yield_also
from gemm_ladder.passes.analysis.kernel import Kernel, constant
from gemm_ladder.passes.analysis.staged_loop import StagedLoop, find_staged_loops, slots_read
from gemm_ladder.passes.analysis.waits import accesses_lds


@dataclass(frozen=True)
class Stages:
    """A loop that reads slot ``current`` and fills slot ``filled``, ``ahead`` iterations early.

    All fills complete mbarriers, so that its hw barrier does nothing but hand slots back.
    """

    staged: StagedLoop
    current: ir.Value
    filled: ir.Value
    ahead: int
    count: int

    @property
    def lags(self) -> bool:
        """Whether products read LDS beside the wave and the fill takes the slot before theirs."""
        in_place = all(op.name == "tile.mma" for op in self.staged.reads)
        return in_place and self.ahead == self.count - 1

    @property
    def first_phase(self) -> int:
        """The phase to wait for before the first fill: 1 is the one before a new barrier's first.

        A loop that lags arrives for a product before its first, too.
        """
        return 0 if self.lags else 1

    @property
    def last_of_phase(self) -> int:
        """The slot with whose fill a phase ends; the next waits for the other parity."""
        return (self.count - 1 - self.lags) % self.count


def find_stages(kernel: Kernel, hand_off: ProductHandOff) -> Stages | None:
    """The stages of ``hand_off``'s loop if mbarriers can hand them back, else None."""
    if not kernel.target.has("mbarrier") or hand_off.next_loads():
        return None
    scopes = [scope_of(op) for op in hand_off.before if op.name == "tile.arrive"]
    staged = [s for s in find_staged_loops(kernel) if s.body == hand_off.block]
    if set(scopes) != {"workgroup"} or not staged:
        return None
    return _stages(staged[0])


def _stages(staged: StagedLoop) -> Stages | None:
    counts = {ring.lds.stages for ring in staged.rings}
    reads = _unique(
        [v for op in staged.reads for r in staged.rings for v in slots_read(op, r.results[0])]
    )
    fills = _unique([fill.slot for fill in staged.fills])
    if not all(_completes(fill.operation) for fill in staged.fills):
        return None
    if len(counts) != 1 or len(reads) != 1 or len(fills) != 1:
        return None
    found = [staged.distances(fill) for fill in staged.fills]
    ahead = {d for distances in found for _, d in distances or [(None, 0)]}
    (count,) = counts
    if len(ahead) != 1 or not 0 < min(ahead) < count or not _starts_at_zero(staged, min(ahead)):
        return None
    return Stages(staged, reads[0], fills[0], min(ahead), count)


def _unique(values: list[ir.Value]) -> list[ir.Value]:
    found: list[ir.Value] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


def _completes(op: ir.Operation) -> bool:
    return bool(op.name == "tile.copy_async" and CopyAsyncOp(op).completes is not None)


def _starts_at_zero(staged: StagedLoop, ahead: int) -> bool:
    """Whether the way in fills none but the first ``ahead`` slots, so that the others are free."""
    slots = {constant(copy.slot) for copy in staged.prologue}
    return slots <= set(range(ahead))


def hand_back(kernel: Kernel, stages: Stages, hand_off: ProductHandOff, rest: ir.Operation) -> None:
    """Replace ``hand_off`` by arrivals at `empty` and by waits of the wave that fills.

    A wave arrives in front of ``rest``, which needs no LDS any more; where products read LDS beside
    the wave, behind the product, for the stage of the product before it.
    """
    at = build.unnamed(hand_off.before[-1].location)
    with kernel.head(), at, build.named("empty", at):
        empty = build_sync.mbarrier(stages.count, kernel.waves(), "empty")
    read = stages.staged.reads[0]
    rings = [ring.results[0] for ring in stages.staged.rings]
    holders = _unique_ops([stages.staged.within(f.operation) for f in stages.staged.fills])
    first = build.named("free", at)
    with ir.InsertionPoint(stages.staged.loop), at:
        loop = with_carried(stages.staged.loop, [build.index(stages.first_phase)], [first])
    # Arguments of the old loop's body are gone: ask the ops again.
    current = next(v for ring in rings for v in slots_read(read, ring))
    filled = stages.staged.fills[0].slot
    stages = replace(stages, current=current, filled=filled)
    phase = list(loop.regions[0].blocks[0].arguments)[-1]
    _erase_sync(hand_off)
    if stages.lags:
        _arrive_behind(stages, empty, loop, holders, hand_off.mma.operation)
    else:
        in_place = rest == hand_off.mma.operation and reads_lds(rest)
        with ir.InsertionPoint.after(rest) if in_place else ir.InsertionPoint(rest), at:
            build.wait("lds")
            build_sync.arrive_slot(empty, stages.current)
    _wait_before_fills(kernel, stages, empty, phase)
    with ir.InsertionPoint.at_block_terminator(loop.regions[0].blocks[0]), at:
        yield_also(loop, [_next_phase(stages, phase)])


def _unique_ops(ops: list[ir.Operation]) -> list[ir.Operation]:
    found: list[ir.Operation] = []
    for op in ops:
        if op not in found:
            found.append(op)
    return found


def _erase_sync(hand_off: ProductHandOff) -> None:
    """Erase the hw barrier's hand-off, its fences and the waits for reads."""
    for op in (*hand_off.before, *hand_off.behind):
        copies = op.name == "tile.wait" and TileOp(op).str_attr("kind") != "lds"
        if op.name.startswith("tile.") and op.name in _SYNC and not copies:
            op.erase()


_SYNC = ("tile.wait", "tile.arrive", "tile.wait_barrier", "tile.sched_fence")


def _arrive_behind(
    stages: Stages,
    empty: ir.Value,
    loop: ir.Operation,
    holders: list[ir.Operation],
    mma: ir.Operation,
) -> None:
    """Behind ``mma``: wait for the product before it, hand its slot back, then fill that slot."""
    body = loop.regions[0].blocks[0]
    ops = [view.operation for view in body.operations]
    mine = sum(accesses_lds(op) for op in ops)
    place = ops[ops.index(mma) + 1]
    at = build.unnamed(mma.location)
    with ir.InsertionPoint(place), at:
        build.wait("lds", mine)
        build_sync.arrive_slot(empty, stages.filled)
    for holder in holders:
        holder.move_before(place)
    with ir.InsertionPoint.after(loop), at:
        build.wait("lds")


def _wait_before_fills(kernel: Kernel, stages: Stages, empty: ir.Value, phase: ir.Value) -> None:
    """In each block with fills: its wave alone waits until the slot is free, then posts them."""
    todo = [fill.operation for fill in stages.staged.fills]
    while todo:
        block = todo[0].block
        full = [CopyAsyncOp(op).completes for op in todo if op.block == block]
        bars = [bar for bar, _ in (f for f in full if f is not None)]
        posted = [v.operation for v in block.operations if _posts(v.operation, todo, bars)]
        todo = [op for op in todo if op.block != block]
        _guard(kernel, stages, posted, empty, phase)


def _posts(op: ir.Operation, fills: list[ir.Operation], bars: list[ir.Value]) -> bool:
    return op in fills or (op.name == "tile.arrive" and op.operands[0] in bars)


def _guard(
    kernel: Kernel, stages: Stages, posted: list[ir.Operation], empty: ir.Value, phase: ir.Value
) -> None:
    issuers = {TileOp(op).int_attr("issuer", -1) for op in posted}
    at = build.unnamed(posted[0].location)
    with ir.InsertionPoint(posted[0]), at:
        if len(issuers) != 1 or -1 in issuers:
            build_sync.wait_slot(empty, stages.filled, phase)
            return
        wave, number = _wave(kernel), build.index(min(issuers))
        branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, wave, number), [])
        with ir.InsertionPoint(branch.then_block):
            build_sync.wait_slot(empty, stages.filled, phase)
            end = scf.YieldOp([])
    for op in posted:
        for operand in op.operands:
            hoist(operand, branch.operation)
        op.move_before(end.operation)


def _wave(kernel: Kernel) -> ir.Value:
    """The wave's number, made at the kernel's head if it is not there."""
    for view in kernel.body.operations:
        if view.operation.name == "gpu.subgroup_id":
            return view.operation.results[0]
    with kernel.head(), build.named("wave", ir.Location.current):
        return gpu.subgroup_id()


def _next_phase(stages: Stages, phase: ir.Value) -> ir.Value:
    """The phase flips when the slots have been round once."""
    last = build.index(stages.last_of_phase)
    wraps = arith.cmpi(arith.CmpIPredicate.eq, stages.filled, last)
    flipped = arith.subi(build.index(1), phase)
    with build.named("free", ir.Location.current):
        return arith.select(wraps, flipped, phase)
