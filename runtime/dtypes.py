"""Element types: numpy forms, exact integer ranges, rounding, and the NaN patterns of the checks.

Two NaNs are kept apart. GUARD fills what a kernel must not touch or use: a quiet NaN, so it shows
in any result computed from it. POISON fills outputs: a *signalling* NaN, which arithmetic turns
quiet, so an element with this very pattern was never written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class ElementType:
    """One element type. `precision` counts significand bits with the hidden one (IEEE 754).

    `min_exponent` is the exponent of the smallest normal number; `bits` the unsigned integer type
    of the same size; `guard` and `poison` are bit patterns.
    """

    name: str
    numpy: np.dtype[Any]
    bits: np.dtype[Any]
    precision: int
    min_exponent: int
    largest: float
    guard: int
    poison: int

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.numpy.itemsize

    @property
    def exact_integers(self) -> int:
        """Every integer of at most this magnitude is representable."""
        return int(2**self.precision)

    def to_bits(self, values: Array) -> Array:
        """Bit patterns of `values` converted to this type (round to nearest, ties to even)."""
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(values.astype(self.numpy)).view(self.bits)

    def half_ulp(self, magnitude: Array) -> Array:
        """Largest rounding error of storing a value of this magnitude, as float64."""
        _, exponent = np.frexp(magnitude)
        floored = np.maximum(exponent.astype(np.int64) - 1, self.min_exponent)
        half: Array = np.ldexp(1.0, floored - self.precision)
        return half


_BF16 = np.dtype(ml_dtypes.bfloat16)
_U2, _U4 = np.dtype(np.uint16), np.dtype(np.uint32)

ELEMENT_TYPES = {
    "bf16": ElementType("bf16", _BF16, _U2, 8, -126, 3.39e38, 0x7FDA, 0x7FA5),
    "f16": ElementType("f16", np.dtype(np.float16), _U2, 11, -14, 65504.0, 0x7EDA, 0x7D5A),
    "f32": ElementType("f32", np.dtype(np.float32), _U4, 24, -126, 3.40e38, 0x7FDADADA, 0x7FA5A5A5),
}
