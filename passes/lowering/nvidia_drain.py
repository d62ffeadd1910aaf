"""tile.copy_async by the tensor memory accelerator, from LDS to global memory.

The thread that posts a tile closes its group, and is the one that tile.wait of kind copy makes wait
(nvidia_async.wait). What lies outside the operand is not written.
Source: PTX ISA, cp.async.bulk.tensor (.global.shared::cta), cp.async.bulk.commit_group.
"""

from __future__ import annotations

from mlir.dialects import nvvm

from gemm_ladder.dialect_defs.tile import CopyAsyncOp
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit, nvidia_maps
from gemm_ladder.passes.lowering.nvidia_tma import check_extents, one_lane
from gemm_ladder.passes.lowering.state import State


def drain(state: State, op: CopyAsyncOp) -> None:
    """One lane of the wave, or of the issuing one, posts every box of the tile."""
    if op.completes is not None:
        raise PassError(op, "a tma copy out of LDS tells no mbarrier; wait for the copy")
    check_extents(op)
    start = emit.offset(state.value(op.src), nvidia_maps.start(state, op))
    row, col = (emit.to_i32(state.value(coord)) for coord in op.coords)
    with one_lane(state, op):
        tensor_map = nvidia_maps.pointer(state, op)
        for box in nvidia_maps.boxes(op):
            at = [emit.add(col, box.col), emit.add(row, box.row)]
            source = emit.offset(start, box.byte)
            nvvm.CpAsyncBulkTensorSharedCTAToGlobalOp(tensor_map, source, at)
        nvvm.CpAsyncBulkCommitGroupOp()
