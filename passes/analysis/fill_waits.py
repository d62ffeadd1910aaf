"""How many copies may be under way when a pipelined loop hands a stage over."""

from __future__ import annotations

from collections import Counter

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import CopyAsyncOp, CopyLike
from gemm_ladder.passes.analysis.kernel import constant, ops_named
from gemm_ladder.passes.analysis.staged_loop import StagedLoop, is_wait


def settle_waits(loop: StagedLoop) -> bool:
    """Have ``loop`` wait for the copies of the stage that it reads next, and for no later ones.

    That needs the same copies in every iteration and wave, so that their number tells which are
    over; where that is not known, all are waited for. Returns whether some may stay under way; the
    loop is then followed by a wait for the last ones.
    """
    entry = [op for hand_off in loop.entry for op in hand_off.waits("copy")]
    waits = [op for op in ops_named(loop.body, "tile.wait") if is_wait(op, "copy")]
    pending = _pending(loop, entry, waits)
    for op in (*entry, *waits):
        set_pending(op, pending)
    if pending:
        drain_behind(loop)
    return pending > 0


def stage_copies(fills: list[CopyLike]) -> int:
    """Copies of one stage that the wave with the fewest of them counts; 0 if engines differ."""
    ops = [f.operation for f in fills]
    if any(op.name != "tile.copy_async" for op in ops):
        return 0
    found = [CopyAsyncOp(op) for op in ops]
    if len({f.str_attr("engine") for f in found}) != 1 or any(f.completes for f in found):
        return 0
    counts = Counter(f.issuer for f in found)
    return counts[None] or min(counts.values())


def _pending(loop: StagedLoop, entry: list[ir.Operation], waits: list[ir.Operation]) -> int:
    fills = list(loop.fills)
    ahead = {loop.ahead(fill) for fill in fills}
    distance = ahead.pop()
    copies = ops_named(loop.body, "tile.copy", "tile.copy_async")
    steady = not ahead and len(copies) == len(fills) and all(map(is_plain, fills))
    if not distance or distance < 2 or not steady or len(waits) != 1 or len(entry) != 1:
        return 0
    if any(fill.operation.block != loop.body for fill in fills) or waits[0].block != loop.body:
        return 0
    if max(loop.index(fill.operation) for fill in fills) > loop.index(waits[0]):
        return 0
    return (distance - 1) * stage_copies(fills) if _in_order(loop, distance) else 0


def is_plain(fill: CopyLike) -> bool:
    """Whether a wave that comes to ``fill`` always makes it."""
    return (
        fill.operation.name == "tile.copy_async" and CopyAsyncOp(fill.operation).predicate is None
    )


def _in_order(loop: StagedLoop, distance: int) -> bool:
    """Whether the prologue is the loop's fills of ``distance`` stages, one stage after another."""
    rings = [fill.dst for fill in loop.fills]
    if any(fill.operation.block != loop.loop.block for fill in loop.prologue):
        return False
    if not all(map(is_plain, loop.prologue)) or len(loop.prologue) != distance * len(rings):
        return False
    stages = []
    for first in range(0, len(loop.prologue), len(rings)):
        group = loop.prologue[first : first + len(rings)]
        slots = {constant(fill.slot) for fill in group}
        stage = slots.pop()
        if slots or stage is None or {fill.dst for fill in group} != set(rings):
            return False
        stages.append(stage)
    return stages == sorted(stages)


def set_pending(op: ir.Operation, pending: int) -> None:
    """Let tile.wait ``op`` leave ``pending`` ops under way."""
    i64 = ir.IntegerType.get_signless(64)
    op.attributes["pending"] = ir.IntegerAttr.get(i64, pending)


def drain_behind(loop: StagedLoop) -> None:
    """Wait for the last copies behind the loop: nobody reads them, but LDS may be used again."""
    ops = [view.operation for view in loop.loop.block.operations]
    behind = ops[ops.index(loop.loop) + 1]
    if not is_wait(behind, "copy"):
        with ir.InsertionPoint(behind), build.unnamed(loop.loop.location):
            build.wait("copy")
