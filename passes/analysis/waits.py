"""Waits that have nothing to wait for."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyLike
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import walk
from gemm_ladder.passes.analysis.staged_loop import is_drain, is_wait


def accesses_lds(op: ir.Operation) -> bool:
    """Whether a `tile.wait` of kind lds may wait for ``op``, or for an op inside it."""
    inner = [x for region in op.regions for block in region.blocks for x in walk(block)]
    return any(_accesses(x) for x in (op, *inner))


def _accesses(op: ir.Operation) -> bool:
    if op.name in ("tile.load", "tile.store", "tile.mma"):
        return any(LdsType.of(v.type) is not None for v in op.operands)
    return op.name == "tile.copy" and not CopyLike(op).fills_lds


def erase_idle_lds_waits(block: ir.Block) -> None:
    """Erase waits for this wave's LDS accesses directly in ``block`` behind a full one of that
    kind, with no access between."""
    idle = False
    for op in [view.operation for view in block.operations]:
        if accesses_lds(op):
            idle = False
        elif is_wait(op, "lds"):
            if idle:
                op.erase()
            else:
                idle = is_drain(op, "lds")


def drains_before(op: ir.Operation) -> list[ir.Operation]:
    """Waits for LDS accesses in front of ``op``, with no access and no product between."""
    found: list[ir.Operation] = []
    for before in [view.operation for view in op.block.operations]:
        if before == op:
            break
        if accesses_lds(before) or before.name == "tile.mma":
            found = []
        elif is_wait(before, "lds"):
            found.append(before)
    return found
