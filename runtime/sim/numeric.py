"""Number formats and exact arithmetic that numpy lacks. Arrays in, arrays out; any shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def bf16_to_f32(bits: Array) -> Array:
    """bf16 bits (any unsigned type) as f32; exact."""
    return np.asarray((bits.astype(np.uint32) << np.uint32(16)).view(np.float32))


def f32_to_bf16(value: Array) -> Array:
    """f32 to bf16 bits (uint16), round to nearest even, NaN made quiet."""
    value = np.ascontiguousarray(value, dtype=np.float32)
    bits = value.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    return np.asarray(np.where(np.isnan(value), quiet, rounded).astype(np.uint16))


def f32_to_f16_rtz(value: Array) -> Array:
    """f32 to f16, round towards zero (v_cvt_pk_rtz_f16_f32)."""
    near = value.astype(np.float16)
    over = np.abs(near.astype(np.float32)) > np.abs(value)
    return np.where(over & ~np.isinf(value), np.nextafter(near, np.float16(0)), near)


def fma32(a: Array, b: Array, c: Array) -> Array:
    """f32 a * b + c with one rounding.

    The product is exact in f64. The f64 sum is rounded to odd (its error decides), which makes
    the final rounding to f32 the only one that counts (Boldo and Melquiond, 2008).
    """
    product = a.astype(np.float64) * b
    addend = c.astype(np.float64)
    total = np.asarray(product + addend)
    # Only half way between two f32, or below the normal range, can rounding twice matter.
    low = total.view(np.int64) & 0x1FFFFFFF
    if not ((low == 0x10000000) | ((np.abs(total) < 2.0**-126) & (total != 0))).any():
        return np.asarray(total.astype(np.float32))
    back = total - product
    error = (product - (total - back)) + (addend - back)
    fix = np.asarray((error > 0) | (error < 0))
    if fix.any():
        bits = total.view(np.int64)
        fix &= np.isfinite(total) & ((bits & 1) == 0)
        away = (error > 0) == (total > 0)
        total = (bits + np.where(fix, np.where(away, 1, -1), 0)).view(np.float64)
    return np.asarray(total.astype(np.float32))


def mul_hi(a: Array, b: Array) -> Array:
    """High 32 bits of the 64-bit product; both unsigned or both signed 32-bit."""
    wide = np.int64 if a.dtype == np.int32 else np.uint64
    return np.asarray((a.astype(wide) * b.astype(wide)) >> wide(32)).astype(a.dtype)


def bit_reverse(value: Array) -> Array:
    """Bits 31..0 of each uint32 in reverse order."""
    value = np.asarray(value, dtype=np.uint32)
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        low, step = np.uint32(mask), np.uint32(shift)
        value = ((value >> step) & low) | ((value & low) << step)
    return np.asarray((value >> np.uint32(16)) | (value << np.uint32(16)))


def bit_count(value: Array) -> Array:
    """Number of ones in each unsigned 32- or 64-bit value, as uint32."""
    raw = np.ascontiguousarray(value)
    octets = raw.view(np.uint8).reshape(*raw.shape, raw.itemsize)
    return np.asarray(np.unpackbits(octets, axis=-1).sum(axis=-1).astype(np.uint32))


def lowest_bit(value: Array) -> Array:
    """Index of the lowest one; all ones (-1) where there is none. Result uint32."""
    width = value.dtype.itemsize * 8
    one = value.dtype.type(1)
    index = bit_count((value & (~value + one)) - one)
    return np.where(index == width, np.uint32(0xFFFFFFFF), index)


def leading_zeros(value: Array) -> Array:
    """Zeros above the highest one of each uint32; all ones (-1) where there is none."""
    index = lowest_bit(bit_reverse(value))
    return index


def perm(high: Array, low: Array, select: Array) -> Array:
    """v_perm_b32: each selector byte picks a byte of {high, low}, a sign, 0x00 or 0xff."""
    wide = (high.astype(np.uint64) << np.uint64(32)) | low
    result = np.zeros(np.broadcast(high, low, select).shape, dtype=np.uint32)
    for lane in range(4):
        code = ((select >> np.uint32(8 * lane)) & np.uint32(0xFF)).astype(np.uint64)
        byte = (wide >> (np.uint64(8) * (code & np.uint64(7)))) & np.uint64(0xFF)
        sign = (wide >> (np.uint64(16) * (code & np.uint64(3)) + np.uint64(15))) & np.uint64(1)
        byte = np.where((code >= 8) & (code <= 11), sign * np.uint64(0xFF), byte)
        byte = np.where(code == 12, np.uint64(0), np.where(code >= 13, np.uint64(0xFF), byte))
        result |= byte.astype(np.uint32) << np.uint32(8 * lane)
    return result
