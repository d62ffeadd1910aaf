"""Output staged in LDS inside a loop over tiles: ordered behind the tile before, yet late."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import BarrierCreateOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import defining, walk
from gemm_ladder.passes.analysis.staged_loop import is_drain
from gemm_ladder.passes.base import PassError

_WAITS = ("tile.wait_barrier", "tile.barrier")


def overlap_epilogue(loop: ir.Operation) -> None:
    """Let what ``loop`` stages in LDS leave under the next tile's products.

    The first write of a tile's staging stands behind a barrier at which all waves have read, and
    the engine has sent, what the tile before left there; waits for the engine at the tile's end go
    behind the loop. Raises PassError where no barrier of the waves is known.
    """
    body = loop.regions[0].blocks[0]
    top = [view.operation for view in body.operations]
    first = next((op for op in top if _writes_lds(op)), None)
    if first is None:
        return
    at = build.unnamed(first.location)
    place = top.index(first)
    behind = max((i for i, op in enumerate(top[:place]) if op.name == "scf.for"), default=-1) + 1
    barrier = next((op for op in top[behind:place] if _is_hardware(op)), None)
    before = top[behind:place]
    point = first if barrier is None else _arrival(before, barrier)
    with ir.InsertionPoint(point), at:
        for kind in ("lds", "copy"):
            if not any(is_drain(op, kind) for op in before[: _position(before, point)]):
                build.wait(kind)
        if barrier is None:
            build.barrier(_barrier_of(top[place:], first))
    _defer_waits(loop, top[place:], at)


def _position(ops: list[ir.Operation], op: ir.Operation) -> int:
    return ops.index(op) if op in ops else len(ops)


def _writes_lds(op: ir.Operation) -> bool:
    inner = [op, *(x for region in op.regions for block in region.blocks for x in walk(block))]
    stores = [x for x in inner if x.name == "tile.store"]
    return op.name != "scf.for" and any(LdsType.of(x.operands[1].type) is not None for x in stores)


def _is_hardware(op: ir.Operation) -> bool:
    if op.name not in _WAITS:
        return False
    made = defining(op.operands[0])
    return made is not None and BarrierCreateOp(made).str_attr("kind") == "hw"


def _arrival(ops: list[ir.Operation], barrier: ir.Operation) -> ir.Operation:
    """Where waves arrive at ``barrier``: itself, or the arrive before it."""
    arrives = [op for op in ops if op.name == "tile.arrive"]
    own = [op for op in arrives if op.operands[0] == barrier.operands[0]]
    return own[0] if own else barrier


def _barrier_of(ops: list[ir.Operation], first: ir.Operation) -> ir.Value:
    for op in ops:
        if _is_hardware(op):
            return op.operands[0]
    raise PassError(first, "staged in LDS with no barrier of the waves behind it")


def _defer_waits(loop: ir.Operation, ops: list[ir.Operation], at: ir.Location) -> None:
    """Move the waits for the engine that end a tile behind ``loop``."""
    copies = [i for i, op in enumerate(ops) if _copies_out(op)]
    if not copies:
        return
    found = False
    for op in ops[copies[-1] :]:
        inner = [op, *(x for region in op.regions for block in region.blocks for x in walk(block))]
        for wait in [x for x in inner if is_drain(x, "copy")]:
            wait.erase()
            found = True
    if found:
        with ir.InsertionPoint.after(loop), at:
            build.wait("copy")


def _copies_out(op: ir.Operation) -> bool:
    inner = [op, *(x for region in op.regions for block in region.blocks for x in walk(block))]
    return any(
        x.name == "tile.copy_async" and LdsType.of(x.operands[0].type) is not None for x in inner
    )
