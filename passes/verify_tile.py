"""verify-tile: check what IRDL cannot say about tile IR.

Before: any tile IR
After:  the same, or an error at the first op that is wrong
Source: the dialect's definitions, dialect_defs/tile.irdl.mlir
Test:   lit_tests/verify-tile
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs.attributes import attribute_error, role_error
from gemm_ladder.passes.analysis.budget import check_lds
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, walk
from gemm_ladder.passes.analysis.ring_flow import check_rings
from gemm_ladder.passes.analysis.shapes import shape_error
from gemm_ladder.passes.analysis.sync import check_barrier, issuer_error
from gemm_ladder.passes.base import PassContext, PassError


@dataclass(frozen=True)
class VerifyTile:
    """Check what IRDL cannot say: shapes, roles, ring slots, waits, barriers, the LDS budget.

    Before: any tile IR
    After: the same. A fill of an LDS slot must be waited for and published by a barrier before the
        slot is read, and a slot must be handed over by a barrier before it is filled again;
        barriers stand only where all their waves come by. Rings that differently tagged roles
        (`tile.role`) share are not followed.
    Source: the dialect's definitions, dialect_defs/tile.irdl.mlir
    """

    name: ClassVar[str] = "verify-tile"
    analysis: ClassVar[bool] = True

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Raise PassError at the first op that is wrong."""
        for kernel in kernels(module, ctx):
            for op in walk(kernel.body):
                # Ahead of the ops in a role, whose checks read its waves.
                if wrong := role_error(op):
                    raise PassError(op, wrong)
                if op.name.startswith("tile."):
                    _check_op(kernel, op)
            check_lds(kernel)
            check_rings(kernel)


def _check_op(kernel: Kernel, op: ir.Operation) -> None:
    wrong = attribute_error(op) or shape_error(kernel, op) or issuer_error(kernel, op)
    if wrong is not None:
        raise PassError(op, wrong)
    if op.name in ("tile.barrier", "tile.arrive", "tile.wait_barrier"):
        check_barrier(op)
