"""multi-buffer: fill later stages of an LDS ring while the waves multiply the current one.

Before: for %k { copy(%A, %A_LDS[0]); wait; barrier; load(%A_LDS[0]); mma; wait; barrier }
After:  copy(%A, %A_LDS[0]); wait; arrive; wait_barrier
        for %k { copy(%A, %A_LDS[next]); load(%A_LDS[current]); mma; wait; arrive; wait_barrier }
Source: the Helios GEMM ladder, Level 1
Test:   lit_tests/multi-buffer
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.passes.analysis.budget import check_lds
from gemm_ladder.passes.analysis.fill_loop import FillLoop, find_fill_loops
from gemm_ladder.passes.analysis.kernel import Kernel, kernels
from gemm_ladder.passes.analysis.pipeline_loop import pipeline
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class MultiBuffer:
    """Fill later stages of an LDS ring while the waves multiply the current one.

    Before: a loop that fills single-stage rings, publishes them, reads them, and waits for reuse
    After: rings of ``stages``; a prologue fills the first ones; an iteration fills the stage
        ``stages`` - 1 ahead (its block index clamped at the last block) and reads the current one;
        one barrier an iteration hands both over
    Source: the Helios GEMM ladder, Level 1
    """

    name: ClassVar[str] = "multi-buffer"
    analysis: ClassVar[bool] = False

    stages: int = option(2, help="stages of each ring", minimum=1)

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Pipeline every loop that fills single-stage rings; raises PassError if there is none."""
        found: list[tuple[Kernel, FillLoop]] = []
        for kernel in kernels(module, ctx):
            found += [(kernel, loop) for loop in find_fill_loops(kernel)]
        if not found:
            raise PassError(
                module.operation,
                "found no loop that fills single-stage LDS rings; run promote-to-lds first",
            )
        if self.stages == 1:
            return
        for kernel, loop in found:
            pipeline(loop, self.stages)
            check_lds(kernel)
