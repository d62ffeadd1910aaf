"""Op classes of the `tile` dialect (found by MLIR through the dialect search prefix)."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir._mlir_libs import _mlir as _cext

from gemm_ladder.dialect_defs.types import FragType, LdsType


@_cext.register_dialect
class _Dialect(ir.Dialect):  # type: ignore[misc] # the bindings are untyped
    DIALECT_NAMESPACE = "tile"


_op = _cext.register_operation(_Dialect)


class TileOp(ir.OpView):  # type: ignore[misc] # the bindings are untyped
    """Attribute access shared by the dialect's ops; a missing attribute reads as the default."""

    def int_attr(self, name: str, default: int = 0) -> int:
        """Integer attribute ``name``, or ``default``."""
        if name not in self.operation.attributes:
            return default
        return int(ir.IntegerAttr(self.operation.attributes[name]).value)

    def str_attr(self, name: str, default: str = "") -> str:
        """String attribute ``name``, or ``default``."""
        if name not in self.operation.attributes:
            return default
        return str(ir.StringAttr(self.operation.attributes[name]).value)

    def ints_attr(self, name: str) -> list[int]:
        """Array-of-integers attribute ``name``; empty if absent."""
        if name not in self.operation.attributes:
            return []
        return [ir.IntegerAttr(a).value for a in ir.ArrayAttr(self.operation.attributes[name])]

    def segment(self, number: int) -> ir.Value | None:
        """Optional operand ``number``, as operandSegmentSizes counts them; None if it is absent."""
        raw = self.operation.attributes["operandSegmentSizes"]
        sizes = list(ir.DenseI32ArrayAttr(raw))
        return self.operation.operands[sum(sizes[:number])] if sizes[number] else None


@_op
class ContractOp(TileOp):
    """C (+)= A * B over whole global operands (a, b, c)."""

    OPERATION_NAME = "tile.contract"


@_op
class BlockCoordOp(TileOp):
    """(m0, n0) of the workgroup's output tile."""

    OPERATION_NAME = "tile.block_coord"


@_op
class AllocOp(TileOp):
    """An LDS ring."""

    OPERATION_NAME = "tile.alloc"

    @property
    def lds(self) -> LdsType:
        """The ring's type."""
        found = LdsType.of(self.operation.results[0].type)
        assert found is not None
        return found


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


@_op
class CopyOp(CopyLike):
    """Register-mediated copy by the whole workgroup."""

    OPERATION_NAME = "tile.copy"

    @property
    def predicate(self) -> ir.Value | None:
        """Copy only where true; None is always."""
        return self.operation.operands[7] if len(self.operation.operands) > 7 else None


@_op
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


@_op
class WaitOp(TileOp):
    """Wait for this wave's tile ops of one kind."""

    OPERATION_NAME = "tile.wait"


@_op
class BarrierCreateOp(TileOp):
    """A barrier value."""

    OPERATION_NAME = "tile.barrier_create"


@_op
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


@_op
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


@_op
class BarrierOp(TileOp):
    """Arrive and wait."""

    OPERATION_NAME = "tile.barrier"


@_op
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


@_op
class MmaOp(TileOp):
    """acc + a * b."""

    OPERATION_NAME = "tile.mma"

    @property
    def transposes(self) -> tuple[bool, bool]:
        """Whether LDS holds the transpose of a, and of b."""
        return bool(self.int_attr("transpose_a")), bool(self.int_attr("transpose_b"))


@_op
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


@_op
class ZeroOp(TileOp):
    """A fragment of zeros."""

    OPERATION_NAME = "tile.zero"


@_op
class SchedFenceOp(TileOp):
    """Scheduling fence."""

    OPERATION_NAME = "tile.sched_fence"


@_op
class SchedGroupOp(TileOp):
    """Scheduling group."""

    OPERATION_NAME = "tile.sched_group"


@_op
class HintOp(TileOp):
    """Execution hint."""

    OPERATION_NAME = "tile.hint"


@_op
class FenceOp(TileOp):
    """Proxy fence."""

    OPERATION_NAME = "tile.fence"


@_op
class SetRegistersOp(TileOp):
    """Register budget of the wave."""

    OPERATION_NAME = "tile.set_registers"


def barrier_of(op: TileOp) -> BarrierCreateOp:
    """Where the barrier that is the first operand of ``op`` is created (it is named directly)."""
    return BarrierCreateOp(op.operation.operands[0].owner.operation)


def ints(values: Sequence[int]) -> ir.ArrayAttr:
    """An array attribute of i64 integers."""
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.IntegerAttr.get(i64, v) for v in values])
