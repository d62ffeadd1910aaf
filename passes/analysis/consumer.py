"""The consumers' loop: wait until a stage is full, read it, hand it back."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, scf

from gemm_ladder.dialect_defs import build, build_sync
from gemm_ladder.passes.analysis.coords import erase_unused
from gemm_ladder.passes.analysis.kernel import ops_named, walk
from gemm_ladder.passes.analysis.producer import Barriers, Stage
from gemm_ladder.passes.analysis.role_plan import RolePlan
from gemm_ladder.passes.analysis.staged_loop import is_drain, is_wait

_HANDS_OVER = ("tile.arrive", "tile.wait_barrier", "tile.barrier", "tile.fence", "tile.sched_fence")


@dataclass(frozen=True)
class Release:
    """When a stage is handed back: ``lag`` products that read LDS may still run then."""

    bars: Barriers
    peers: ir.Value | None
    lag: int


def rewrite_consumer(plan: RolePlan, release: Release) -> ir.Operation:
    """Turn the loop into the consumers': no fills, no hand-offs but full and empty stages.

    Returns the loop that takes its place; behind it nothing of LDS is in flight.
    """
    lag = release.lag if _in_place(plan) else 0
    last = plan.staged.reads[-1]
    _strip(plan)
    loop = _with_stage(plan, lag > 0)
    top = [view.operation for view in loop.body.operations]
    first = next(op for op in top if op in _holders(plan, loop))
    count = 2 + (lag > 0)
    carried = list(loop.inner_iter_args)[-count:]
    stage = Stage(carried[0], carried[1])
    at = build.unnamed(first.location)
    with ir.InsertionPoint(first), at:
        build_sync.wait_slot(release.bars.full, stage.slot, stage.phase)
    if lag:
        _release_previous(plan, release, loop, carried[2], at)
    else:
        _release_own(release, loop, last, stage, at)
    return loop.operation


def _in_place(plan: RolePlan) -> bool:
    """Whether all reads are products that run on beside the wave."""
    body = plan.staged.body
    return all(op.name == "tile.mma" and op.block == body for op in plan.staged.reads)


def _holders(plan: RolePlan, loop: scf.ForOp) -> list[ir.Operation]:
    """The ops at the top of ``loop`` that read a stage, or hold what does."""
    found = []
    for op in plan.staged.reads:
        while op.block != loop.body:
            op = op.parent.operation
        found.append(op)
    return found


def _strip(plan: RolePlan) -> None:
    """Erase fills, their conditions and every hand-off of the body."""
    for op in list(walk(plan.staged.body)):
        if op.name in _HANDS_OVER or is_wait(op, "copy"):
            op.erase()
    for fill in plan.fills:
        operands = [v for v in fill.copy.operands if plan.peers is None or v != plan.peers]
        fill.copy.operation.erase()
        erase_unused(operands)
    erase_empty_ifs(plan.staged.body)


def erase_empty_ifs(block: ir.Block) -> None:
    """Erase the scf.ifs of ``block`` that do nothing any more, inner ones first."""
    for op in reversed(ops_named(block, "scf.if")):
        inside = [x for region in op.regions for b in region.blocks for x in b.operations]
        work = [x for x in inside if x.operation.name != "scf.yield"]
        if work or len(op.results):
            continue
        condition = [op.operands[0]]
        op.erase()
        erase_unused(condition)


def _with_stage(plan: RolePlan, lagging: bool) -> scf.ForOp:
    """The loop with the stage carried as slot and phase, and the one before where it lags."""
    old, at = plan.staged.loop, build.unnamed(plan.staged.loop.location)
    kept = _kept(plan)
    source = old.regions[0].blocks[0]
    arguments, yielded = list(source.arguments), list(list(source.operations)[-1].operands)
    with ir.InsertionPoint(old), old.location:
        inits = [old.operands[3 + i] for i in kept]
        extra = [build.index(0)] * (3 if lagging else 2)
        loop = scf.ForOp(*list(old.operands)[:3], [*inits, *extra])
    for name in old.attributes:
        loop.operation.attributes[name] = old.attributes[name]
    pairs = [0, *(1 + i for i in kept)]
    for number, i in enumerate(pairs):
        loop.body.arguments[number].set_location(arguments[i].location)
        arguments[i].replace_all_uses_with(loop.body.arguments[number])
    names = ("slot", "phase", "previous")
    carried = list(loop.body.arguments)[len(pairs) :]
    for name, value in zip(names, carried, strict=False):
        value.set_location(build.named(name, at))
    for slot in plan.slots:
        slot.replace_all_uses_with(carried[0])
    for op in list(source.operations)[:-1]:
        loop.body.append(op)
    with ir.InsertionPoint(loop.body), at:
        following = Stage(carried[0], carried[1]).following(plan.stages)
        tail = [following.slot, following.phase, *([carried[0]] if lagging else [])]
        scf.YieldOp([*(yielded[i] for i in kept), *tail])
    for number, i in enumerate(kept):
        old.results[i].replace_all_uses_with(loop.results[number])
    list(source.operations)[-1].operation.erase()
    erase_unused([v for i, v in enumerate(yielded) if i not in kept])
    old.erase()
    return loop


def _kept(plan: RolePlan) -> list[int]:
    """The carried values that something but the count of stages still needs."""
    body, results = plan.staged.body, list(plan.staged.loop.results)
    arguments = list(body.arguments)[1:]
    reached = [_reached(value, list(body.operations)[-1].operation) for value in arguments]
    kept = {
        number
        for number, value in enumerate(arguments)
        if not isinstance(value.type, ir.IndexType)
        or any(True for _ in results[number].uses)
        or (-1 in reached[number] and value not in plan.slots)
    }
    while more := {
        number
        for number, value in enumerate(arguments)
        if number not in kept and reached[number] & kept and value not in plan.slots
    }:
        kept |= more
    return sorted(kept)


def _reached(value: ir.Value, end: ir.Operation) -> set[int]:
    """What ``value`` reaches by arithmetic: operands of the loop's ``end``; -1 is anything else."""
    todo, seen, found = [value], [], set()
    while todo:
        for use in todo.pop().uses:
            op = use.owner.operation
            if op == end:
                found.add(int(use.operand_number))
            elif not op.name.startswith("arith."):
                found.add(-1)
            elif op not in seen:
                seen.append(op)
                todo += list(op.results)
    return found


