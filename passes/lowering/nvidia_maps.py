"""Tensor maps: what the copy engine is told of an operand, as kernel parameters behind the others.

Source: PTX ISA, Tensors (tiled mode, swizzling modes); CUDA driver API, cuTensorMapEncodeTiled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyAsyncOp
from gemm_ladder.dialect_defs.types import LdsType
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
    lds = LdsType.of(op.ring.type)
    assert lds is not None
    return TensorMap(args.index(memref), _box(op, lds), lds.layout.swizzle)


def boxes(op: CopyAsyncOp) -> list[Box]:
    """The transfers that make up one tile of ``op``."""
    lds = LdsType.of(op.ring.type)
    assert lds is not None
    rows, cols = _box(op, lds)
    row_bytes = lds.row_bytes // (lds.cols // cols)
    return [
        Box((col // cols * lds.rows + row) * row_bytes, row, col)
        for col in range(0, lds.cols, cols)
        for row in range(0, lds.rows, rows)
    ]


def _box(op: CopyAsyncOp, lds: LdsType) -> tuple[int, int]:
    """(rows, cols) of a box: a block's columns, and as many rows as the engine takes."""
    layout, elem_bytes = lds.layout, lds.row_bytes // lds.cols
    row_bytes = layout.block or lds.row_bytes
    if layout.interval or (layout.swizzle and row_bytes != layout.swizzle):
        raise PassError(
            op, f"the tma engine writes blocks as wide as its swizzle, unpadded: not {lds.get()}"
        )
    cols = row_bytes // elem_bytes
    rows = next(n for n in range(min(lds.rows, _BOX_SIDE), 0, -1) if lds.rows % n == 0)
    starts = math.gcd(lds.slot_bytes, rows * row_bytes)
    if cols > _BOX_SIDE or row_bytes % _GLOBAL_ALIGN or starts % _BOX_ALIGN:
        raise PassError(op, f"the tma engine has no boxes for {lds.get()}")
    return rows, cols
