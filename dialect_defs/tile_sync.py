"""Op classes of waits and barriers."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs.tile_base import TileOp, tile_op


@tile_op
class WaitOp(TileOp):
    """Wait for this wave's tile ops of one kind."""

    OPERATION_NAME = "tile.wait"


@tile_op
class BarrierCreateOp(TileOp):
    """A barrier value."""

    OPERATION_NAME = "tile.barrier_create"


@tile_op
class ArriveOp(TileOp):
    """Signal a barrier."""

    OPERATION_NAME = "tile.arrive"

    @property
    def slot(self) -> ir.Value | None:
        """The barrier's slot; None is slot 0."""
        return self.segment(1)

    @property
    def peers(self) -> ir.Value | None:
        """i32 mask of workgroups whose slots are signalled; None: this workgroup's own."""
        return self.segment(2)

    @property
    def issuer(self) -> int | None:
        """The only wave that signals, or None: all do."""
        return self.int_attr("issuer") if "issuer" in self.operation.attributes else None


@tile_op
class WaitBarrierOp(TileOp):
    """Wait until a barrier's arrivals are complete."""

    OPERATION_NAME = "tile.wait_barrier"

    @property
    def slot(self) -> ir.Value | None:
        """The barrier's slot; None is slot 0."""
        return self.segment(1)

    @property
    def phase(self) -> ir.Value | None:
        """Number of the phase to wait for; None: the next."""
        return self.segment(2)


@tile_op
class BarrierOp(TileOp):
    """Arrive and wait."""

    OPERATION_NAME = "tile.barrier"


def barrier_of(op: TileOp) -> BarrierCreateOp:
    """Where the barrier that is the first operand of ``op`` is created (it is named directly)."""
    return BarrierCreateOp(op.operation.operands[0].owner.operation)
