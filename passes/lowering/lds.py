"""The block of LDS of a lowered kernel."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import llvm

from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.backend import Backend

LDS_SPACE = 3


def make_global(name: str, total: int, backend: Backend, dynamic: bool) -> None:
    """The kernel's LDS block; with ``dynamic`` its size is given at launch."""
    size = 0 if dynamic else total
    block = ir.Type.parse(f"!llvm.array<{size} x i8>")
    linkage = ir.Attribute.parse(f"#llvm.linkage<{'external' if dynamic else 'internal'}>")
    llvm.GlobalOp(block, name, linkage, alignment=backend.target.lds_align, addr_space=LDS_SPACE)


def address(name: str) -> ir.Value:
    """Pointer to the kernel's LDS block."""
    return llvm.AddressOfOp(emit.pointer_type(LDS_SPACE), name).result
