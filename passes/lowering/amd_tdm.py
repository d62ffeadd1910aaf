"""The tensor data mover: one instruction moves a tile between global memory and LDS.

Source: AMD Instinct CDNA5 ISA 10.11, tensor DMA descriptors (D#), groups 0 and 1: a tile of two
dimensions needs no more. Bounds count from the tile's start, so the descriptor's tensor dimensions
are what is left of the operand; what lies beyond arrives as zeros and is not written back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from mlir import ir
from mlir.dialects import arith, llvm, rocdl

from gemm_ladder.dialect_defs.tile import CopyAsyncOp
from gemm_ladder.dialect_defs.types import LdsType, element_bytes
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.state import State, memref_facts

DWORD = 4  # bytes: the unit of rows, padding intervals and padding
_TILE_MAX = 2**16 - 1  # elements of a tile along one dimension: 16 bits
_VALID = -(2**31)  # descriptor type 2 in bits 127:126, over the 57-bit address

Word: TypeAlias = "int | ir.Value"  # 32 bits; a Python int is a constant


def copy(state: State, op: CopyAsyncOp, mask: ir.Value | None) -> None:
    """Emit the transfer of ``op``; ``mask`` (i32) are the workgroups that share a load.

    PassError for a tile that a descriptor cannot say.
    """
    lds = LdsType.of(op.ring.type)
    assert lds is not None
    memref = op.src if op.fills_lds else op.dst
    facts = memref_facts(memref.type, op.operation)
    _check(op, lds, memref, facts)
    where = _group0(state, op, memref, facts, lds)
    shape = _group1(state, op, facts, lds, 0 if mask is None else mask)
    (rocdl.tensor_load_to_lds_d2 if op.fills_lds else rocdl.tensor_store_from_lds_d2)(
        _vector(where), _vector(shape), 0
    )


def _check(
    op: CopyAsyncOp, lds: LdsType, memref: ir.Value, facts: tuple[int, int, int, int]
) -> None:
    size, layout = element_bytes(lds.elem), lds.layout
    if ir.MemRefType(memref.type).element_type != lds.elem:
        raise PassError(op, f"engine tdm does not convert {memref.type} to or from {lds.elem}")
    if size not in (1, 2, 4, 8) or max(lds.rows, lds.cols) > _TILE_MAX:
        raise PassError(op, f"engine tdm moves no tile of {lds.rows}x{lds.cols} {lds.elem}")
    if lds.row_bytes % DWORD or facts[2] % size:
        raise PassError(op, f"engine tdm needs rows of whole {DWORD}-byte words")
    if layout.interval and not op.fills_lds:
        raise PassError(op, "engine tdm cannot read an LDS tile with padding")
    if layout.interval and (_interval(layout.interval) is None or not _pads(layout.pad)):
        raise PassError(op, f"engine tdm cannot pad {layout.pad} bytes each {layout.interval}")


def _interval(size: int) -> int | None:
    """Encoding of a padding interval of ``size`` bytes; None if there is none. 0 is not used."""
    dwords = size // DWORD
    if size % DWORD or dwords & (dwords - 1) or not 4 <= dwords <= 256:
        return None
    return dwords.bit_length() - 2


def _pads(size: int) -> bool:
    return size % DWORD == 0 and DWORD < size <= 128 * DWORD


def _group0(
    state: State,
    op: CopyAsyncOp,
    memref: ir.Value,
    facts: tuple[int, int, int, int],
    lds: LdsType,
) -> list[Word]:
    """One valid descriptor, the LDS byte, and the address of the tile's first element."""
    _, _, pitch, start = facts
    place = llvm.PtrToIntOp(emit.int_type(32), state.value(op.ring)).result
    if lds.stages > 1:
        place = emit.add(place, emit.mul(emit.to_i32(state.value(op.slot)), lds.slot_bytes))
    row, col = (emit.to_i64(state.value(value)) for value in op.coords)
    address = llvm.PtrToIntOp(emit.int_type(64), emit.offset(state.value(memref), start)).result
    address = emit.add(address, emit.mul(row, pitch))
    address = emit.add(address, emit.mul(col, element_bytes(lds.elem)))
    high = emit.narrow(arith.shrui(address, emit.i64(32)))
    return [1, place, emit.narrow(address), _or(high, _VALID)]


def _group1(
    state: State, op: CopyAsyncOp, facts: tuple[int, int, int, int], lds: LdsType, mask: Word
) -> list[Word]:
    """Element size, padding, what is left of the operand, the tile and the operand's row pitch."""
    size = element_bytes(lds.elem)
    head = (size.bit_length() - 1) << 16
    if lds.layout.interval:
        interval = _interval(lds.layout.interval)
        assert interval is not None
        head |= 1 << 20 | interval << 22 | (lds.layout.pad // DWORD - 1) << 25
    rows, cols = (
        _left(state, value, extent)
        for value, extent in zip(op.extents, (lds.rows, lds.cols), strict=True)
    )
    pitch = facts[2] // size
    return [
        _or(mask, head),
        _shl(cols, 16),
        _or(_shr(cols, 16), _shl(rows, 16)),
        _or(_shr(rows, 16), lds.cols << 16),
        lds.rows,
        pitch & 0xFFFFFFFF,
        pitch >> 32 & 0xFFFF,
        0,
    ]


def _left(state: State, value: ir.Value, extent: int) -> Word:
    """How many of ``extent`` elements exist; the extent itself where all surely do."""
    bounds = state.ranges.bounds(value)
    if bounds is not None and bounds[0] >= extent:
        return extent
    left = emit.to_i32(state.value(value))
    if bounds is not None and bounds[0] >= 0:
        return left
    return arith.maxsi(left, emit.i32(0))


def _or(a: Word, b: Word) -> Word:
    if isinstance(a, int) and isinstance(b, int):
        return a | b
    left, right = (emit.i32(_signed(x)) if isinstance(x, int) else x for x in (a, b))
    if 0 in (a, b):
        return left if b == 0 else right
    return arith.ori(left, right)


def _shl(a: Word, by: int) -> Word:
    return a << by & 0xFFFFFFFF if isinstance(a, int) else arith.shli(a, emit.i32(by))


def _shr(a: Word, by: int) -> Word:
    return a >> by if isinstance(a, int) else arith.shrui(a, emit.i32(by))


def _signed(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word


def _vector(words: Sequence[Word]) -> ir.Value:
    """A vector of i32; the constant words first, so that they are one constant."""
    type_ = emit.vector(len(words), emit.int_type(32))
    fixed = [
        ir.IntegerAttr.get(emit.int_type(32), _signed(w)) if isinstance(w, int) else None
        for w in words
    ]
    zero = ir.IntegerAttr.get(emit.int_type(32), 0)
    value = arith.constant(type_, ir.DenseElementsAttr.get([w or zero for w in fixed], type_))
    for i, word in enumerate(words):
        if not isinstance(word, int):
            value = llvm.insertelement(value, word, emit.i32(i))
    return value
