"""lower-tile-to-nvgpu: tile IR to upstream dialects for NVIDIA targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.passes.base import PassContext
from gemm_ladder.passes.lowering.driver import lower_module
from gemm_ladder.passes.lowering.nvidia_backend import NvidiaBackend


@dataclass(frozen=True)
class LowerTileToNvgpu:
    """Replace tile ops by per-lane vectors, LLVM loads and stores, and NVVM instructions.

    Before: `%d = "tile.mma"(%a, %b, %c) {atom = "mma_m16n8k16_f32_bf16"}`
    After:  one `nvvm.mma.sync` for each atom of %c and of k, its operands from `nvvm.ldmatrix`
    Source: the target's facts (compiler/targets); PTX ISA, mma and ldmatrix.
    """

    name: ClassVar[str] = "lower-tile-to-nvgpu"
    analysis: ClassVar[bool] = False

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Lower every kernel of every gpu.module whose target uses this pass."""
        lower_module(module, ctx, self.name, NvidiaBackend)
