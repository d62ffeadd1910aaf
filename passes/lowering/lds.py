"""Where each LDS ring of a kernel lies, and the budget."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import llvm

from gemm_ladder.dialect_defs.tile import AllocOp, BarrierCreateOp
from gemm_ladder.dialect_defs.types import BarType
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.backend import Backend
from gemm_ladder.passes.lowering.walk import walk

LDS_SPACE = 3
MBARRIER_BYTES = 8


@dataclass(frozen=True)
class Rings:
    """Byte offset of each ring and mbarrier (old values) and the bytes of all."""

    offsets: dict[ir.Value, int]
    total: int


def place_rings(func: ir.Operation, backend: Backend) -> Rings:
    """Lay out the rings of ``func``; PassError with the sum if they exceed the target's LDS.

    A ring lies behind the ones before it, at its `offset` attribute, or on top of its alias. The
    slots of mbarriers, 8 bytes each (PTX ISA, mbarrier object), lie behind all rings.
    """
    offsets: dict[ir.Value, int] = {}
    end, parts, last = 0, [], func
    for op in walk(func):
        if op.name != "tile.alloc":
            continue
        view, last = AllocOp(op), op
        start = -(-end // backend.lds_align) * backend.lds_align
        if len(op.operands):
            start = offsets[op.operands[0]]
        elif "offset" in op.attributes:
            start = view.int_attr("offset")
        if start % backend.lds_align:
            message = f"offset {start:,} is no multiple of {backend.lds_align} bytes"
            raise PassError(op, f"{message}, which {backend.target.name} needs")
        offsets[op.results[0]] = start
        end = max(end, start + view.lds.total_bytes)
        alias = ", shared" if len(op.operands) else ""
        stages = f"{view.lds.stages} x {view.lds.slot_bytes:,}"
        parts.append(f"{view.str_attr('name', 'ring')} {stages} at {start:,}{alias}")
    for op in walk(func):
        if op.name == "tile.barrier_create" and BarrierCreateOp(op).str_attr("kind") == "mbarrier":
            start, last = -(-end // MBARRIER_BYTES) * MBARRIER_BYTES, op
            offsets[op.results[0]], end = start, start + _slots(op) * MBARRIER_BYTES
            parts.append(f"barrier {_slots(op)} x {MBARRIER_BYTES} at {start:,}")
    if end > backend.target.lds_bytes:
        budget = f"{backend.target.name} has {backend.target.lds_bytes:,} B"
        raise PassError(last, f"needs {end:,} B of LDS, {budget}: {' + '.join(parts)}")
    return Rings(offsets, end)


def _slots(op: ir.Operation) -> int:
    bar = BarType.of(op.results[0].type)
    assert bar is not None
    return bar.slots


def make_global(name: str, total: int, backend: Backend, dynamic: bool) -> None:
    """The kernel's LDS block; with ``dynamic`` its size is given at launch."""
    size = 0 if dynamic else total
    block = ir.Type.parse(f"!llvm.array<{size} x i8>")
    linkage = ir.Attribute.parse(f"#llvm.linkage<{'external' if dynamic else 'internal'}>")
    llvm.GlobalOp(block, name, linkage, alignment=backend.lds_align, addr_space=LDS_SPACE)


def address(name: str) -> ir.Value:
    """Pointer to the kernel's LDS block."""
    return llvm.AddressOfOp(emit.pointer_type(LDS_SPACE), name).result
