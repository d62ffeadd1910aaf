"""Grids with workgroups that have no tile: extents that hold for them, too."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import CopyLike
from gemm_ladder.passes.analysis.kernel import Kernel, constant, defining, ops_named
from gemm_ladder.passes.analysis.region import extent
from gemm_ladder.passes.base import PassError


def round_up_grid(kernel: Kernel, dims: tuple[int, int]) -> None:
    """Make the kernel's grid whole multiples of ``dims`` along x and y.

    Copies of tiles that were all inside get the extent that is left, which is not positive in a
    workgroup that has no tile; loads and stores are bounded by their operand as they are.
    """
    grid = kernel.sizes("known_grid_size")
    if grid is None:
        raise PassError(
            kernel.func, "needs a grid size (known_grid_size); run tile-workgroup first"
        )
    whole = [-(-size // by) * by for size, by in zip(grid, (*dims, 1), strict=True)]
    if any(size > most for size, most in zip(whole, kernel.target.grid_max, strict=True)):
        raise PassError(
            kernel.func,
            f"a grid of {whole} is over {kernel.target.name}'s limit {kernel.target.grid_max}",
        )
    attributes = kernel.func.operation.attributes
    attributes["known_grid_size"] = ir.DenseI32ArrayAttr.get(whole)
    if whole != list(grid):
        _limit_copies(kernel, (whole[0], whole[1], whole[2]))


def _limit_copies(kernel: Kernel, grid: tuple[int, int, int]) -> None:
    made: dict[tuple[ir.Value, int, int], ir.Value] = {}
    for op in ops_named(kernel.body, "tile.copy", "tile.copy_async"):
        copy = CopyLike(op)
        shape = ir.MemRefType((copy.src if copy.fills_lds else copy.dst).type).shape
        for axis, (start, count) in enumerate(zip(copy.coords, copy.extents, strict=True)):
            size = constant(count)
            if size is None or constant(start) is not None:
                continue
            key = (start, size, shape[axis])
            if key not in made:
                with _behind(start), build.named("valid", build.unnamed(op.location)):
                    made[key] = extent(start, size, shape[axis], grid)
            op.operands[5 + axis] = made[key]


def _behind(value: ir.Value) -> ir.InsertionPoint:
    """Right behind what makes ``value``, so that all its uses can use what is made there."""
    op = defining(value)
    if op is None:
        return ir.InsertionPoint.at_block_begin(ir.BlockArgument(value).owner)
    ops = [view.operation for view in op.block.operations]
    return ir.InsertionPoint(ops[ops.index(op) + 1])
