"""lower-tile-to-amdgpu: tile IR to upstream dialects for AMD targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.passes.base import PassContext
from gemm_ladder.passes.lowering.amd_backend import AmdBackend
from gemm_ladder.passes.lowering.driver import lower_module


@dataclass(frozen=True)
class LowerTileToAmdgpu:
    """Replace tile ops by per-lane vectors, LLVM loads and stores, and ROCDL instructions.

    Before: `%d = "tile.mma"(%a, %b, %c) {atom = "wmma_f32_16x16x32_bf16"}`
    After:  one `rocdl.wmma.f32.16x16x32.bf16` for each atom of %c and of k
    Source: the target's facts (compiler/targets); LLVM AMDGPUUsage, Memory Model.
    """

    name: ClassVar[str] = "lower-tile-to-amdgpu"
    analysis: ClassVar[bool] = False

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Lower every kernel of every gpu.module whose target uses this pass."""
        lower_module(module, ctx, self.name, AmdBackend)
