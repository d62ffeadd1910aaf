"""The frame of a lowering pass: which kernels of a module it takes."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.passmanager import PassManager

from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.lowering.backend import Backend
from gemm_ladder.passes.lowering.kernel import lower_kernel
from gemm_ladder.passes.lowering.walk import body, walk


def lower_module(
    module: ir.Module, ctx: PassContext, name: str, backend: Callable[[Target], Backend]
) -> None:
    """Lower the kernels of every gpu.module of ``module`` whose target is lowered by pass ``name``.

    PassError for an unknown target, for one that another pass lowers, and for what a kernel holds
    that cannot be lowered.
    """
    for gpu_module in [op.operation for op in module.body if op.operation.name == "gpu.module"]:
        if "tile.target" not in gpu_module.attributes:
            continue
        target = _target(gpu_module, ctx, name)
        for func in body(gpu_module):
            if func.name == "gpu.func" and _is_tile_kernel(func):
                lower_kernel(func, backend(target), _remarks(func))
    # A rewrite of invalid IR aborts the process; an error raised here does not.
    module.operation.verify()
    # For the reader: address arithmetic repeats itself, and each use has its own constants.
    PassManager.parse("builtin.module(gpu.module(gpu.func(canonicalize,cse)))").run(
        module.operation
    )


def _target(gpu_module: ir.Operation, ctx: PassContext, name: str) -> Target:
    chosen = ir.StringAttr(gpu_module.attributes["tile.target"]).value
    try:
        target = ctx.target(chosen)
    except KeyError:
        raise PassError(gpu_module, f"unknown target '{chosen}'") from None
    if target.lowering != name:
        raise PassError(gpu_module, f"target {chosen} is lowered by {target.lowering}")
    return target


def _is_tile_kernel(func: ir.Operation) -> bool:
    """A kernel that is not lowered yet (a lowered one carries tile.kernel)."""
    if "tile.kernel" in func.attributes:
        return False
    marked = any(name.startswith("tile.") for name in func.attributes)
    return marked or any(op.name.startswith("tile.") for op in walk(func))


def _remarks(func: ir.Operation) -> list[str]:
    """What earlier passes decided (tile.remarks), for the description."""
    if "tile.remarks" not in func.attributes:
        return []
    return [ir.StringAttr(text).value for text in ir.ArrayAttr(func.attributes["tile.remarks"])]
