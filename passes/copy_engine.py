"""copy-engine: whole tiles are moved by an engine that one wave asks for each.

Before: copy_async(%A, %A_LDS[next]), copy_async(%B, %B_LDS[next]) by every wave
After:  gfx1250: copy_async(%A, %A_LDS[next]) {tdm, issuer 0}, copy_async(%B, ..) {tdm, issuer 1},
                 made only where the block exists
        sm_90a:  if more { arrive(full[next], bytes); copy_async(%A, ..) {tma, full[next]}; .. };
                 wait_barrier(full[current], phase) before the reads, no wait for copies
Source: the Helios GEMM ladder, Level 7; PTX ISA, cp.async.bulk.tensor and mbarrier
Test:   lit_tests/copy-engine
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs.target import Engine
from gemm_ladder.dialect_defs.tile import AllocOp, CopyLike
from gemm_ladder.passes.analysis.budget import check_lds
from gemm_ladder.passes.analysis.engine_rules import refusal
from gemm_ladder.passes.analysis.full_barrier import complete_by_barrier
from gemm_ladder.passes.analysis.full_plan import full_plan
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, ops_named
from gemm_ladder.passes.analysis.posted_fills import post_fills
from gemm_ladder.passes.analysis.remarks import remark
from gemm_ladder.passes.analysis.staged_loop import find_staged_loops, lds_fills
from gemm_ladder.passes.base import PassContext, PassError


@dataclass(frozen=True)
class CopyEngine:
    """Whole tiles are moved by an engine that one wave asks for each.

    Before: copies into LDS, by registers or asynchronous, in which every wave moves its part
    After: TDM: the waves that issue take turns, so that both engines work, and the last fills ahead
        are predicated instead of clamped. TMA: an mbarrier slot a stage counts its bytes, and the
        waits for copies give way to waits for it; the barrier behind the reads stays. An operand
        that the engine may not move keeps its copies, with a remark
    Source: the Helios GEMM ladder, Level 7; PTX ISA, cp.async.bulk.tensor and mbarrier
    """

    name: ClassVar[str] = "copy-engine"
    analysis: ClassVar[bool] = False

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Move every ring's fills to the target's engine; raises PassError without any, without
        an engine, or where a loop's slots do not tell which fill a read waits for."""
        found = [(kernel, _engine(kernel)) for kernel in kernels(module, ctx)]
        if not any(lds_fills(kernel.body) for kernel, _ in found):
            raise PassError(module.operation, "found no copy into LDS; run promote-to-lds first")
        for kernel, engine in found:
            rings = [ring for ring in _rings(kernel) if _legal(kernel, engine, ring, ctx)]
            if rings and kernel.target.has("mbarrier"):
                _complete(kernel, engine, rings)
            elif rings:
                post_fills(kernel, engine, rings)


def _engine(kernel: Kernel) -> Engine:
    """The widest engine that moves whole tiles."""
    found = next((e for e in kernel.target.engines if not e.per_lane), None)
    if found is None:
        raise PassError(kernel.func, f"{kernel.target.name} has no engine that copies whole tiles")
    return found


def _complete(kernel: Kernel, engine: Engine, rings: list[AllocOp]) -> None:
    """Rewrite every loop that fills ``rings``."""
    held = [ring.results[0] for ring in rings]
    loops = [x for x in find_staged_loops(kernel) if any(c.dst in held for c in x.fills)]
    if not loops:
        raise PassError(rings[0], "no loop fills and reads this ring: nothing to count phases in")
    for plan in [full_plan(loop, held, engine.name) for loop in loops]:
        complete_by_barrier(plan)
    check_lds(kernel)


def _rings(kernel: Kernel) -> list[AllocOp]:
    return [AllocOp(op) for op in ops_named(kernel.body, "tile.alloc")]


def _legal(kernel: Kernel, engine: Engine, ring: AllocOp, ctx: PassContext) -> bool:
    """Whether ``engine`` may make all fills of ``ring`` and does not do so yet; a remark if not."""
    fills = [c for c in lds_fills(kernel.body) if c.dst == ring.results[0]]
    fills = [c for c in fills if not is_posted(c)]
    reasons = [reason for fill in fills if (reason := refusal(engine, fill)) is not None]
    if reasons:
        path = (
            "asynchronous copies" if fills[0].operation.name == "tile.copy_async" else "registers"
        )
        name = ring.str_attr("name", "a ring")
        remark(kernel, ctx, fills[0].location, f"{name} is filled through {path}: {reasons[0]}")
    return bool(fills) and not reasons


def is_posted(copy: CopyLike) -> bool:
    """Whether an engine moves the whole tile for one wave already."""
    return copy.str_attr("engine", "async") != "async" or "issuer" in copy.operation.attributes
