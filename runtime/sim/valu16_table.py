"""Vector ALU rows on 16-bit halves, packed pairs and comparisons.

A packed row's effect works on one half at a time; op_sel and neg modifiers choose and negate the
halves before it runs. f16 and bf16 arithmetic is done in f32 or f64 and rounded once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import numeric
from .state import Array
from .table import Row

ISA = "CDNA5/RDNA4 ISA, vector ALU"


def _fma16(a: Array, b: Array, c: Array) -> Array:
    """f16 product is exact in f32; the sum in f64 is rounded once more only below 2^-29."""
    total: Array = (a.astype(np.float64) * b + c).astype(np.float16)
    return total


def _fma_bf16(a: Array, b: Array, c: Array) -> Array:
    return numeric.fma32(a, b, c)


def _select(a: Array, b: Array, mask: Array) -> Array:
    return np.where(mask, b, a)


def _shift16(a: Array) -> Array:
    return np.asarray(a & a.dtype.type(15))


_HALF = [
    Row("v_mov_b16", "u16=u16", lambda a: a, ISA),
    Row("v_not_b16", "u16=u16", lambda a: ~a, ISA),
    Row("v_cndmask_b16", "u16=u16,u16,mask", _select, ISA),
    Row("v_and_b16", "u16=u16,u16", lambda a, b: a & b, ISA),
    Row("v_or_b16", "u16=u16,u16", lambda a, b: a | b, ISA),
    Row("v_xor_b16", "u16=u16,u16", lambda a, b: a ^ b, ISA),
    Row("v_lshlrev_b16", "u16=u16,u16", lambda a, b: b << _shift16(a), ISA),
    Row("v_lshrrev_b16", "u16=u16,u16", lambda a, b: b >> _shift16(a), ISA),
    Row("v_ashrrev_i16", "i16=i16,i16", lambda a, b: b >> _shift16(a), ISA),
    Row("v_add_nc_u16", "u16=u16,u16", lambda a, b: a + b, ISA),
    Row("v_add_nc_i16", "i16=i16,i16", lambda a, b: a + b, ISA),
    Row("v_sub_nc_i16", "i16=i16,i16", lambda a, b: a - b, ISA),
    Row("v_sub_nc_u16", "u16=u16,u16", lambda a, b: a - b, ISA),
    Row("v_mul_lo_u16", "u16=u16,u16", lambda a, b: a * b, ISA),
    Row("v_mad_u16", "u16=u16,u16,u16", lambda a, b, c: a * b + c, ISA),
    Row("v_min_u16", "u16=u16,u16", np.minimum, ISA),
    Row("v_max_u16", "u16=u16,u16", np.maximum, ISA),
    Row("v_min_i16", "i16=i16,i16", np.minimum, ISA),
    Row("v_max_i16", "i16=i16,i16", np.maximum, ISA),
    Row("v_add_f16", "f16=f16,f16", lambda a, b: a + b, ISA),
    Row("v_sub_f16", "f16=f16,f16", lambda a, b: a - b, ISA),
    Row("v_mul_f16", "f16=f16,f16", lambda a, b: a * b, ISA),
    Row("v_fma_f16", "f16=f16,f16,f16", _fma16, ISA),
    Row("v_fmac_f16", "f16=f16,f16,dst:f16", _fma16, ISA),
    Row("v_min_num_f16", "f16=f16,f16", np.fmin, ISA),
    Row("v_max_num_f16", "f16=f16,f16", np.fmax, ISA),
    Row("v_pack_b32_f16", "u32=u16,u16", lambda a, b: a.astype(np.uint32)
        | (b.astype(np.uint32) << np.uint32(16)), ISA),
    Row("v_cvt_u32_u16", "u32=u16", lambda a: a, ISA),
    Row("v_cvt_i32_i16", "i32=i16", lambda a: a, ISA),
]  # fmt: skip


def _packed(name: str, kind: str, count: int, effect: Any) -> Row:
    return Row(f"v_pk_{name}", kind + "=" + ",".join([kind] * count), effect, ISA)


PACKED: dict[str, Row] = {
    row.name: row
    for row in (
        *(_packed(f"add_{t}", t, 2, lambda a, b: a + b) for t in ("f32", "f16", "bf16", "u16")),
        *(_packed(f"mul_{t}", t, 2, lambda a, b: a * b) for t in ("f32", "f16", "bf16")),
        _packed("add_i16", "i16", 2, lambda a, b: a + b),
        _packed("sub_u16", "u16", 2, lambda a, b: a - b),
        _packed("sub_i16", "i16", 2, lambda a, b: a - b),
        _packed("mul_lo_u16", "u16", 2, lambda a, b: a * b),
        _packed("mad_u16", "u16", 3, lambda a, b, c: a * b + c),
        _packed("lshlrev_b16", "u16", 2, lambda a, b: b << _shift16(a)),
        _packed("lshrrev_b16", "u16", 2, lambda a, b: b >> _shift16(a)),
        _packed("ashrrev_i16", "i16", 2, lambda a, b: b >> _shift16(a)),
        *(_packed(f"{op}_{t}16", f"{t}16", 2, f) for t in "ui"
          for op, f in (("min", np.minimum), ("max", np.maximum))),
        *(_packed(f"{op}_num_{t}", t, 2, f) for t in ("f16", "bf16")
          for op, f in (("min", np.fmin), ("max", np.fmax))),
        _packed("fma_f32", "f32", 3, numeric.fma32),
        _packed("fma_f16", "f16", 3, _fma16),
        _packed("fma_bf16", "bf16", 3, _fma_bf16),
        _packed("mov_b32", "u32", 2, lambda a, b: (a, b)),
    )
}  # fmt: skip

ORDER: dict[str, Any] = {
    "lt": np.less, "eq": np.equal, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
# Float only: lg is ordered and different, n<op> is "not op", which a NaN makes true.
FLOAT_ORDER: dict[str, Any] = {
    **ORDER,
    "lg": lambda a, b: (a < b) | (a > b),
    "o": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "u": lambda a, b: np.isnan(a) | np.isnan(b),
    "nge": lambda a, b: ~(a >= b),
    "nlg": lambda a, b: ~((a < b) | (a > b)),
    "ngt": lambda a, b: ~(a > b),
    "nle": lambda a, b: ~(a <= b),
    "neq": lambda a, b: ~(a == b),
    "nlt": lambda a, b: ~(a < b),
}
INT_ORDER: dict[str, Any] = {**ORDER, "ne": np.not_equal}

COMPARES: dict[str, Row] = {
    f"v_cmp_{op}_{t}": Row(f"v_cmp_{op}_{t}", f"mask={t},{t}", effect, ISA)
    for kinds, order in (
        (("u16", "i16", "u32", "i32", "u64", "i64"), INT_ORDER),
        (("f16", "bf16", "f32", "f64"), FLOAT_ORDER),
    )
    for t in kinds
    for op, effect in order.items()
}

ROWS: dict[str, Row] = {row.name: row for row in _HALF}
