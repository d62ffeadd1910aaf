"""Vector ALU rows, 32 and 64 bit. Effects work on typed arrays that broadcast to [n, 32].

FMA is exact (one rounding). Reciprocal, square root, exp2 and log2 are correctly rounded here;
hardware promises 1 ulp. Denormals are kept, as the descriptors LLVM writes ask for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import numeric
from .state import Array
from .table import Row

U32, U64 = np.uint32, np.uint64
ISA = "CDNA5/RDNA4 ISA, vector ALU"


def _bfe(a: Array, offset: Array, width: Array) -> Array:
    """Field of the low 5 bits of offset and width; sign extended when `a` is signed."""
    start = (offset & U32(31)).astype(a.dtype)
    size = width & U32(31)
    left = np.minimum(U32(32) - size, U32(31)).astype(a.dtype)
    return np.asarray(np.where(size == 0, a.dtype.type(0), ((a >> start) << left) >> left))


def _shift32(amount: Array) -> Array:
    return np.asarray(amount & U32(31))


def _shift64(amount: Array) -> Array:
    return np.asarray((amount & U32(63)).astype(U64))


def _u24(a: Array) -> Array:
    return np.asarray(a & U32(0xFFFFFF))


def _i24(a: Array) -> Array:
    return (a << 8) >> 8


def _add_co(a: Array, b: Array) -> tuple[Array, Array]:
    total = a + b
    return total, total < a


def _add_ci(a: Array, b: Array, carry: Array) -> tuple[Array, Array]:
    total = a.astype(U64) + b + carry
    return total.astype(U32), total > 0xFFFFFFFF


def _sub_ci(a: Array, b: Array, borrow: Array) -> tuple[Array, Array]:
    total = a.astype(np.int64) - b.astype(np.int64) - borrow
    return (total & 0xFFFFFFFF).astype(U32), total < 0


def _mad_co(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    product = a.astype(np.dtype(c.dtype)) * b.astype(np.dtype(c.dtype))
    total = product + c
    return total, total.view(U64) < c.view(U64)


def _mad_wide(a: Array, b: Array, c: Array) -> Array:
    return np.asarray(a.astype(c.dtype) * b.astype(c.dtype) + c)


def _align(a: Array, b: Array, amount: Array, unit: int) -> Array:
    count = (amount & U32(31 if unit == 1 else 3)).astype(U64) * U64(unit)
    return np.asarray((((a.astype(U64) << U64(32)) | b) >> count).astype(U32))


def _clip(a: Array, kind: Any) -> Array:
    """Float to integer, towards zero, saturating, NaN to 0."""
    limits = np.iinfo(kind)
    wide = np.nan_to_num(np.trunc(a.astype(np.float64)), nan=0.0)
    return np.asarray(np.clip(wide, limits.min, limits.max).astype(kind))


def _pack_bf16(a: Array, b: Array) -> Array:
    low, high = numeric.f32_to_bf16(a), numeric.f32_to_bf16(b)
    return np.asarray(low.astype(U32) | (high.astype(U32) << U32(16)))


def _pack_f16(a: Array, b: Array) -> Array:
    low, high = a.astype(np.float16).view(np.uint16), b.astype(np.float16).view(np.uint16)
    return np.asarray(low.astype(U32) | (high.astype(U32) << U32(16)))


def _pack_f16_rtz(a: Array, b: Array) -> Array:
    return _pack_f16(numeric.f32_to_f16_rtz(a), numeric.f32_to_f16_rtz(b))


def _median(a: Array, b: Array, c: Array) -> Array:
    found: Array = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    return found


def _median_num(a: Array, b: Array, c: Array) -> Array:
    """v_med3_num: with a NaN among them the result is the minimum of the three."""
    some = np.isnan(a) | np.isnan(b) | np.isnan(c)
    return np.where(some, np.fmin(np.fmin(a, b), c), _median(a, b, c))


def _select(a: Array, b: Array, mask: Array) -> Array:
    return np.where(mask, b, a)


_MOVES = [
    Row("v_mov_b32", "u32=u32", lambda a: a, ISA),
    Row("v_mov_b64", "u64=u64", lambda a: a, ISA),
    Row("v_not_b32", "u32=u32", lambda a: ~a, ISA),
    Row("v_cndmask_b32", "f32=f32,f32,mask", _select, ISA),
    Row("v_bfrev_b32", "u32=u32", numeric.bit_reverse, ISA),
    Row("v_perm_b32", "u32=u32,u32,u32", numeric.perm, ISA),
    Row("v_bfi_b32", "u32=u32,u32,u32", lambda m, a, b: (m & a) | (~m & b), ISA),
    Row("v_bfe_u32", "u32=u32,u32,u32", _bfe, ISA),
    Row("v_bfe_i32", "i32=i32,u32,u32", _bfe, ISA),
    Row("v_bfm_b32", "u32=u32,u32", lambda a, b: ((U32(1) << (a & 31)) - 1) << (b & 31), ISA),
    Row("v_bcnt_u32_b32", "u32=u32,u32", lambda a, b: numeric.bit_count(a) + b, ISA),
    Row("v_ctz_i32_b32", "u32=u32", numeric.lowest_bit, ISA),
    Row("v_clz_i32_u32", "u32=u32", numeric.leading_zeros, ISA),
    Row("v_alignbit_b32", "u32=u32,u32,u32", lambda a, b, c: _align(a, b, c, 1), ISA),
    Row("v_alignbyte_b32", "u32=u32,u32,u32", lambda a, b, c: _align(a, b, c, 8), ISA),
]

_INTEGER = [
    Row("v_add_nc_u32", "u32=u32,u32", lambda a, b: a + b, ISA),
    Row("v_sub_nc_u32", "u32=u32,u32", lambda a, b: a - b, ISA),
    Row("v_add_nc_i32", "i32=i32,i32", lambda a, b: a + b, ISA),
    Row("v_sub_nc_i32", "i32=i32,i32", lambda a, b: a - b, ISA),
    Row("v_subrev_nc_u32", "u32=u32,u32", lambda a, b: b - a, ISA),
    Row("v_add_nc_u64", "u64=u64,u64", lambda a, b: a + b, ISA),
    Row("v_sub_nc_u64", "u64=u64,u64", lambda a, b: a - b, ISA),
    Row("v_mul_u64", "u64=u64,u64", lambda a, b: a * b, ISA),
    Row("v_add_co_u32", "u32,mask=u32,u32", _add_co, ISA),
    Row("v_sub_co_u32", "u32,mask=u32,u32", lambda a, b: (a - b, a < b), ISA),
    Row("v_subrev_co_u32", "u32,mask=u32,u32", lambda a, b: (b - a, b < a), ISA),
    Row("v_add_co_ci_u32", "u32,mask=u32,u32,mask", _add_ci, ISA),
    Row("v_sub_co_ci_u32", "u32,mask=u32,u32,mask", _sub_ci, ISA),
    Row("v_subrev_co_ci_u32", "u32,mask=u32,u32,mask", lambda a, b, c: _sub_ci(b, a, c), ISA),
    Row("v_add3_u32", "u32=u32,u32,u32", lambda a, b, c: a + b + c, ISA),
    Row("v_xad_u32", "u32=u32,u32,u32", lambda a, b, c: (a ^ b) + c, ISA),
    Row("v_mul_lo_u32", "u32=u32,u32", lambda a, b: a * b, ISA),
    Row("v_mul_hi_u32", "u32=u32,u32", numeric.mul_hi, ISA),
    Row("v_mul_hi_i32", "i32=i32,i32", numeric.mul_hi, ISA),
    Row("v_mul_u32_u24", "u32=u32,u32", lambda a, b: _u24(a) * _u24(b), ISA),
    Row("v_mul_i32_i24", "i32=i32,i32", lambda a, b: _i24(a) * _i24(b), ISA),
    Row("v_mul_hi_u32_u24", "u32=u32,u32", lambda a, b: numeric.mul_hi(_u24(a), _u24(b)), ISA),
    Row("v_mad_u32_u24", "u32=u32,u32,u32", lambda a, b, c: _u24(a) * _u24(b) + c, ISA),
    Row("v_mad_i32_i24", "i32=i32,i32,i32", lambda a, b, c: _i24(a) * _i24(b) + c, ISA),
    Row("v_mad_u32", "u32=u32,u32,u32", lambda a, b, c: a * b + c, ISA),
    Row("v_mad_nc_u64_u32", "u64=u32,u32,u64", _mad_wide, ISA),
    Row("v_mad_nc_i64_i32", "i64=i32,i32,i64", _mad_wide, ISA),
    Row("v_mad_co_u64_u32", "u64,mask=u32,u32,u64", _mad_co, ISA),
    Row("v_mad_co_i64_i32", "i64,mask=i32,i32,i64", _mad_co, ISA),
    Row("v_sad_u32", "u32=u32,u32,u32", lambda a, b, c: np.maximum(a, b) - np.minimum(a, b) + c,
        ISA),
    *(Row(f"v_{op}_{t}{w}", f"{t}{w}={t}{w},{t}{w}", f, ISA) for t in "ui" for w in (32, 64)
      for op, f in (("min", np.minimum), ("max", np.maximum))),
    *(Row(f"v_{op}3_{t}32", f"{t}32={t}32,{t}32,{t}32", lambda a, b, c, f=f: f(f(a, b), c), ISA)
      for t in "ui" for op, f in (("min", np.minimum), ("max", np.maximum))),
    *(Row(f"v_med3_{t}32", f"{t}32={t}32,{t}32,{t}32", _median, ISA) for t in "ui"),
]  # fmt: skip

_LOGIC = [
    Row("v_and_b32", "u32=u32,u32", lambda a, b: a & b, ISA),
    Row("v_or_b32", "u32=u32,u32", lambda a, b: a | b, ISA),
    Row("v_xor_b32", "u32=u32,u32", lambda a, b: a ^ b, ISA),
    Row("v_xnor_b32", "u32=u32,u32", lambda a, b: ~(a ^ b), ISA),
    Row("v_or3_b32", "u32=u32,u32,u32", lambda a, b, c: a | b | c, ISA),
    Row("v_xor3_b32", "u32=u32,u32,u32", lambda a, b, c: a ^ b ^ c, ISA),
    Row("v_and_or_b32", "u32=u32,u32,u32", lambda a, b, c: (a & b) | c, ISA),
    Row("v_lshl_or_b32", "u32=u32,u32,u32", lambda a, b, c: (a << _shift32(b)) | c, ISA),
    Row("v_lshl_add_u32", "u32=u32,u32,u32", lambda a, b, c: (a << _shift32(b)) + c, ISA),
    Row("v_add_lshl_u32", "u32=u32,u32,u32", lambda a, b, c: (a + b) << _shift32(c), ISA),
    Row("v_lshl_add_u64", "u64=u64,u32,u64", lambda a, b, c: (a << _shift64(b)) + c, ISA),
    Row("v_lshlrev_b32", "u32=u32,u32", lambda a, b: b << _shift32(a), ISA),
    Row("v_lshrrev_b32", "u32=u32,u32", lambda a, b: b >> _shift32(a), ISA),
    Row("v_ashrrev_i32", "i32=u32,i32", lambda a, b: b >> _shift32(a).astype(np.int32), ISA),
    Row("v_lshlrev_b64", "u64=u32,u64", lambda a, b: b << _shift64(a), ISA),
    Row("v_lshrrev_b64", "u64=u32,u64", lambda a, b: b >> _shift64(a), ISA),
    Row("v_ashrrev_i64", "i64=u32,i64", lambda a, b: b >> _shift64(a).astype(np.int64), ISA),
]

_FLOAT = [
    Row("v_add_f32", "f32=f32,f32", lambda a, b: a + b, ISA),
    Row("v_sub_f32", "f32=f32,f32", lambda a, b: a - b, ISA),
    Row("v_subrev_f32", "f32=f32,f32", lambda a, b: b - a, ISA),
    Row("v_mul_f32", "f32=f32,f32", lambda a, b: a * b, ISA),
    Row("v_fma_f32", "f32=f32,f32,f32", numeric.fma32, ISA),
    Row("v_fmac_f32", "f32=f32,f32,dst:f32", numeric.fma32, ISA),
    Row("v_fmamk_f32", "f32=f32,f32,f32", numeric.fma32, ISA),
    Row("v_fmaak_f32", "f32=f32,f32,f32", numeric.fma32, ISA),
    Row("v_min_num_f32", "f32=f32,f32", np.fmin, ISA),
    Row("v_max_num_f32", "f32=f32,f32", np.fmax, ISA),
    Row("v_minimum_f32", "f32=f32,f32", np.minimum, ISA),
    Row("v_maximum_f32", "f32=f32,f32", np.maximum, ISA),
    Row("v_med3_num_f32", "f32=f32,f32,f32", _median_num, ISA),
    Row("v_rcp_f32", "f32=f32", lambda a: np.float32(1) / a, ISA),
    Row("v_rcp_iflag_f32", "f32=f32", lambda a: np.float32(1) / a, ISA),
    Row("v_rsq_f32", "f32=f32", lambda a: 1 / np.sqrt(a.astype(np.float64)), ISA),
    Row("v_sqrt_f32", "f32=f32", np.sqrt, ISA),
    Row("v_exp_f32", "f32=f32", lambda a: np.exp2(a.astype(np.float64)), ISA),
    Row("v_log_f32", "f32=f32", lambda a: np.log2(a.astype(np.float64)), ISA),
    Row("v_trunc_f32", "f32=f32", np.trunc, ISA),
    Row("v_floor_f32", "f32=f32", np.floor, ISA),
    Row("v_ceil_f32", "f32=f32", np.ceil, ISA),
    Row("v_rndne_f32", "f32=f32", np.rint, ISA),
    Row("v_ldexp_f32", "f32=f32,i32", lambda a, b: np.ldexp(a, b), ISA),
    Row("v_add_f64", "f64=f64,f64", lambda a, b: a + b, ISA),
    Row("v_mul_f64", "f64=f64,f64", lambda a, b: a * b, ISA),
]

_CONVERT = [
    Row("v_cvt_f32_u32", "f32=u32", lambda a: a, ISA),
    Row("v_cvt_f32_i32", "f32=i32", lambda a: a, ISA),
    Row("v_cvt_u32_f32", "u32=f32", lambda a: _clip(a, np.uint32), ISA),
    Row("v_cvt_i32_f32", "i32=f32", lambda a: _clip(a, np.int32), ISA),
    Row("v_cvt_f64_f32", "f64=f32", lambda a: a, ISA),
    Row("v_cvt_f32_f64", "f32=f64", lambda a: a, ISA),
    Row("v_cvt_f32_f16", "f32=f16", lambda a: a, ISA),
    Row("v_cvt_f16_f32", "f16=f32", lambda a: a, ISA),
    Row("v_cvt_f32_bf16", "f32=bf16", lambda a: a, ISA),
    *(Row(f"v_cvt_f32_ubyte{n}", "f32=u32", lambda a, n=n: (a >> U32(8 * n)) & U32(255), ISA)
      for n in range(4)),
    Row("v_cvt_pk_bf16_f32", "u32=f32,f32", _pack_bf16, ISA),
    Row("v_cvt_pk_f16_f32", "u32=f32,f32", _pack_f16, ISA),
    Row("v_cvt_pk_rtz_f16_f32", "u32=f32,f32", _pack_f16_rtz, ISA),
    Row("v_cvt_pkrtz_f16_f32", "u32=f32,f32", _pack_f16_rtz, ISA),
]  # fmt: skip

# With clamp these saturate to the type's range instead of wrapping.
SATURATING: dict[str, Any] = {
    **{f"v_add_nc_{t}": np.add for t in ("u32", "i32", "u16", "i16")},
    **{f"v_sub_nc_{t}": np.subtract for t in ("u32", "i32", "u16", "i16")},
    "v_subrev_nc_u32": lambda a, b: b - a,
}

ROWS: dict[str, Row] = {row.name: row for row in (*_MOVES, *_INTEGER, *_LOGIC, *_FLOAT, *_CONVERT)}
