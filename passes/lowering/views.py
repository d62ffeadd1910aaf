"""Old operands of ops that lowering does not know: a kernel argument is a memref to them."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import builtin, llvm

from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit


def plain_operand(
    op: ir.Operation, old: ir.Value, news: list[ir.Value], before: ir.Operation
) -> ir.Value:
    """The new value to use for ``old`` in ``before``, a copy of ``op``."""
    if len(news) == 1 and news[0].type == old.type:
        return news[0]
    if not isinstance(old.type, ir.MemRefType):
        raise PassError(op, f"{op.name} cannot use a value of type {old.type}")
    with ir.InsertionPoint(before):
        return _memref(op, news[0], ir.MemRefType(old.type))


def _memref(op: ir.Operation, pointer: ir.Value, memref: ir.MemRefType) -> ir.Value:
    """A memref descriptor around a global pointer."""
    strides, offset = memref.get_strides_and_offset()
    if not memref.has_static_shape or memref.memory_space is not None:
        raise PassError(op, f"{op.name} cannot use an argument of type {memref}")
    generic = llvm.AddrSpaceCastOp(emit.pointer_type(0), pointer).result
    fields = [([0], generic), ([1], generic), ([2], emit.i64(offset))]
    fields += [([3, i], emit.i64(extent)) for i, extent in enumerate(memref.shape)]
    fields += [([4, i], emit.i64(stride)) for i, stride in enumerate(strides)]
    rank = memref.rank
    array = f", array<{rank} x i64>, array<{rank} x i64>" if rank else ""
    value = llvm.mlir_poison(ir.Type.parse(f"!llvm.struct<(ptr, ptr, i64{array})>"))
    for position, part in fields:
        value = llvm.insertvalue(value, part, ir.DenseI64ArrayAttr.get(position))
    return builtin.unrealized_conversion_cast([memref], [value])
