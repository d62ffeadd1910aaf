"""The tile of global memory that all waves' fragment loads of one operand touch together."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import LoadOp
from gemm_ladder.dialect_defs.types import element_bytes
from gemm_ladder.passes.analysis.coords import Split, multiple_of, split, upper_bound
from gemm_ladder.passes.analysis.kernel import Kernel, constant
from gemm_ladder.passes.base import PassError


@dataclass(frozen=True)
class TileRegion:
    """Tile [rows, cols] of ``src`` at (sum of row_terms, sum of col_terms), the same for all waves.

    ``splits`` holds, for each of ``loads``, how its (row, col) divide into those terms and what the
    wave adds. The tile starts at the terms: waves' offsets are not negative.
    """

    src: ir.Value
    rows: int
    cols: int
    row_terms: tuple[ir.Value, ...]
    col_terms: tuple[ir.Value, ...]
    loads: tuple[LoadOp, ...]
    splits: tuple[tuple[Split, Split], ...]


def group_regions(kernel: Kernel, loads: list[LoadOp]) -> list[TileRegion]:
    """One region for each operand and uniform position among ``loads``, in order of first use."""
    waves = kernel.waves()
    groups: list[list[tuple[LoadOp, tuple[Split, Split]]]] = []
    for load in loads:
        row, col = (_split(load, value, waves) for value in load.coords)
        for group in groups:
            other, (r, c) = group[0]
            if other.src == load.src and r.uniform == row.uniform and c.uniform == col.uniform:
                group.append((load, (row, col)))
                break
        else:
            groups.append([(load, (row, col))])
    return [_region(group) for group in groups]


def _split(load: LoadOp, value: ir.Value, waves: int) -> Split:
    found = split(value, waves)
    if found is None:
        raise PassError(
            load, "cannot tell which elements each wave loads: a coordinate mixes the wave"
        )
    if min(found.offsets) < 0:
        raise PassError(load, "a wave loads before the workgroup's tile (negative offset)")
    return found


def _region(group: list[tuple[LoadOp, tuple[Split, Split]]]) -> TileRegion:
    rows = cols = 0
    for load, (row, col) in group:
        frag = load.frag
        tall, wide = (frag.cols, frag.rows) if load.transposed else (frag.rows, frag.cols)
        rows = max(rows, max(row.offsets) + tall)
        cols = max(cols, max(col.offsets) + wide)
    first, (row, col) = group[0]
    loads, splits = zip(*group, strict=True)
    return TileRegion(first.src, rows, cols, row.uniform, col.uniform, loads, splits)


def extents(
    kernel: Kernel, region: TileRegion, coords: list[ir.Value]
) -> tuple[ir.Value, ir.Value]:
    """Rows and cols of the tile at ``coords`` that exist in its memref, at the insertion point.

    A constant where the whole tile is proven to be inside, else the remaining extent: below one
    where the tile starts beyond the operand.
    """
    shape = ir.MemRefType(region.src.type).shape
    grid = kernel.sizes("known_grid_size")
    row, col = (
        extent(value, tile, dim, grid)
        for value, tile, dim in zip(coords, (region.rows, region.cols), shape, strict=True)
    )
    return row, col


def extent(start: ir.Value, tile: int, dim: int, grid: tuple[int, int, int] | None) -> ir.Value:
    """How many of ``tile`` elements from ``start`` on lie in [0, ``dim``), at the insertion point.

    The constant ``tile`` where all are proven to; below 1 where none does.
    """
    last = upper_bound(start, grid)
    if last is not None and last + tile <= dim:
        return build.index(tile)
    fixed = constant(start)
    if fixed is not None:
        return build.index(min(tile, dim - fixed))
    with _as_early_as(start):
        remaining = arith.subi(build.index(dim), start)
        return arith.minsi(remaining, build.index(tile))


def _as_early_as(value: ir.Value) -> ir.InsertionPoint:
    """The insertion point, or before the loops around it that ``value`` does not depend on."""
    owner, here = value.owner, ir.InsertionPoint.current
    home = owner if isinstance(owner, ir.Block) else owner.operation.block
    block = here.block
    while block != home and block.owner.operation.name == "scf.for":
        here = ir.InsertionPoint(block.owner)
        block = block.owner.operation.block
    return here


def copy_alignment(region: TileRegion, coords: list[ir.Value]) -> int:
    """Bytes, at most 16, to which every row of the tile, and its extent, is known to be aligned.

    Kernel arguments are 16-byte aligned (the runtime checks it at launch).
    """
    memref = ir.MemRefType(region.src.type)
    size = element_bytes(memref.element_type)
    strides, _ = memref.get_strides_and_offset()
    parts = (strides[0], memref.shape[1], region.cols, multiple_of(coords[1]))
    return math.gcd(16, *(part * size for part in parts))
