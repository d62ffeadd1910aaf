"""persistent: a workgroup computes one output tile after another.

Before: m0, n0 = the workgroup's tile; for %k { .. }; store
After:  for %tile = first to tiles step workgroups { m0, n0 = ..; for %k { .. }; store }
Source: NVIDIA CUTLASS, Efficient GEMM in CUDA: Warp Specialization (persistent kernels)
Test:   lit_tests/persistent
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.passes.analysis.kernel import Kernel, kernels
from gemm_ladder.passes.analysis.tile_loop import make_persistent
from gemm_ladder.passes.analysis.tile_order import tile_grid
from gemm_ladder.passes.base import PassContext
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class Persistent:
    """A workgroup computes one output tile after another.

    Before: a grid of as many workgroups as there are output tiles
    After: at most ``grid`` workgroups, each with a loop over tiles around its work, or around each
        role's: stages and phases of the rings go on from tile to tile, so that a producer fills
        for the next tile while consumers store the last
    Source: NVIDIA CUTLASS, Efficient GEMM in CUDA: Warp Specialization (persistent kernels)
    """

    name: ClassVar[str] = "persistent"
    analysis: ClassVar[bool] = False

    grid: int = option(132, help="workgroups at most; 132 is the SMs of an H100 or H200", minimum=1)

    balance: bool = option(
        True, help="no more workgroups than the rounds of tiles need: power for higher clocks"
    )

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Rewrite every kernel; raises PassError where tiles cannot follow each other."""
        for kernel in kernels(module, ctx):
            self._rewrite(kernel)

    def _rewrite(self, kernel: Kernel) -> None:
        grid, coords = tile_grid(kernel)
        if not grid.count:
            return  # An empty output: nothing is launched.
        units = max(1, min(grid.count, self.grid // grid.workgroups))
        if self.balance:
            rounds = -(-grid.count // units)
            units = -(-grid.count // rounds)
        make_persistent(kernel, grid, coords, units)
        x, y = grid.cluster
        launched = ir.DenseI32ArrayAttr.get([units * x, y, 1])
        kernel.func.operation.attributes["known_grid_size"] = launched
