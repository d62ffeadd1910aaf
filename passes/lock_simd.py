"""lock-simd: a wave that multiplies keeps its SIMD.

Before: the kernel
After:  hint lock_simd = 1 at its start
Source: the Helios GEMM ladder, Level 10
Test:   lit_tests/lock-simd
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import HintOp
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, ops_named
from gemm_ladder.passes.base import PassContext, PassError

_CAPABILITY = "lock_simd"


@dataclass(frozen=True)
class LockSimd:
    """A wave that multiplies keeps its SIMD: its matrix instructions queue without arbitration.

    Before: the kernel
    After: the hint at its start, once
    Source: the Helios GEMM ladder, Level 10
    """

    name: ClassVar[str] = "lock-simd"
    analysis: ClassVar[bool] = False

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Hint in every kernel that multiplies; raises PassError if none, or the target cannot."""
        found = [k for k in kernels(module, ctx) if ops_named(k.body, "tile.mma")]
        if not found:
            raise PassError(module.operation, "found no tile.mma; run tile-workgroup first")
        for kernel in found:
            if not kernel.target.has(_CAPABILITY):
                raise PassError(kernel.func, f"{kernel.target.name} cannot lock a SIMD")
            if not _is_locked(kernel):
                with kernel.head(), kernel.func.location:
                    build.hint(_CAPABILITY, 1)


def _is_locked(kernel: Kernel) -> bool:
    hints = [HintOp(op) for op in ops_named(kernel.body, "tile.hint")]
    return any(hint.str_attr("kind") == _CAPABILITY for hint in hints)
