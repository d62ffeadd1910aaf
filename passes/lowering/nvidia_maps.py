"""Tensor maps: what the copy engine is told of an operand, as kernel parameters behind the others.

Source: PTX ISA, Tensors (tiled mode, swizzling modes); CUDA driver API, cuTensorMapEncodeTiled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyAsyncOp
from gemm_ladder.dialect_defs.types import LdsType, element_bytes
from gemm_ladder.passes.analysis.kernel import defining
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.backend import Parameter
from gemm_ladder.passes.lowering.state import State, memref_facts
from gemm_ladder.passes.lowering.walk import function_of, walk

_BOX_SIDE = 256  # elements of a box along one dimension, at most
_BOX_ALIGN = 128  # bytes: alignment of a box in shared memory
_GLOBAL_ALIGN = 16  # bytes: alignment of the operand's base and rows


@dataclass(frozen=True)
class TensorMap:
    """Argument number ``arg`` in boxes of (rows, cols) elements, ``swizzle`` in bytes."""

    arg: int
    box: tuple[int, int]
    swizzle: int

    def attribute(self) -> ir.Attribute:
        """As an entry of `tile.kernel`'s tensor_maps."""
        box = f"[{self.box[0]}, {self.box[1]}]"
        return ir.Attribute.parse(f"{{arg = {self.arg}, box = {box}, swizzle = {self.swizzle}}}")


@dataclass(frozen=True)
class Box:
    """One transfer of a tile: its byte offset in the slot, and its (row, col) in the tile."""

    byte: int
    row: int
    col: int


def is_tma(op: ir.Operation) -> bool:
    """Whether ``op`` is a copy by the tensor memory accelerator."""
    return op.name == "tile.copy_async" and CopyAsyncOp(op).str_attr("engine") == "tma"


def maps_of(func: ir.Operation) -> list[TensorMap]:
    """The maps that ``func`` (tile IR) needs, each once; PassError for a copy that has none."""
    found = (map_of(func, CopyAsyncOp(op)) for op in walk(func) if is_tma(op))
    return list(dict.fromkeys(found))


def parameters(func: ir.Operation) -> list[Parameter]:
    """One kernel parameter for each map: 128 bytes by value, which code generation says of it."""
    return [Parameter(emit.pointer_type(0), ir.DictAttr.get({})) for _ in maps_of(func)]


def facts(func: ir.Operation) -> Mapping[str, ir.Attribute]:
    """The entry of `tile.kernel`; none if there are no maps."""
    found = [found.attribute() for found in maps_of(func)]
    return {"tensor_maps": ir.ArrayAttr.get(found)} if found else {}


def pointer(state: State, op: CopyAsyncOp) -> ir.Value:
    """The address of the map that ``op`` uses."""
    func = function_of(op.operation)
    return state.params[maps_of(func).index(map_of(func, op))]


def map_of(func: ir.Operation, op: CopyAsyncOp) -> TensorMap:
    """The map that ``op``, a tma copy in ``func``, needs; PassError if there can be none."""
    memref = op.src if op.fills_lds else op.dst
    args = list(func.regions[0].blocks[0].arguments)
    if defining(memref) is not None or memref not in args:
        raise PassError(op, "the tma engine copies from and to kernel arguments")
    rows, cols, pitch, start = memref_facts(memref.type, op.operation)
    if not rows or not cols or start or pitch % _GLOBAL_ALIGN:
        raise PassError(
            op, f"the tma engine needs rows of whole {_GLOBAL_ALIGN} bytes, not {memref.type}"
        )
    lds = _lds(op)
    return TensorMap(args.index(memref), _box(op, lds), lds.layout.swizzle)


def start(state: State, op: CopyAsyncOp) -> ir.Value:
    """i32 byte offset in the ring of the tile, or of the part of one, that ``op`` moves."""
    lds = _lds(op)
    slot, (down, across) = emit.to_i32(state.value(op.slot)), op.parts
    if (down, across) == (1, 1):
        return emit.mul(slot, lds.slot_bytes)
    row_bytes = _row_bytes(lds)
    below = lds.rows // down * row_bytes
    beside = lds.rows * lds.row_bytes // across
    step = below if across == 1 else beside
    if step * down * across == lds.slot_bytes and 1 in (down, across):
        return emit.mul(slot, step)
    part = emit.urem(slot, down * across)
    at = emit.mul(emit.udiv(slot, down * across), lds.slot_bytes)
    at = emit.add(at, emit.mul(emit.udiv(part, across), below))
    return emit.add(at, emit.mul(emit.urem(part, across), beside))


def boxes(op: CopyAsyncOp) -> list[Box]:
    """The transfers that make up one tile of ``op``, or a part of one."""
    lds = _lds(op)
    rows, cols = _box(op, lds)
    row_bytes, (down, across) = _row_bytes(lds), op.parts
    return [
        Box((col // cols * lds.rows + row) * row_bytes, row, col)
        for col in range(0, lds.cols // across, cols)
        for row in range(0, lds.rows // down, rows)
    ]


def _lds(op: CopyAsyncOp) -> LdsType:
    lds = LdsType.of(op.ring.type)
    assert lds is not None
    return lds


def _row_bytes(lds: LdsType) -> int:
    """Bytes from row to row."""
    return lds.layout.block or lds.row_bytes


def _box(op: CopyAsyncOp, lds: LdsType) -> tuple[int, int]:
    """(rows, cols) of a box: a block's columns, and as many rows as the engine takes."""
    layout, row_bytes = lds.layout, _row_bytes(lds)
    if layout.interval or (layout.swizzle and row_bytes != layout.swizzle):
        raise PassError(
            op, f"the tma engine writes blocks as wide as its swizzle, unpadded: not {lds.get()}"
        )
    cols = row_bytes // element_bytes(lds.elem)
    (down, across), part = op.parts, lds.rows // op.parts[0]
    rows = next(n for n in range(min(part, _BOX_SIDE), 0, -1) if part % n == 0)
    starts = math.gcd(lds.slot_bytes, rows * row_bytes)
    fits = cols <= _BOX_SIDE and row_bytes % _GLOBAL_ALIGN == 0 and starts % _BOX_ALIGN == 0
    if not fits or lds.rows % down or lds.cols % (across * cols):
        raise PassError(op, f"the tma engine has no boxes for {lds.get()} in {down} x {across}")
    # A swizzle is a pattern of 8 rows: parts begin where it does.
    if layout.swizzle and part * row_bytes % (8 * layout.swizzle) and down > 1:
        raise PassError(op, f"parts of {part} rows begin within the swizzle's pattern")
    return rows, cols
