"""Which copies an engine may make: alignment, the LDS layout that it can write, whole operands."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs.target import Engine
from gemm_ladder.dialect_defs.tile import CopyLike
from gemm_ladder.dialect_defs.types import LdsType, element_bytes


def refusal(engine: Engine, copy: CopyLike) -> str | None:
    """Why ``engine`` may not make ``copy``; None if it may."""
    ring = LdsType.of(copy.ring.type)
    assert ring is not None
    memory = copy.src if copy.fills_lds else copy.dst
    return refusal_of(engine, ring, memory, copy.int_attr("align"))


def refusal_of(engine: Engine, ring: LdsType, memory: ir.Value, align: int) -> str | None:
    """Why ``engine`` may not copy between ``memory`` and a slot of ``ring``; None if it may.

    ``align`` is the bytes to which the tile's rows in memory, and their extent, are aligned.
    """
    if align < engine.align:
        return f"rows aligned to {align} bytes, {engine.name} needs {engine.align}"
    if ring.row_bytes % engine.row_align:
        return f"tile rows of {ring.row_bytes} bytes, no multiple of {engine.row_align}"
    if engine.per_lane:
        return None
    return _layout(engine, ring) or _operand(memory)


def _layout(engine: Engine, ring: LdsType) -> str | None:
    layout = ring.layout
    width = layout.block or ring.row_bytes
    if width != ring.row_bytes and not engine.swizzles:
        return f"{engine.name} writes whole rows, not blocks of {width} bytes"
    if layout.swizzle and (not engine.swizzles or width > layout.swizzle):
        return f"{engine.name} does not swizzle rows of {width} bytes by {layout.swizzle}"
    if width // element_bytes(ring.elem) > engine.row_max:
        return f"rows of {width} bytes, {engine.name} moves at most {engine.row_max} elements"
    if not layout.pad:
        return None
    if not engine.pad_max:
        return f"its ring is padded, {engine.name} packs rows; run swizzle-lds first"
    steps = layout.interval & (layout.interval - 1) == 0 and layout.interval <= engine.interval_max
    if not steps or layout.pad > engine.pad_max:
        return (
            f"{layout.pad} bytes of padding every {layout.interval}; {engine.name} leaves up to"
            f" {engine.pad_max}, every power of two up to {engine.interval_max}"
        )
    return None


def _operand(memory: ir.Value) -> str | None:
    """A descriptor is of a whole kernel argument."""
    memref = ir.MemRefType(memory.type)
    if not isinstance(memory.owner, ir.Block):
        return "the operand is no argument of the kernel"
    if 0 in memref.shape:
        return "the operand is empty"
    _, offset = memref.get_strides_and_offset()
    return None if offset == 0 else "the operand starts at an offset"
