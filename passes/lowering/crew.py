"""Who shares a copy: the waves that execute it together."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import TileOp
from gemm_ladder.passes.analysis.kernel import ancestors
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.state import State


@dataclass(frozen=True)
class Crew:
    """``threads`` threads; ``thread`` is this one's number among them (i32)."""

    threads: int
    thread: ir.Value


def crew_of(state: State, op: TileOp) -> Crew:
    """The threads of the workgroup, of the role around ``op``, or of its issuer alone.

    PassError for a role whose waves are not consecutive.
    """
    size = state.target.wave_size
    if "issuer" in op.operation.attributes:
        return Crew(size, state.lane)
    waves = waves_of(op.operation, state.waves)
    if not waves or waves[-1] - waves[0] + 1 != len(waves):
        raise PassError(op, "the waves that share this copy are not consecutive")
    first = waves[0] * size
    thread = emit.subtract(state.thread, emit.i32(first)) if first else state.thread
    return Crew(len(waves) * size, thread)


def waves_of(op: ir.Operation, total: int) -> list[int]:
    """The waves of ``total`` that execute ``op``: its issuer, or those of the roles around it."""
    chosen, inner = list(range(total)), op
    if "issuer" in op.attributes:
        chosen = [ir.IntegerAttr(op.attributes["issuer"]).value]
    for around in ancestors(op):
        if "tile.waves" in around.attributes:
            ends = ir.ArrayAttr(around.attributes["tile.waves"])
            first, count = (ir.IntegerAttr(end).value for end in ends)
            block = inner.block
            taken = block == around.regions[0].blocks[0]
            chosen = [w for w in chosen if (first <= w < first + count) == taken]
        inner = around
    return chosen
