"""Scalar ALU rows. SCC and wrap-around as in the RDNA4/CDNA5 ISA manuals' SOP tables.

Effects take and return numpy arrays of the signature's types, one element a wave.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import numeric
from .state import Array
from .table import Row

U32, U64, I64 = np.uint32, np.uint64, np.int64
ISA = "CDNA5/RDNA4 ISA, scalar ALU"


def _add_u32(a: Array, b: Array) -> tuple[Array, Array]:
    total = a + b
    return total, total < a


def _add_ci(a: Array, b: Array, carry: Array) -> tuple[Array, Array]:
    total = a.astype(U64) + b + carry
    return total.astype(U32), total > 0xFFFFFFFF


def _sub_ci(a: Array, b: Array, borrow: Array) -> tuple[Array, Array]:
    total = a.astype(I64) - b.astype(I64) - borrow
    return (total & 0xFFFFFFFF).astype(U32), total < 0


def _add_i32(a: Array, b: Array) -> tuple[Array, Array]:
    total = a + b
    return total, ((a ^ total) & (b ^ total)) < 0


def _sub_i32(a: Array, b: Array) -> tuple[Array, Array]:
    total = a - b
    return total, ((a ^ b) & (a ^ total)) < 0


def _lshl_add(shift: int) -> Any:
    def effect(a: Array, b: Array) -> tuple[Array, Array]:
        total = (a.astype(U64) << U64(shift)) + b
        return total.astype(U32), total > 0xFFFFFFFF

    return effect


def _bfe(a: Array, field: Array, bits: int) -> Array:
    """Bit field: offset in the low bits of `field`, width in bits 22:16; sign by a's dtype."""
    offset = field & U32(bits - 1)
    width = np.minimum((field >> U32(16)) & U32(127), U32(bits)).astype(I64)
    moved = a >> offset.astype(a.dtype)
    left = np.clip(bits - width, 0, bits - 1).astype(a.dtype)
    return np.asarray(np.where(width == 0, a.dtype.type(0), (moved << left) >> left))


def _bfm(width: Array, offset: Array) -> Array:
    ones = (U32(1) << (width & U32(31))) - U32(1)
    return np.asarray(ones << (offset & U32(31)))


def _pick(first: Array, a: Array, b: Array) -> tuple[Array, Array]:
    return np.where(first, a, b), first


def _to_unsigned(a: Array) -> Array:
    return np.clip(np.nan_to_num(a.astype(np.float64)), 0, 2**32 - 1).astype(U32)


def _to_signed(a: Array) -> Array:
    return np.clip(np.nan_to_num(a.astype(np.float64)), -(2**31), 2**31 - 1).astype(np.int32)


def _bit(a: Array, b: Array) -> Array:
    width = a.dtype.type(a.itemsize * 8 - 1)
    return np.asarray(((a >> (b.astype(a.dtype) & width)) & a.dtype.type(1)) == 1)


def _shift(a: Array, b: Array) -> Array:
    """Shift counts use the low 5 or 6 bits only."""
    return np.asarray(b.astype(a.dtype) & a.dtype.type(a.itemsize * 8 - 1))


