"""tile.copy_async by the tensor memory accelerator, from global memory to LDS.

Source: PTX ISA, cp.async.bulk.tensor; its elements outside the operand are zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from mlir import ir
from mlir.dialects import arith, llvm, nvvm, scf

from gemm_ladder.dialect_defs.tile import CopyAsyncOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import constant, defining
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit, nvidia_maps
from gemm_ladder.passes.lowering.nvidia_barriers import slot_pointer
from gemm_ladder.passes.lowering.nvidia_ops import elected
from gemm_ladder.passes.lowering.state import State

_CLUSTER_SPACE = 7  # of pointers to shared memory of the cluster


def fill(state: State, op: CopyAsyncOp) -> None:
    """One lane of the wave, or of the issuing one, posts every box of the tile."""
    if op.completes is None:
        raise PassError(op, "a tma copy into LDS tells an mbarrier; it completes none here")
    check_extents(op)
    bar = slot_pointer(state, *op.completes)
    tile = emit.offset(state.value(op.dst), nvidia_maps.start(state, op))
    row, col = (emit.to_i32(state.value(coord)) for coord in op.coords)
    mask = None
    if op.multicast is not None:
        mask = arith.trunci(emit.int_type(16), state.value(op.multicast))
    with one_lane(state, op):
        for box in nvidia_maps.boxes(op):
            at = [emit.add(col, box.col), emit.add(row, box.row)]
            _post(emit.offset(tile, box.byte), nvidia_maps.pointer(state, op), at, bar, mask)


@contextmanager
def one_lane(state: State, op: CopyAsyncOp) -> Iterator[None]:
    """Inside: one lane of each wave that executes ``op``, where its predicate holds."""
    tests = [] if op.predicate is None else [state.value(op.predicate)]
    if op.issuer is not None:
        wave = state.backend.wave_id(state.threads)
        tests.append(arith.cmpi(arith.CmpIPredicate.eq, wave, emit.i32(op.issuer)))
    outer = scf.IfOp(emit.all_of(tests)) if tests else None
    with ir.InsertionPoint(outer.then_block) if outer else nullcontext():
        guard = scf.IfOp(elected())
        with ir.InsertionPoint(guard.then_block):
            yield
            scf.YieldOp([])
        if outer:
            scf.YieldOp([])


def check_extents(op: CopyAsyncOp) -> None:
    """PassError unless what exists of the tile ends where the tile or the operand does."""
    for coord, extent, axis in zip(op.coords, op.extents, (0, 1), strict=True):
        _check_extent(op, coord, extent, axis)


def _post(
    dst: ir.Value, tensor_map: ir.Value, at: list[ir.Value], bar: ir.Value, mask: ir.Value | None
) -> None:
    """One box, whose first element is at (col, row) ``at``."""
    wide = llvm.AddrSpaceCastOp(emit.pointer_type(_CLUSTER_SPACE), dst).result
    nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp(wide, tensor_map, at, bar, [], multicastMask=mask)


def _check_extent(op: CopyAsyncOp, start: ir.Value, extent: ir.Value, axis: int) -> None:
    # The engine knows no other end.
    lds = LdsType.of(op.ring.type)
    assert lds is not None
    memref = op.src if op.fills_lds else op.dst
    limit = ir.MemRefType(memref.type).shape[axis]
    tile = (lds.rows, lds.cols)[axis] // op.parts[axis]
    for bound in _bounds(extent):
        fixed, first = constant(bound), constant(start)
        if fixed == tile or (fixed is not None and first is not None and fixed + first == limit):
            continue
        left = defining(bound)
        if left is not None and left.name == "arith.subi":
            end, begin = left.operands
            if constant(end) == limit and same(begin, start):
                continue
        raise PassError(
            op, "the tma engine copies to the tile's or the operand's end, not to this extent"
        )


def _bounds(extent: ir.Value) -> list[ir.Value]:
    """The values whose minimum ``extent`` is; a maximum with 0 says nothing more."""
    op = defining(extent)
    if op is not None and op.name in ("arith.minsi", "arith.minui"):
        return [bound for operand in op.operands for bound in _bounds(operand)]
    if op is not None and op.name == "arith.maxsi" and constant(op.operands[1]) == 0:
        return _bounds(op.operands[0])
    return [extent]


def same(a: ir.Value, b: ir.Value) -> bool:
    """Whether two index values are one value, or the same arithmetic of the same values."""
    if a == b:
        return True
    one, two = defining(a), defining(b)
    if one is None or two is None or one.name != two.name or not one.name.startswith("arith."):
        return False
    if one.name == "arith.constant":
        return constant(a) == constant(b)
    pairs = zip(one.operands, two.operands, strict=True)
    return one.name in _PLAIN and all(same(x, y) for x, y in pairs)


_PLAIN = ("arith.addi", "arith.subi", "arith.muli", "arith.minsi", "arith.minui", "arith.remui")
