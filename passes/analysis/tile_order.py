"""Output tiles in order: from a tile's number to its row and column in the grid of tiles."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, gpu

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import BlockCoordOp
from gemm_ladder.passes.analysis.kernel import Kernel, ops_named
from gemm_ladder.passes.base import PassError

ORDERS = ("row", "column", "grouped")


@dataclass(frozen=True)
class TileGrid:
    """The output of a kernel as ``rows`` x ``cols`` units of ``cluster`` workgroups' tiles.

    ``cluster`` is its extent along M and N, ``tile`` the elements of a workgroup's tile.
    """

    rows: int
    cols: int
    cluster: tuple[int, int]
    tile: tuple[int, int]

    @property
    def count(self) -> int:
        """Units in all."""
        return self.rows * self.cols

    @property
    def workgroups(self) -> int:
        """Workgroups of a unit."""
        return self.cluster[0] * self.cluster[1]


def tile_grid(kernel: Kernel) -> tuple[TileGrid, list[BlockCoordOp]]:
    """The grid that `tile.block_coord` walks, and those ops; raises PassError if there is none."""
    coords = [BlockCoordOp(op) for op in ops_named(kernel.body, "tile.block_coord")]
    grid = kernel.sizes("known_grid_size")
    if not coords or grid is None:
        raise PassError(
            kernel.func,
            "found no output tile that a workgroup's place chooses (tile.block_coord, with a known"
            " grid): it has been rewritten, or tile-workgroup has not run",
        )
    tiles = {tuple(op.ints_attr("tile")) for op in coords}
    if len(tiles) > 1 or grid[2] != 1:
        raise PassError(coords[-1], "the kernel has output tiles of several sizes, or a deep grid")
    x, y, _ = kernel.sizes("known_cluster_size") or (1, 1, 1)
    height, width = tiles.pop()
    return TileGrid(grid[0] // x, grid[1] // y, (x, y), (height, width)), coords


def place(
    number: ir.Value, rows: int, cols: int, order: str, group: int
) -> tuple[ir.Value, ir.Value]:
    """(row, column) of unit ``number``, at the insertion point.

    row: along rows. column: along columns. grouped: column by column through ``group`` rows, then
    the next ``group``: what runs at one time shares rows of A and columns of B.
    """
    at = ir.Location.current
    if order == "grouped" and group < rows:
        return _grouped(number, rows, cols, group)
    across = build.index(cols if order == "row" else rows)
    with build.named("tile_i", at):
        first = arith.divui(number, across)
    with build.named("tile_j", at):
        second = arith.remui(number, across)
    return (first, second) if order == "row" else (second, first)


def _grouped(number: ir.Value, rows: int, cols: int, group: int) -> tuple[ir.Value, ir.Value]:
    at, height = ir.Location.current, build.index(group)
    whole = build.index(group * cols)
    with build.named("group", at):
        above = arith.muli(arith.divui(number, whole), height)
    inside = arith.remui(number, whole)
    if rows % group:
        height = arith.minui(arith.subi(build.index(rows), above), height)
    with build.named("tile_i", at):
        row = arith.addi(above, arith.remui(inside, height))
    with build.named("tile_j", at):
        return row, arith.divui(inside, height)


def elements(
    grid: TileGrid, unit: tuple[ir.Value, ir.Value], names: tuple[str, str] = ("m0", "n0")
) -> tuple[ir.Value, ir.Value]:
    """(m0, n0) of this workgroup's tile in ``unit``, at the insertion point."""
    at, found = ir.Location.current, []
    dims = (gpu.Dimension.x, gpu.Dimension.y)
    for index, name in enumerate(names):
        tile = unit[index]
        if grid.cluster[index] > 1:
            scaled = arith.muli(tile, build.index(grid.cluster[index]))
            tile = arith.addi(scaled, gpu.cluster_block_id(dims[index]))
        with build.named(name, at):
            found.append(arith.muli(tile, build.index(grid.tile[index])))
    return found[0], found[1]


def own_unit(grid: TileGrid, dim: int) -> ir.Value:
    """Coordinate ``dim`` (0 x, 1 y) of the workgroup's unit in the launched grid, made here."""
    block = gpu.block_id((gpu.Dimension.x, gpu.Dimension.y)[dim])
    extent = grid.cluster[dim]
    return block if extent == 1 else arith.divui(block, build.index(extent))
