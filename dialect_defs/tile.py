"""Op classes of the `tile` dialect (found by MLIR through the dialect search prefix)."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs.tile_base import TileOp, ints, tile_op
from gemm_ladder.dialect_defs.tile_copies import CopyAsyncOp, CopyLike, CopyOp
from gemm_ladder.dialect_defs.tile_sync import (
    ArriveOp,
    BarrierCreateOp,
    BarrierOp,
    WaitBarrierOp,
    WaitOp,
    barrier_of,
)
from gemm_ladder.dialect_defs.types import FragType, LdsType

__all__ = [
    "AllocOp",
    "ArriveOp",
    "BarrierCreateOp",
    "BarrierOp",
    "BlockCoordOp",
    "ContractOp",
    "CopyAsyncOp",
    "CopyLike",
    "CopyOp",
    "FenceOp",
    "HintOp",
    "LoadOp",
    "MmaOp",
    "SchedFenceOp",
    "SchedGroupOp",
    "SetRegistersOp",
    "StoreOp",
    "TileOp",
    "WaitBarrierOp",
    "WaitOp",
    "ZeroOp",
    "barrier_of",
    "ints",
]


@tile_op
class ContractOp(TileOp):
    """C (+)= A * B over whole global operands (a, b, c)."""

    OPERATION_NAME = "tile.contract"


@tile_op
class BlockCoordOp(TileOp):
    """(m0, n0) of the workgroup's output tile."""

    OPERATION_NAME = "tile.block_coord"


@tile_op
class AllocOp(TileOp):
    """An LDS ring."""

    OPERATION_NAME = "tile.alloc"

    @property
    def lds(self) -> LdsType:
        """The ring's type."""
        found = LdsType.of(self.operation.results[0].type)
        assert found is not None
        return found


@tile_op
class LoadOp(TileOp):
    """Memory to fragment."""

    OPERATION_NAME = "tile.load"

    @property
    def src(self) -> ir.Value:
        """Memref or LDS ring."""
        return self.operation.operands[0]

    @property
    def coords(self) -> list[ir.Value]:
        """(row, col) in a memref, (slot, row, col) in a ring, in elements."""
        return list(self.operation.operands)[1:]

    @property
    def transposed(self) -> bool:
        """Whether memory holds the fragment's transpose."""
        return bool(self.int_attr("transpose"))

    @property
    def frag(self) -> FragType:
        """The fragment's type."""
        found = FragType.of(self.operation.results[0].type)
        assert found is not None
        return found


@tile_op
class MmaOp(TileOp):
    """acc + a * b."""

    OPERATION_NAME = "tile.mma"

    @property
    def transposes(self) -> tuple[bool, bool]:
        """Whether LDS holds the transpose of a, and of b."""
        return bool(self.int_attr("transpose_a")), bool(self.int_attr("transpose_b"))


@tile_op
class StoreOp(TileOp):
    """Accumulator to memory."""

    OPERATION_NAME = "tile.store"

    @property
    def frag(self) -> ir.Value:
        """The accumulator."""
        return self.operation.operands[0]

    @property
    def dst(self) -> ir.Value:
        """Memref or LDS ring."""
        return self.operation.operands[1]

    @property
    def coords(self) -> list[ir.Value]:
        """(row, col) in a memref, (slot, row, col) in a ring, in elements."""
        return list(self.operation.operands)[2:]

    @property
    def cols(self) -> tuple[int, int]:
        """(first, count) of the accumulator's columns that are stored."""
        frag = FragType.of(self.frag.type)
        assert frag is not None
        first, count = self.ints_attr("cols") or (0, frag.cols)
        return first, count


@tile_op
class ZeroOp(TileOp):
    """A fragment of zeros."""

    OPERATION_NAME = "tile.zero"


@tile_op
class SchedFenceOp(TileOp):
    """Scheduling fence."""

    OPERATION_NAME = "tile.sched_fence"


@tile_op
class SchedGroupOp(TileOp):
    """Scheduling group."""

    OPERATION_NAME = "tile.sched_group"


@tile_op
class HintOp(TileOp):
    """Execution hint."""

    OPERATION_NAME = "tile.hint"


@tile_op
class FenceOp(TileOp):
    """Proxy fence."""

    OPERATION_NAME = "tile.fence"


@tile_op
class SetRegistersOp(TileOp):
    """Register budget of the wave."""

    OPERATION_NAME = "tile.set_registers"
