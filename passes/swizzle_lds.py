"""swizzle-lds: order the 16-byte pieces of A and B in LDS by xor instead of padding them apart.

Before: %A_LDS = alloc: [stages, 128, 64] bf16, {interval = 128, pad = 16}
After:  %A_LDS = alloc: [stages, 128, 64] bf16, {block = 128, swizzle = 128}
Source: PTX ISA, Tensor: Swizzling Modes
Test:   lit_tests/swizzle-lds
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.dialect_defs.tile import AllocOp, CopyLike, LoadOp
from gemm_ladder.dialect_defs.types import SWIZZLES, Layout, LdsType
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, ops_named
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class SwizzleLds:
    """Order the 16-byte pieces of A and B in LDS by xor instead of padding them apart.

    Before: rings that products read, padded or packed
    After: the same rings cut into blocks of columns of ``bytes``, swizzled over as many: rows that
        lie one above the other start in different banks, no byte is spent on padding, and engines
        that know the pattern can write it. A ring with rows of no whole block keeps its layout.
    Source: PTX ISA, Tensor: Swizzling Modes
    """

    name: ClassVar[str] = "swizzle-lds"
    analysis: ClassVar[bool] = False

    bytes: int | None = option(
        None, help="bytes of a block's row: 32, 64 or 128; auto: the most that divide a row"
    )

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Change the layout of every operand's ring; raises PassError if there is none."""
        if self.bytes is not None and self.bytes not in SWIZZLES[1:]:
            known = ", ".join(map(str, SWIZZLES[1:]))
            raise PassError(module.operation, f"bytes is {self.bytes}; a swizzle has {known}")
        rings = [(kernel, ring) for kernel in kernels(module, ctx) for ring in _rings(kernel)]
        if not rings:
            message = "found no LDS ring that a product reads; run promote-to-lds first"
            raise PassError(module.operation, message)
        for kernel, ring in rings:
            self._swizzle(kernel, ring, ctx)

    def _swizzle(self, kernel: Kernel, ring: AllocOp, ctx: PassContext) -> None:
        lds = ring.lds
        size = _block(lds.row_bytes, self.bytes)
        if size is None:
            wanted = "32" if self.bytes is None else self.bytes
            name = ring.str_attr("name", "a ring")
            text = f"{name} keeps its layout: rows of {lds.row_bytes} B are no multiple of {wanted}"
            ctx.remark(ring.location, text)
            return
        layout = Layout(block=size, swizzle=size)
        if layout == lds.layout:
            return
        _check_uses(kernel.target, ring)
        new = LdsType(lds.stages, lds.rows, lds.cols, lds.elem, layout)
        ring.results[0].set_type(new.get())


def _rings(kernel: Kernel) -> list[AllocOp]:
    """The rings that feed products: loaded as an operand, or read by a product itself."""
    read = set()
    for op in ops_named(kernel.body, "tile.load", "tile.mma"):
        if op.name == "tile.mma":
            read |= set(list(op.operands)[:2])
        elif LoadOp(op).frag.role != "acc":
            read.add(LoadOp(op).src)
    return [AllocOp(op) for op in ops_named(kernel.body, "tile.alloc") if op.results[0] in read]


def _block(row_bytes: int, wanted: int | None) -> int | None:
    sizes = sorted(SWIZZLES[1:], reverse=True) if wanted is None else [wanted]
    return next((size for size in sizes if row_bytes % size == 0), None)


def _check_uses(target: Target, ring: AllocOp) -> None:
    """Raise PassError if a use of ``ring`` fixes its layout, or the place of the next ring."""
    if "offset" in ring.operation.attributes:
        raise PassError(ring, "the ring has an offset; run swizzle-lds before partition-lds")
    for use in ring.results[0].uses:
        op = use.owner.operation
        if not op.name.startswith("tile."):
            raise PassError(op, f"{op.name} passes the ring on; its layout has to stay")
        if op.name != "tile.copy_async":
            continue
        engine = target.engine(CopyLike(op).str_attr("engine"))
        if engine is not None and not (engine.per_lane or engine.swizzles):
            raise PassError(op, f"engine {engine.name} cannot write a swizzled tile: it only pads")
