"""Tiles that the workgroups of a cluster fill for each other, each one part.

Where an engine writes into the LDS of peers, a workgroup asks for its share of a tile only, and
must know that the peers have read what it fills again.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, gpu

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.build_copies import multicast
from gemm_ladder.dialect_defs.build_sync import arrive_slot
from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierCreateOp,
    CopyAsyncOp,
    CopyLike,
    ints,
)
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.cluster_sync import sync_behind
from gemm_ladder.passes.analysis.kernel import Kernel, constant, defining, ops_named
from gemm_ladder.passes.analysis.region import extent
from gemm_ladder.passes.analysis.staged_loop import StagedLoop
from gemm_ladder.passes.analysis.sync import workgroup_barrier

# Rows after which the xor swizzle repeats: a part of a tile starts at a multiple of them.
_SWIZZLE_ROWS = 8


def cannot_share(copy: CopyLike, count: int) -> str | None:
    """Why ``count`` workgroups cannot each move a part of the tile to all, or None."""
    if copy.operation.name != "tile.copy_async" or CopyAsyncOp(copy.operation).completes is None:
        return "no mbarrier tells the peers when it has landed; run copy-engine before"
    ring = LdsType.of(copy.dst.type)
    assert ring is not None
    if ring.rows % (count * _SWIZZLE_ROWS):
        return f"its {ring.rows} rows are not {count} parts of whole {_SWIZZLE_ROWS}s"
    return None


def rank_along(along: tuple[int, ...], dims: tuple[int, int]) -> ir.Value:
    """This workgroup's number, an index, among those that differ from it only ``along``."""
    rank: ir.Value | None = None
    for axis in along:
        place = gpu.cluster_block_id(getattr(gpu.Dimension, "xy"[axis]))
        if rank is not None:
            place = arith.addi(rank, arith.muli(place, build.index(dims[0])))
        rank = place
    assert rank is not None
    return rank


def fill_part(kernel: Kernel, copy: CopyLike, count: int, rank: ir.Value, mask: ir.Value) -> None:
    """Have ``copy`` move part ``rank`` of ``count`` of its rows to all workgroups of ``mask``."""
    ring = LdsType.of(copy.dst.type)
    assert ring is not None
    rows = ring.rows // count
    at, dim = build.unnamed(copy.location), ir.MemRefType(copy.src.type).shape[0]
    grid = kernel.sizes("known_grid_size")
    with ir.InsertionPoint(copy.operation), at:
        with build.named("part", at):
            slot = arith.addi(arith.muli(copy.slot, build.index(count)), rank)
        with build.named("start", at):
            row = arith.addi(copy.coords[0], arith.muli(rank, build.index(rows)))
        whole = constant(copy.extents[0]) == ring.rows
        with build.named("valid", at):
            valid = build.index(rows) if whole else extent(row, rows, dim, grid)
    made = multicast(copy, mask)
    for number, value in ((2, slot), (3, row), (5, valid)):
        made.operands[number] = value
    made.attributes["parts"] = ints([count, 1])
    copy.operation.erase()


def release_peers(
    kernel: Kernel, loops: list[StagedLoop], bar: ir.Value, mask: ir.Value, count: int
) -> None:
    """Have every workgroup of ``mask``, ``count`` of them, say when it has read a stage.

    mbarriers that wait for reads count all of them; a hand-off by a barrier of the workgroup is
    followed by ``bar``, the cluster's. No workgroup leaves while a peer may still signal to it.
    """
    released = _released(kernel)
    for created in released:
        arrivals = created.int_attr("arrivals")
        i64 = ir.IntegerType.get_signless(64)
        created.operation.attributes["arrivals"] = ir.IntegerAttr.get(i64, arrivals * count)
        created.operation.attributes["scope"] = ir.StringAttr.get("cluster")
    bars = [created.results[0] for created in released]
    for op in map(ArriveOp, ops_named(kernel.body, "tile.arrive")):
        if op.operation.operands[0] in bars:
            assert op.slot is not None
            with ir.InsertionPoint(op.operation), build.unnamed(op.location):
                arrive_slot(op.operation.operands[0], op.slot, peers=mask)
            op.operation.erase()
    if not released:
        sync_behind(bar, loops)
        return
    with kernel.head(), build.unnamed(kernel.func.location):
        everyone = workgroup_barrier(kernel)
    end = list(kernel.body.operations)[-1]
    with ir.InsertionPoint(end), build.unnamed(kernel.func.location):
        build.barrier(everyone)
        build.arrive(bar, issuer=0)
        build.wait_barrier(bar)


def _released(kernel: Kernel) -> list[BarrierCreateOp]:
    """The mbarriers that count reads: that no engine completes and no arrival adds bytes to."""
    told = [
        completes[0]
        for op in map(CopyAsyncOp, ops_named(kernel.body, "tile.copy_async"))
        if (completes := op.completes) is not None
    ]
    told += [
        op.operation.operands[0]
        for op in map(ArriveOp, ops_named(kernel.body, "tile.arrive"))
        if op.int_attr("tx_bytes")
    ]
    created = [BarrierCreateOp(op) for op in ops_named(kernel.body, "tile.barrier_create")]
    waited = [op.operands[0] for op in ops_named(kernel.body, "tile.wait_barrier")]
    return [
        bar
        for bar in created
        if bar.str_attr("kind") == "mbarrier"
        and bar.results[0] not in told
        and bar.results[0] in waited
        and defining(bar.results[0]) is not None
    ]
