"""rasterize: take output tiles in an order in which neighbours in time share rows of A and B.

Before: m0, n0 = tile (block x, block y); or, of tile t of a persistent loop, (t / N, t mod N)
After:  the same tiles, numbered along groups of rows
Source: Triton, Matrix Multiplication: L2 Cache Optimizations (grouped ordering)
Test:   lit_tests/rasterize
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.passes.analysis.kernel import Kernel, constant, kernels, ops_named
from gemm_ladder.passes.analysis.tile_order import ORDERS, elements, own_unit, place, tile_grid
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class Rasterize:
    """Take output tiles in an order in which neighbours in time share rows of A and B.

    Before: `tile.block_coord`, or a loop over tile numbers that divides them by the width
    After: coordinates computed from the workgroup's number, or from the loop's, so that the
        workgroups that run together cover ``group`` rows of tiles; a cluster counts as one
    Source: Triton, Matrix Multiplication: L2 Cache Optimizations (grouped ordering)
    """

    name: ClassVar[str] = "rasterize"
    analysis: ClassVar[bool] = False

    order: str = option("grouped", help="order of output tiles", choices=ORDERS)
    group: int = option(8, help="rows of tiles (of clusters) that a group has", minimum=1)

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Renumber every kernel's tiles; raises PassError if one has none that it knows."""
        for kernel in kernels(module, ctx):
            pairs = _persistent(kernel)
            if not pairs:
                self._launched(kernel)
            for row, col in pairs:
                self._loop(row, col)

    def _launched(self, kernel: Kernel) -> None:
        """Number the launched workgroups along x, then y, as they start."""
        grid, coords = tile_grid(kernel)
        for coord in coords:
            with ir.InsertionPoint(coord), build.unnamed(coord.location):
                x, y = (own_unit(grid, dim) for dim in (0, 1))
                with build.named("tile", ir.Location.current):
                    number = arith.addi(x, arith.muli(y, build.index(grid.rows)))
                unit = place(number, grid.rows, grid.cols, self.order, self.group)
                found = elements(grid, unit)
            for old, new in zip(coord.results, found, strict=True):
                old.replace_all_uses_with(new)
            coord.operation.erase()

    def _loop(self, row: ir.Operation, col: ir.Operation) -> None:
        """Renumber the tiles of a loop that takes quotient ``row`` and remainder ``col``."""
        cols = constant(row.operands[1])
        high = constant(_loop_of(row.operands[0]).operands[1])
        assert cols is not None and high is not None
        earlier = row if row.is_before_in_block(col) else col
        with ir.InsertionPoint(earlier), build.unnamed(row.location):
            unit = place(row.operands[0], high // cols, cols, self.order, self.group)
        for old, new in zip((row, col), unit, strict=True):
            old.results[0].replace_all_uses_with(new)
            old.erase()


def _loop_of(value: ir.Value) -> ir.Operation:
    loop: ir.Operation = ir.BlockArgument(value).owner.owner.operation
    return loop


def _persistent(kernel: Kernel) -> list[tuple[ir.Operation, ir.Operation]]:
    """Quotient and remainder of every loop over tiles: its counter by the width of the grid."""
    found = []
    for loop in ops_named(kernel.body, "scf.for"):
        counter, high = loop.regions[0].blocks[0].arguments[0], constant(loop.operands[1])
        uses = [use.owner.operation for use in counter.uses]
        rows = [op for op in uses if op.name == "arith.divui" and op.operands[0] == counter]
        cols = [op for op in uses if op.name == "arith.remui" and op.operands[0] == counter]
        if not _holds_loop(loop) or not rows:
            continue
        if len(rows) != 1 or len(cols) != 1 or rows[0].operands[1] != cols[0].operands[1]:
            raise PassError(loop, "the loop over tiles does not take them row by row any more")
        width = constant(rows[0].operands[1])
        if width is None or high is None or high % width:
            raise PassError(loop, "the loop over tiles has no constant number of rows")
        found.append((rows[0], cols[0]))
    return found


def _holds_loop(loop: ir.Operation) -> bool:
    return len(ops_named(loop.regions[0].blocks[0], "scf.for")) > 0
