"""The order of a loop whose fills run beside the waves: reads, fills, drain, products, hand-off.

Before: fill(next); load(current); mma; wait lds; wait copy; arrive; wait_barrier
After:  load(current); fill(next); wait lds; mma; wait copy; fence; arrive; wait_barrier; fence
"""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.passes.analysis.staged_loop import SYNC, HandOff, StagedLoop, is_drain


def order_fills(loop: StagedLoop) -> None:
    """Bring ``loop`` into that order, as far as its ops allow it."""
    place = _behind_reads(loop)
    if place is not None:
        _move_fills(loop, place)
    _drain_before_products(loop)
    for hand_off in (*loop.entry, *loop.hand_offs):
        if hand_off.waits("copy"):
            fence(hand_off)


def _behind_reads(loop: StagedLoop) -> ir.Operation | None:
    """The op behind the loads of the first product's operands, and the groups that those form.

    None where that product has its operands from elsewhere: a register pipeline has placed the
    fills, or an engine reads LDS itself.
    """
    top = loop.top
    first = next((op for op in top if op.name == "tile.mma"), None)
    used = [] if first is None else list(first.operands)
    reads = [op for op in loop.reads if op.name == "tile.load" and op.block == loop.body]
    fed = [top.index(op) for op in reads if first is None or op.results[0] in used]
    if not fed:
        return None
    behind = max(fed) + 1
    while top[behind].name == "tile.sched_group":
        behind += 1
    return top[behind]


def _move_fills(loop: StagedLoop, place: ir.Operation) -> None:
    """Move the engines' fills down to ``place``, unless something orders the reads behind them."""
    for fill in loop.fills:
        top = loop.top
        own, target = loop.index(fill.operation), top.index(place)
        ordered = any(op.name in SYNC for op in top[own:target])
        if fill.operation.name == "tile.copy_async" and own < target and not ordered:
            loop.within(fill.operation).move_before(place)


def _drain_before_products(loop: StagedLoop) -> None:
    """Wait for the reads once they are all under way, before the products behind the last one."""
    top = loop.top
    last = max(loop.index(op) for op in loop.reads)
    if top[last].name != "tile.load":
        return
    behind = top[last + 1 :]
    drains = [op for op in behind if is_drain(op, "lds")]
    products = [op for op in behind if op.name == "tile.mma"]
    if not drains or not products or top[last].results[0] not in list(products[0].operands):
        return
    if top.index(products[0]) < top.index(drains[0]):
        drains[0].move_before(products[0])


def fence(hand_off: HandOff) -> None:
    """Keep everything on its side of ``hand_off``: a tile.sched_fence before and behind it."""
    first = hand_off.arrive if hand_off.arrive is not None else hand_off.wait
    at = build.unnamed(first.location)
    with at:
        if not _is_fence(_neighbour(first, -1)):
            with ir.InsertionPoint(first):
                build.sched_fence()
        behind = _neighbour(hand_off.wait, 1)
        if not _is_fence(behind):
            with ir.InsertionPoint(behind):
                build.sched_fence()


def _neighbour(op: ir.Operation, step: int) -> ir.Operation:
    ops = [view.operation for view in op.block.operations]
    return ops[max(0, ops.index(op) + step)]


def _is_fence(op: ir.Operation) -> bool:
    return bool(op.name == "tile.sched_fence")
