"""Op classes of copies between global memory and LDS."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs.tile_base import TileOp, tile_op
from gemm_ladder.dialect_defs.types import LdsType


class CopyLike(TileOp):
    """Operands shared by copy and copy_async: src, dst, slot, row, col, rows, cols."""

    @property
    def src(self) -> ir.Value:
        """Memref or LDS ring that is read."""
        return self.operation.operands[0]

    @property
    def dst(self) -> ir.Value:
        """Memref or LDS ring that is written."""
        return self.operation.operands[1]

    @property
    def slot(self) -> ir.Value:
        """Stage of the ring."""
        return self.operation.operands[2]

    @property
    def coords(self) -> tuple[ir.Value, ir.Value]:
        """(row, col) of the tile in global memory, in elements."""
        return self.operation.operands[3], self.operation.operands[4]

    @property
    def extents(self) -> tuple[ir.Value, ir.Value]:
        """(rows, cols) that exist in global memory, counted from the tile's start."""
        return self.operation.operands[5], self.operation.operands[6]

    @property
    def fills_lds(self) -> bool:
        """Whether LDS is the destination."""
        return LdsType.of(self.dst.type) is not None

    @property
    def ring(self) -> ir.Value:
        """The LDS side."""
        return self.dst if self.fills_lds else self.src


@tile_op
class CopyOp(CopyLike):
    """Register-mediated copy by the whole workgroup."""

    OPERATION_NAME = "tile.copy"

    @property
    def predicate(self) -> ir.Value | None:
        """Copy only where true; None is always."""
        return self.operation.operands[7] if len(self.operation.operands) > 7 else None


@tile_op
class CopyAsyncOp(CopyLike):
    """Copy by an engine."""

    OPERATION_NAME = "tile.copy_async"

    @property
    def predicate(self) -> ir.Value | None:
        """Copy only where true; None is always."""
        return self.segment(7)

    @property
    def parts(self) -> tuple[int, int]:
        """How many parts (down, across) a tile of LDS is cut into; `slot` counts parts."""
        down, across = self.ints_attr("parts") or (1, 1)
        return down, across

    @property
    def multicast(self) -> ir.Value | None:
        """i32 mask of workgroups of the cluster, or None."""
        return self.segment(8)

    @property
    def completes(self) -> tuple[ir.Value, ir.Value | None] | None:
        """(mbarrier, slot) that the copy's end is told to; None: the wave's counter."""
        bar = self.segment(9)
        return None if bar is None else (bar, self.segment(10))

    @property
    def issuer(self) -> int | None:
        """The wave that moves the whole tile, or None."""
        return self.int_attr("issuer") if "issuer" in self.operation.attributes else None
