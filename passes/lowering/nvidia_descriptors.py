"""Where a warpgroup's operand lies in LDS: the matrix descriptor, in uniform arithmetic.

Source: PTX ISA, wgmma: Strides, Matrix descriptor, Shared Memory Matrix Layouts. With the 128-byte
swizzle both orders are made of pieces of 8 lines of 128 bytes, 1024 bytes each. Along k (K-major)
a line is 64 elements of one row; along m or n (MN-major) a line is 64 rows of one k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, llvm

from gemm_ladder.dialect_defs.target import Atom
from gemm_ladder.dialect_defs.tile import MmaOp
from gemm_ladder.dialect_defs.types import LdsType, element_bytes
from gemm_ladder.passes.analysis.coords import split
from gemm_ladder.passes.analysis.kernel import constant
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.crew import waves_of
from gemm_ladder.passes.lowering.state import State

_LINE = 128  # bytes: a block of the layout, and its swizzle
_PIECE = 1024  # bytes: 8 lines
_UNIT = 16  # bytes that the descriptor counts in
_STRIDE_SHIFT, _LEADING_SHIFT, _MODE_SHIFT = 32, 16, 62
_ADDRESS_MASK = 0x3FFF
_SWIZZLE_128 = 1  # of the two-bit mode


@dataclass(frozen=True)
class Matrix:
    """One operand: i64 descriptor of its first element, and how to get to others.

    ``depth`` is the elements along k from there on. ``k_unit`` and ``mn_unit`` are the bytes of a
    step of one along k, within a line or from line to line, and along m or n.
    """

    start: ir.Value
    k_major: bool
    depth: int
    lds: LdsType
    first_k: int

    def step(self, mn: int, k: int) -> int:
        """What is added to the descriptor for the element (mn, k) after the first."""
        bytes_ = _place(self.lds, self.k_major, mn, self.first_k + k)
        return (bytes_ - _place(self.lds, self.k_major, 0, self.first_k)) // _UNIT


def a_matrix(state: State, op: MmaOp, ring: ir.Value, coords: Sequence[ir.Value]) -> Matrix:
    """Operand a: the 64 rows of the warpgroup of which ``coords`` (slot, row, col) name 16."""
    transposed = bool(op.int_attr("transpose_a"))
    mn = coords[2] if transposed else coords[1]
    _check_rows(state, op, mn)
    group = arith.andi(emit.to_i32(state.value(mn)), emit.i32(-64))
    return _matrix(state, op, ring, coords, not transposed, group)


def b_matrix(
    state: State, op: MmaOp, ring: ir.Value, coords: Sequence[ir.Value], atom: Atom
) -> Matrix:
    """Operand b, the same for the four warps."""
    transposed = bool(op.int_attr("transpose_b"))
    mn = coords[1] if transposed else coords[2]
    _check_same(state, op, mn)
    whole = 8 if transposed else _LINE // element_bytes(_ring(op, ring).elem)
    if state.ranges.divisor(mn) % whole or (not transposed and atom.n % whole):
        raise PassError(op, f"operand b of {atom.name} starts at multiples of {whole} columns")
    return _matrix(state, op, ring, coords, transposed, emit.to_i32(state.value(mn)))


def _matrix(
    state: State,
    op: MmaOp,
    ring: ir.Value,
    coords: Sequence[ir.Value],
    k_major: bool,
    mn: ir.Value,
) -> Matrix:
    lds = _ring(op, ring)
    _check_same(state, op, coords[0])
    first_k = constant(coords[2 if k_major else 1])
    if first_k is None or first_k % 16:
        raise PassError(op, "a product of LDS operands starts at a constant multiple of 16 along k")
    unit = _LINE if k_major else lds.rows * element_bytes(lds.elem)
    at = emit.add(emit.mul(mn, unit), _place(lds, k_major, 0, first_k))
    address = llvm.PtrToIntOp(emit.int_type(32), state.value(ring)).result
    # In a cluster a shared address also says whose it is, in bits that the descriptor has not.
    units = arith.andi(emit.udiv(emit.add(address, at), _UNIT), emit.i32(_ADDRESS_MASK))
    place = emit.widen(units)
    leading = _UNIT if k_major else lds.rows * _LINE
    modes = (
        (_PIECE // _UNIT) << _STRIDE_SHIFT
        | (leading // _UNIT) << _LEADING_SHIFT
        | _SWIZZLE_128 << _MODE_SHIFT
    )
    start = arith.ori(place, emit.i64(modes))
    if lds.stages > 1:
        slot = emit.mul(emit.to_i32(state.value(coords[0])), lds.slot_bytes // _UNIT)
        start = emit.add(start, emit.widen(slot))
    depth = (lds.cols if k_major else lds.rows) - first_k
    return Matrix(start, k_major, depth, lds, first_k)


def _place(lds: LdsType, k_major: bool, mn: int, k: int) -> int:
    """Byte of element (mn, k) in the slot, before the swizzle, which the hardware applies."""
    row, byte = (mn, k) if k_major else (k, mn)
    blocks, within = divmod(byte * element_bytes(lds.elem), _LINE)
    return (blocks * lds.rows + row) * _LINE + within


def _ring(op: MmaOp, ring: ir.Value) -> LdsType:
    lds = LdsType.of(ring.type)
    assert lds is not None
    if (lds.layout.block, lds.layout.swizzle) != (_LINE, _LINE) or lds.rows % 8:
        raise PassError(
            op,
            f"a warpgroup reads blocks of {_LINE} bytes with a swizzle of {_LINE}, not {lds.get()};"
            " run swizzle-lds",
        )
    return lds


def _participants(state: State, op: MmaOp) -> list[range]:
    """The warpgroups that execute ``op``; PassError if a part of one does."""
    waves = waves_of(op.operation, state.waves)
    groups = sorted({wave // 4 for wave in waves})
    if len(waves) != 4 * len(groups):
        raise PassError(op, "a part of a warpgroup of four consecutive waves cannot multiply")
    return [range(4 * group, 4 * group + 4) for group in groups]


def _check_rows(state: State, op: MmaOp, value: ir.Value) -> None:
    """The waves of a group have to own consecutive 16 rows of an aligned 64."""
    found = split(value, state.waves)
    if found is not None and not any(state.ranges.divisor(term) % 64 for term in found.uniform):
        offsets = found.offsets
        groups = _participants(state, op)
        steps = [[offsets[w] - 16 * (w - group[0]) for w in group] for group in groups]
        if all(len(set(same)) == 1 and same[0] % 64 == 0 for same in steps):
            return
    raise PassError(op, "the waves of a warpgroup have to multiply consecutive 16 rows each")


def _check_same(state: State, op: MmaOp, value: ir.Value) -> None:
    """The waves of a group have to name one ``value``."""
    found = split(value, state.waves)
    if found is not None:
        groups = _participants(state, op)
        if all(len({found.offsets[w] for w in group}) == 1 for group in groups):
            return
    raise PassError(op, "the waves of a warpgroup have to read one operand b of one slot")
