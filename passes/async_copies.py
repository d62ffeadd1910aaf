"""async-copies: fills of LDS run beside the waves, which wait for them only at the hand-off.

Before: for %k { copy(%A, %A_LDS[next]); load(%A_LDS[current]); mma; wait; arrive; wait_barrier }
After:  for %k { load(%A_LDS[current]); copy_async(%A, %A_LDS[next]); wait lds; mma; wait copy;
                 fence; arrive; wait_barrier; fence }
Source: the Helios GEMM ladder, Level 2; PTX ISA, cp.async
Test:   lit_tests/async-copies
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs.build_copies import Posting, copy_async
from gemm_ladder.dialect_defs.target import Engine
from gemm_ladder.dialect_defs.tile import AllocOp, CopyLike
from gemm_ladder.passes.analysis.engine_rules import refusal
from gemm_ladder.passes.analysis.fill_order import order_fills
from gemm_ladder.passes.analysis.fill_waits import settle_waits
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, ops_named
from gemm_ladder.passes.analysis.remarks import remark
from gemm_ladder.passes.analysis.staged_loop import find_staged_loops, lds_fills
from gemm_ladder.passes.base import PassContext, PassError


@dataclass(frozen=True)
class AsyncCopies:
    """Fills of LDS run beside the waves, which wait for them only at the hand-off.

    Before: copies into LDS through registers, each wave's part held until it has arrived
    After: the same copies by the asynchronous engine, posted behind the reads of the current
        stage; a copy whose rows are not aligned for the engine stays, with a remark
    Source: the Helios GEMM ladder, Level 2; PTX ISA, cp.async
    """

    name: ClassVar[str] = "async-copies"
    analysis: ClassVar[bool] = False

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Convert every ring's fills that the engine may make; raises PassError without any."""
        found = [
            (kernel, _engine(kernel), lds_fills(kernel.body)) for kernel in kernels(module, ctx)
        ]
        if not any(fills for _, _, fills in found):
            raise PassError(module.operation, "found no copy into LDS; run promote-to-lds first")
        for kernel, engine, _ in found:
            changed = [_convert(kernel, engine, ring, ctx) for ring in _rings(kernel)]
            if any(changed):
                for loop in find_staged_loops(kernel):
                    order_fills(loop)
                    settle_waits(loop)


def _engine(kernel: Kernel) -> Engine:
    engine = kernel.target.engine("async")
    if engine is None:
        raise PassError(kernel.func, f"{kernel.target.name} has no asynchronous copies")
    return engine


def _rings(kernel: Kernel) -> list[AllocOp]:
    return [AllocOp(op) for op in ops_named(kernel.body, "tile.alloc")]


def _convert(kernel: Kernel, engine: Engine, ring: AllocOp, ctx: PassContext) -> bool:
    """Convert the fills of ``ring`` if the engine may make all of them; whether it did."""
    fills = [c for c in lds_fills(kernel.body) if c.dst == ring.results[0]]
    fills = [c for c in fills if c.operation.name == "tile.copy"]
    reasons = [reason for fill in fills if (reason := refusal(engine, fill)) is not None]
    if reasons:
        name = ring.str_attr("name", "a ring")
        remark(kernel, ctx, fills[0].location, f"{name} is filled through registers: {reasons[0]}")
        return False
    for fill in fills:
        _replace(fill)
    return bool(fills)


def _replace(fill: CopyLike) -> None:
    with ir.InsertionPoint(fill), fill.location:
        copy_async(fill, Posting("async"))
    fill.operation.erase()