def _release_previous(
    plan: RolePlan, release: Release, loop: scf.ForOp, previous: ir.Value, at: ir.Location
) -> None:
    """Hand the stage before back when only this iteration's products still run."""
    last = _holders(plan, loop)[-1]
    top = [view.operation for view in loop.body.operations]
    for op in top[top.index(last) :]:
        if is_wait(op, "lds"):
            op.erase()
    with ir.InsertionPoint.after(last), at:
        build.wait("lds", pending=len(plan.staged.reads))
        low = loop.operation.operands[0]
        later = arith.cmpi(arith.CmpIPredicate.ugt, loop.induction_variable, low)
        branch = scf.IfOp(later, [])
        with ir.InsertionPoint(branch.then_block):
            build_sync.arrive_slot(release.bars.empty, previous, release.peers)
            scf.YieldOp([])
    outside = [view.operation for view in loop.operation.block.operations]
    behind = outside[outside.index(loop.operation) + 1]
    if not is_drain(behind, "lds"):
        with ir.InsertionPoint(behind), at:
            behind = build.wait("lds")
    if plan.trips:
        with ir.InsertionPoint.after(behind), at:
            build_sync.arrive_slot(release.bars.empty, loop.results[-1], release.peers)


def _release_own(
    release: Release, loop: scf.ForOp, last: ir.Operation, stage: Stage, at: ir.Location
) -> None:
    """Hand the stage back behind the wait for its last read."""
    while last.block != loop.body:
        last = last.parent.operation
    top = [view.operation for view in loop.body.operations]
    behind = top[top.index(last) + 1 :]
    drain = next((op for op in behind if is_drain(op, "lds")), None)
    if drain is None:
        with ir.InsertionPoint.after(last), at:
            drain = build.wait("lds")
    with ir.InsertionPoint.after(drain), at:
        build_sync.arrive_slot(release.bars.empty, stage.slot, release.peers)
