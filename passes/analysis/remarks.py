"""Remarks: told to the user, and kept on the kernel for its description."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.passes.analysis.kernel import Kernel
from gemm_ladder.passes.base import PassContext


def remark(kernel: Kernel, ctx: PassContext, where: ir.Location, text: str) -> None:
    """Tell the user ``text`` of a kernel, and add it to its `tile.remarks`; once each."""
    attributes = kernel.func.operation.attributes
    known = list(ir.ArrayAttr(attributes["tile.remarks"])) if "tile.remarks" in attributes else []
    made = ir.StringAttr.get(text)
    if made not in known:
        ctx.remark(where, text)
        attributes["tile.remarks"] = ir.ArrayAttr.get([*known, made])
