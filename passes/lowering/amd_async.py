"""Asynchronous copies of AMD targets: each lane names a place in global memory and one in LDS.

Source: LLVM AMDGPUUsage, llvm.amdgcn.global.load.async.to.lds and .cluster.load.async.to.lds; ISA
10.9. The immediate offset stays 0: it would be added on both sides. A lane that EXEC masks leaves
its bytes of LDS as they are, so what does not exist is stored as zero by the lane itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import scf

from gemm_ladder.dialect_defs.tile import CopyAsyncOp
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import copies, emit
from gemm_ladder.passes.lowering.moves import Move
from gemm_ladder.passes.lowering.state import State

_SIZES = (16, 8, 4, 1)  # bytes of the instructions; there is none of 2


def fill(state: State, op: CopyAsyncOp, mask: ir.Value | None) -> None:
    """Every lane of the waves that execute it starts its chunks, or zeroes them.

    With ``mask`` (i32) a load is shared with those workgroups of the cluster.
    """
    if not op.fills_lds:
        raise PassError(op, "engine async copies from global memory to LDS only")
    copies.by_slabs(state, op, lambda move: _fill(op, move, mask))


def _fill(op: CopyAsyncOp, move: Move, mask: ir.Value | None) -> None:
    if move.chunk_bytes not in _SIZES:
        message = f"engine async moves {', '.join(map(str, _SIZES))} bytes a lane"
        raise PassError(op, f"{message}, this copy allows {move.chunk_bytes}")
    for number in range(move.plan.rounds):
        # Addresses are made here, not under a condition: later rounds share them.
        addresses, shift = move.at(number, move.inside)
        chunk = Chunk(move, addresses.pointer(*shift), *_source(move, number), mask)
        emit.guarded(move.has_chunk(number), chunk.fill)


def _source(move: Move, number: int) -> tuple[ir.Value | None, ir.Value | None]:
    """Where the chunk of a round comes from, and whether it exists (None: it does)."""
    if move.outside is None:
        return None, None
    addresses, shift = move.at(number, move.outside)
    return addresses.separate_pointer(*shift), move.exists(number)


@dataclass(frozen=True)
class Chunk:
    """One lane's chunk of ``move``: from ``source`` where it is ``valid``, else zeros."""

    move: Move
    goal: ir.Value
    source: ir.Value | None
    valid: ir.Value | None
    mask: ir.Value | None

    def fill(self) -> None:
        """The code."""
        if self.source is None:
            self._zero()
        elif self.valid is None:
            self._load()
        else:
            guard = scf.IfOp(self.valid, has_else=True)
            with ir.InsertionPoint(guard.then_block):
                self._load()
                scf.YieldOp([])
            with ir.InsertionPoint(guard.else_block):
                self._zero()
                scf.YieldOp([])

    def _zero(self) -> None:
        emit.store(emit.zeros(self.move.chunk_type), self.goal, self.move.chunk_bytes)

    def _load(self) -> None:
        shared = self.mask is not None
        name = f"rocdl.{'cluster' if shared else 'global'}.load.async.to.lds"
        fixed = {"offset": _i32(0), "cpol" if shared else "aux": _i32(0)}
        operands = [value for value in (self.source, self.goal, self.mask) if value is not None]
        ir.Operation.create(
            f"{name}.b{8 * self.move.chunk_bytes}", operands=operands, attributes=fixed
        )


def _i32(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(emit.int_type(32), value)
