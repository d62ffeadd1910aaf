"""Fills that are left out where nothing would wait for them, so that none outlives its loop."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyAsyncOp
from gemm_ladder.passes.analysis.kernel import ancestors, constant, defining
from gemm_ladder.passes.analysis.ring_access import Access, Told
from gemm_ladder.passes.analysis.slots import next_iteration

_BELOW = (2, 6)  # arith.cmpi's slt and ult


def iterations_ahead(fill: ir.Operation, loop: ir.Operation) -> int:
    """n where ``fill``, inside ``loop``, is made only if the n-th iteration from here exists; 0
    where nothing says so."""
    conditions = [around.operands[0] for around in ancestors(fill) if around.name == "scf.if"]
    if fill.name == "tile.copy_async" and loop in ancestors(fill):
        predicate = CopyAsyncOp(fill).predicate
        conditions += [] if predicate is None else [predicate]
        return max((_steps(value, loop) for value in conditions), default=0)
    return 0


def _steps(condition: ir.Value, loop: ir.Operation) -> int:
    """n where ``condition`` says that k + n * step < end of ``loop``, else 0."""
    op = defining(condition)
    if op is not None and op.name == "arith.andi":
        return max(_steps(part, loop) for part in op.operands)
    if op is None or op.name != "arith.cmpi":
        return 0
    if ir.IntegerAttr(op.attributes["predicate"]).value not in _BELOW:
        return 0
    block, end = op.operands
    step, total = constant(loop.operands[2]), defining(block)
    if end != loop.operands[1] or total is None or total.name != "arith.addi" or not step:
        return 0
    counter = loop.regions[0].blocks[0].arguments[0]
    first, second = total.operands
    for one, other in ((first, second), (second, first)):
        distance = constant(other)
        if one == counter and distance is not None and distance % step == 0:
            return max(0, distance // step)
    return 0


def awaited(access: Access, ahead: int, waits: list[Told], loop: ir.Operation) -> bool:
    """Whether one of ``waits``, at the top of ``loop``'s body, is for ``access`` within ``ahead``
    further iterations."""
    for _ in range(ahead):
        access = access.moved(lambda slot, holder: next_iteration(slot, loop))
        if access.completes is None:
            return False
        if any(access.completes.is_at(wait.bar, wait.slot) for wait in waits):
            return True
    return False