LOGIC: dict[str, Any] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
    "and_not1": lambda a, b: a & ~b,
    "or_not1": lambda a, b: a | ~b,
}
# s_<op>_saveexec: D = EXEC; EXEC = S0 op EXEC. The not0/not1 names negate S0 or EXEC.
SAVEEXEC: dict[str, Any] = {
    **LOGIC,
    "and_not0": lambda a, e: ~a & e,
    "or_not0": lambda a, e: ~a | e,
}
COMPARE: dict[str, Any] = {
    "eq": np.equal, "lg": np.not_equal, "lt": np.less,
    "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip

_MOVES = [
    Row("s_mov_b32", "u32=u32", lambda a: a, ISA),
    Row("s_mov_b64", "u64=u64", lambda a: a, ISA),
    Row("s_movk_i32", "i32=i16", lambda a: a, ISA),
    Row("s_cmov_b32", "u32=u32,scc,dst:u32", lambda a, c, d: np.where(c, a, d), ISA),
    Row("s_cmov_b64", "u64=u64,scc,dst:u64", lambda a, c, d: np.where(c, a, d), ISA),
    Row("s_cselect_b32", "u32=u32,u32,scc", lambda a, b, c: np.where(c, a, b), ISA),
    Row("s_cselect_b64", "u64=u64,u64,scc", lambda a, b, c: np.where(c, a, b), ISA),
    Row("s_pack_ll_b32_b16", "u32=u32,u32", lambda a, b: (a & 0xFFFF) | (b << 16), ISA),
    Row("s_pack_lh_b32_b16", "u32=u32,u32", lambda a, b: (a & 0xFFFF) | (b & 0xFFFF0000), ISA),
    Row("s_pack_hl_b32_b16", "u32=u32,u32", lambda a, b: (a >> 16) | (b << 16), ISA),
    Row("s_pack_hh_b32_b16", "u32=u32,u32", lambda a, b: (a >> 16) | (b & 0xFFFF0000), ISA),
    Row("s_sext_i32_i8", "i32=i32", lambda a: (a << 24) >> 24, ISA),
    Row("s_sext_i32_i16", "i32=i32", lambda a: (a << 16) >> 16, ISA),
]

_ARITHMETIC = [
    Row("s_add_co_u32", "u32,scc=u32,u32", _add_u32, ISA),
    Row("s_add_co_i32", "i32,scc=i32,i32", _add_i32, ISA),
    Row("s_add_co_ci_u32", "u32,scc=u32,u32,scc", _add_ci, ISA),
    Row("s_addk_co_i32", "i32,scc=i16,dst:i32", lambda k, d: _add_i32(d, k.astype(np.int32)), ISA),
    Row("s_sub_co_u32", "u32,scc=u32,u32", lambda a, b: (a - b, a < b), ISA),
    Row("s_sub_co_i32", "i32,scc=i32,i32", _sub_i32, ISA),
    Row("s_sub_co_ci_u32", "u32,scc=u32,u32,scc", _sub_ci, ISA),
    Row("s_add_nc_u64", "u64=u64,u64", lambda a, b: a + b, ISA),
    Row("s_sub_nc_u64", "u64=u64,u64", lambda a, b: a - b, ISA),
    Row("s_mul_i32", "u32=u32,u32", lambda a, b: a * b, ISA),
    Row("s_mulk_i32", "i32=i16,dst:i32", lambda k, d: d * k, ISA),
    Row("s_mul_hi_u32", "u32=u32,u32", numeric.mul_hi, ISA),
    Row("s_mul_hi_i32", "i32=i32,i32", numeric.mul_hi, ISA),
    Row("s_mul_u64", "u64=u64,u64", lambda a, b: a * b, ISA),
    Row("s_abs_i32", "i32,nz=i32", np.abs, ISA),
    Row("s_absdiff_i32", "i32,nz=i32,i32", lambda a, b: np.abs(a - b), ISA),
    Row("s_min_i32", "i32,scc=i32,i32", lambda a, b: _pick(a < b, a, b), ISA),
    Row("s_min_u32", "u32,scc=u32,u32", lambda a, b: _pick(a < b, a, b), ISA),
    Row("s_max_i32", "i32,scc=i32,i32", lambda a, b: _pick(a >= b, a, b), ISA),
    Row("s_max_u32", "u32,scc=u32,u32", lambda a, b: _pick(a >= b, a, b), ISA),
    *(Row(f"s_lshl{n}_add_u32", "u32,scc=u32,u32", _lshl_add(n), ISA) for n in (1, 2, 3, 4)),
]

_BITS = [
    *(Row(f"s_{op}_b{w}", f"u{w},nz=u{w},u{w}", f, ISA) for op, f in LOGIC.items()
      for w in (32, 64)),
    *(Row(f"s_not_b{w}", f"u{w},nz=u{w}", lambda a: ~a, ISA) for w in (32, 64)),
    *(Row(f"s_lshl_b{w}", f"u{w},nz=u{w},u32", lambda a, b: a << _shift(a, b), ISA)
      for w in (32, 64)),
    *(Row(f"s_lshr_b{w}", f"u{w},nz=u{w},u32", lambda a, b: a >> _shift(a, b), ISA)
      for w in (32, 64)),
    *(Row(f"s_ashr_i{w}", f"i{w},nz=i{w},u32", lambda a, b: a >> _shift(a, b), ISA)
      for w in (32, 64)),
    *(Row(f"s_bfe_{t}{w}", f"{t}{w},nz={t}{w},u32", lambda a, b, w=w: _bfe(a, b, w), ISA)
      for t in "ui" for w in (32, 64)),
    Row("s_bfm_b32", "u32=u32,u32", _bfm, ISA),
    Row("s_brev_b32", "u32=u32", numeric.bit_reverse, ISA),
    Row("s_bitset0_b32", "u32=u32,dst:u32", lambda a, d: d & ~(U32(1) << (a & 31)), ISA),
    Row("s_bitset1_b32", "u32=u32,dst:u32", lambda a, d: d | (U32(1) << (a & 31)), ISA),
    *(Row(f"s_bcnt1_i32_b{w}", f"u32,nz=u{w}", numeric.bit_count, ISA) for w in (32, 64)),
    *(Row(f"s_bcnt0_i32_b{w}", f"u32,nz=u{w}", lambda a: numeric.bit_count(~a), ISA)
      for w in (32, 64)),
    *(Row(f"s_ctz_i32_b{w}", f"u32=u{w}", numeric.lowest_bit, ISA) for w in (32, 64)),
    Row("s_clz_i32_u32", "u32=u32", numeric.leading_zeros, ISA),
    *(Row(f"s_{op}_saveexec_b32", "u32,exec,nzexec=u32,exec",
          lambda a, e, f=f: (e, f(a, e)), ISA) for op, f in SAVEEXEC.items()),
]  # fmt: skip

_COMPARES = [
    *(Row(f"s_cmp_{op}_{t}32", f"scc={t}32,{t}32", f, ISA) for op, f in COMPARE.items()
      for t in "uif"),
    *(Row(f"s_cmp_{op}_u64", "scc=u64,u64", COMPARE[op], ISA) for op in ("eq", "lg")),
    *(Row(f"s_bitcmp1_b{w}", f"scc=u{w},u32", _bit, ISA) for w in (32, 64)),
    *(Row(f"s_bitcmp0_b{w}", f"scc=u{w},u32", lambda a, b: ~_bit(a, b), ISA) for w in (32, 64)),
]  # fmt: skip

_FLOATS = [
    Row("s_add_f32", "f32=f32,f32", lambda a, b: a + b, ISA),
    Row("s_sub_f32", "f32=f32,f32", lambda a, b: a - b, ISA),
    Row("s_mul_f32", "f32=f32,f32", lambda a, b: a * b, ISA),
    Row("s_fmac_f32", "f32=f32,f32,dst:f32", numeric.fma32, ISA),
    Row("s_cvt_f32_u32", "f32=u32", lambda a: a.astype(np.float32), ISA),
    Row("s_cvt_f32_i32", "f32=i32", lambda a: a.astype(np.float32), ISA),
    Row("s_cvt_u32_f32", "u32=f32", _to_unsigned, ISA),
    Row("s_cvt_i32_f32", "i32=f32", _to_signed, ISA),
]

ROWS: dict[str, Row] = {
    row.name: row for row in (*_MOVES, *_ARITHMETIC, *_BITS, *_COMPARES, *_FLOATS)
}
