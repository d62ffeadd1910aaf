"""warp-specialize: some waves only fill LDS, the others only multiply.

Before: for %k { fill(next); wait full; load; mma; hand over }
After:  if producer { for %k { wait empty[slot]; fill(slot) } }
        else { for %k { wait full[slot]; load; arrive empty[slot]; mma }; store }
Source: NVIDIA CUTLASS, Efficient GEMM in CUDA: Warp Specialization (Hopper)
Test:   lit_tests/warp-specialize
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.passes.analysis.kernel import Kernel, kernels
from gemm_ladder.passes.analysis.role_branches import Crews, part_roles
from gemm_ladder.passes.analysis.role_plan import RolePlan, find_plan
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option

# Waves that share one copy of the instruction stream's resources on NVIDIA: a warpgroup.
_GROUP = 4


@dataclass(frozen=True)
class WarpSpecialize:
    """Some waves only fill LDS, the others only multiply.

    Before: a loop that fills stages of LDS ahead and reads the current one, on all waves
    After: an scf.if tagged `tile.role` = producer; its waves go round the ring filling what
        `empty[slot]` says is read, the others, whose numbers start behind them, multiply what
        `full[slot]` says is filled. Where the target can move registers between warpgroups, each
        role states its budget.
    Source: NVIDIA CUTLASS, Efficient GEMM in CUDA: Warp Specialization (Hopper)
    """

    name: ClassVar[str] = "warp-specialize"
    analysis: ClassVar[bool] = False

    producers: int = option(1, help="warpgroups (4 waves) that fill", minimum=1)
    consumers: int | None = option(
        None, help="warpgroups that multiply; auto: as many as there are", minimum=1
    )
    producer_regs: int | None = option(
        None,
        help="registers a lane of a producer; auto: 40, 104 where fills pass through registers",
        minimum=24,
    )
    consumer_regs: int | None = option(
        None, help="registers a lane of a consumer; auto: 232 and 200", minimum=24
    )
    lag: int = option(
        1, help="products in LDS that may still run when a stage is handed back (0 or 1)", minimum=0
    )

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Part the roles of every kernel; raises PassError where they cannot part."""
        found: list[tuple[Kernel, RolePlan]] = []
        for kernel in kernels(module, ctx):
            if not kernel.target.has("mbarrier"):
                raise PassError(
                    kernel.func, f"{kernel.target.name} has no mbarriers (capability mbarrier)"
                )
            found.append((kernel, find_plan(kernel)))
        for kernel, plan in found:
            part_roles(plan, self._crews(kernel, plan))

    def _crews(self, kernel: Kernel, plan: RolePlan) -> Crews:
        """Waves and registers of both roles; raises PassError where the workgroup has no room."""
        waves, target = kernel.waves(), kernel.target
        groups = waves // _GROUP
        if waves % _GROUP or self.consumers not in (None, groups):
            wanted = "whole warpgroups" if self.consumers is None else f"{self.consumers}"
            raise PassError(
                kernel.func,
                f"the kernel's {waves} waves are {waves / _GROUP:g} warpgroups of consumers, not"
                f" {wanted}: change waves of tile-workgroup",
            )
        first = self.producers * _GROUP
        threads = (first + waves) * target.wave_size
        if threads > target.threads_max:
            raise PassError(
                kernel.func,
                f"needs {threads} threads, {target.name} allows {target.threads_max} a workgroup",
            )
        if self.lag > 1:
            raise PassError(
                kernel.func, f"lag is {self.lag}; a stage is handed back at most 1 late"
            )
        registers = self._registers(kernel, plan, first, waves)
        return Crews(first, waves, registers, self.lag)

    def _registers(
        self, kernel: Kernel, plan: RolePlan, first: int, waves: int
    ) -> tuple[int, int] | None:
        """Both roles' budgets; None where the target keeps equal shares, or these are enough."""
        target = kernel.target
        if not target.has("setmaxnreg"):
            return None
        budgets = (
            self.producer_regs or (40 if plan.one_wave else 104),
            self.consumer_regs or (232 if plan.one_wave else 200),
        )
        if any(b % 8 or b > 256 for b in budgets):
            raise PassError(
                kernel.func,
                f"budgets of {budgets[0]} and {budgets[1]} registers; setmaxnreg takes multiples of"
                " 8 from 24 to 256",
            )
        parts = [w * target.wave_size * b for w, b in zip((first, waves), budgets, strict=True)]
        entry = target.register_budget((first + waves) * target.wave_size) // 8 * 8
        if sum(parts) > target.registers_total:
            raise PassError(
                kernel.func,
                f"needs {sum(parts):,} registers (producers {first} waves of {budgets[0]},"
                f" consumers {waves} of {budgets[1]} a lane), {target.name} has"
                f" {target.registers_total:,}; at equal shares each lane has {entry}",
            )
        # What a role has already cannot be asked for: an increase must increase.
        return budgets if budgets[0] <= entry < budgets[1] else None
