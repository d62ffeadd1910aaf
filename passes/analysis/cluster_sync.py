"""Barriers of a cluster beside the workgroup's hand-offs."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import BarrierCreateOp
from gemm_ladder.passes.analysis.kernel import Kernel, defining, walk
from gemm_ladder.passes.analysis.staged_loop import SYNC, HandOff, StagedLoop

_COPIES = ("tile.copy", "tile.copy_async")


def cluster_barrier(kernel: Kernel, workgroups: int) -> ir.Value:
    """A barrier of the cluster's ``workgroups``."""
    with kernel.head(), build.named("cluster", build.unnamed(kernel.func.location)):
        return build.barrier_create(workgroups, scope="cluster")


def keep_in_step(bar: ir.Value, loops: list[StagedLoop]) -> None:
    """Have a cluster's workgroups wait for each other before each K loop and once an iteration.

    Wave 0 signals for its workgroup, right behind its own signal to the other waves; all wait, in
    an iteration as late as the next fill allows.
    """
    for loop in loops:
        for hand_off in [h for h in loop.entry if _of_workgroup(h)][-1:]:
            _signal(bar, hand_off)
            place = _behind(hand_off.wait, skip="tile.arrive")
            with place, build.unnamed(hand_off.wait.location):
                build.wait_barrier(bar)
        for hand_off in [h for h in loop.hand_offs if _of_workgroup(h)][-1:]:
            _signal(bar, hand_off)
            _wait_late(bar, loop, hand_off)


def sync_behind(bar: ir.Value, loops: list[StagedLoop]) -> None:
    """Have a cluster's workgroups wait for each other once an iteration, all waves' reads over.

    Wave 0 signals for its workgroup when all its waves have come together.
    """
    for loop in loops:
        for hand_off in [h for h in loop.hand_offs if _of_workgroup(h)][-1:]:
            with _behind(hand_off.wait), build.unnamed(hand_off.wait.location):
                build.arrive(bar, issuer=0)
            _wait_late(bar, loop, hand_off)


def _wait_late(bar: ir.Value, loop: StagedLoop, hand_off: HandOff) -> None:
    place = _last_chance(loop, hand_off)
    with place, build.unnamed(hand_off.wait.location):
        if _holds_products(place):
            build.sched_fence()
        build.wait_barrier(bar)


def _of_workgroup(hand_off: HandOff) -> bool:
    """Whether all waves of the workgroup signal and wait here."""
    op = defining(hand_off.bar)
    if hand_off.arrive is None or op is None or op.name != "tile.barrier_create":
        return False
    bar = BarrierCreateOp(op)
    return (bar.str_attr("kind"), bar.str_attr("scope")) == ("hw", "workgroup")


def _signal(bar: ir.Value, hand_off: HandOff) -> None:
    assert hand_off.arrive is not None
    with _behind(hand_off.arrive), build.unnamed(hand_off.arrive.location):
        build.arrive(bar, issuer=0)


def _behind(op: ir.Operation, skip: str = "") -> ir.InsertionPoint:
    """Right behind ``op``, or behind the op called ``skip`` that follows it."""
    ops = [view.operation for view in op.block.operations]
    place = ops.index(op) + 1
    return ir.InsertionPoint(ops[place + 1 if ops[place].name == skip else place])


def _last_chance(loop: StagedLoop, hand_off: HandOff) -> ir.InsertionPoint:
    """Before the next fill, or at the end of the body; right behind the wait if no work is between.

    The wait orders nothing but fills, so that all other work may go first.
    """
    top = [view.operation for view in loop.body.operations]
    behind = _behind(hand_off.wait, skip="tile.arrive")
    rest = top[top.index(behind.ref_operation.operation) : -1]
    if all(op.name in SYNC for op in rest):
        return behind
    return ir.InsertionPoint(next((op for op in rest if _fills(op)), top[-1]))


def _holds_products(place: ir.InsertionPoint) -> bool:
    """Whether products stand right before ``place``: no scheduler may move them below a wait."""
    ops = [view.operation for view in place.block.operations]
    before = ops[: ops.index(place.ref_operation.operation)]
    return bool(before) and before[-1].name in ("tile.mma", "tile.sched_group")


def _fills(op: ir.Operation) -> bool:
    inner = (x for region in op.regions for block in region.blocks for x in walk(block))
    return any(x.name in _COPIES for x in (op, *inner))
