"""Compare one output with what a case expects: which elements are wrong, unwritten or NaN."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .dtypes import Array
from .inputs import Case


@dataclass(frozen=True)
class Verdict:
    """Counts over all elements of C. `never_written` and `nans` (written ones) are
    part of `mismatches`.

    `error` is the largest |result - reference| relative to its bound's element: the pair (error,
    bound) is that of the element `worst` = (m, n), with the `got` and `want` values there.
    """

    mismatches: int
    never_written: int
    nans: int
    error: float
    bound: float
    worst: tuple[int, int] | None
    got: float
    want: float


_NOTHING = Verdict(0, 0, 0, 0.0, 0.0, None, 0.0, 0.0)


def compare(bits: Array, case: Case) -> Verdict:
    """Judge the output's bit patterns (M x N).

    An exact case wants the reference rounded to nearest even; zeros may have either sign. A normal
    one wants every error within its bound. An overflow that the rounding also has is right.
    """
    if bits.size == 0:
        return _NOTHING
    with np.errstate(over="ignore", invalid="ignore"):
        values = bits.view(case.out.numpy).astype(np.float64)
        rounded = case.reference.astype(case.out.numpy).astype(np.float64)
        error = np.abs(values - case.reference)
        error = np.where(np.isnan(error), np.inf, error)
    same = values == rounded
    right = same if case.exact else same | (error <= case.bound)
    if case.exact:
        error = np.where(same, 0.0, error)
    untouched = _untouched(bits, case)
    worst = _worst(error, case.bound, right)
    return Verdict(
        mismatches=int((~right).sum()),
        never_written=int((untouched & ~right).sum()),
        nans=int((np.isnan(values) & ~untouched).sum()),
        error=float(error[worst]),
        bound=float(case.bound[worst]),
        worst=worst,
        got=float(values[worst]),
        want=float(rounded[worst] if case.exact else case.reference[worst]),
    )


def _untouched(bits: Array, case: Case) -> Array:
    """Elements that still hold what was there before the launch: poison, or the first C."""
    if case.c is None:
        return np.asarray(bits == case.out.poison)
    return np.asarray(bits == case.out.to_bits(case.c))


def _worst(error: Array, bound: Array, right: Array) -> tuple[int, int]:
    """(m, n) of the largest error relative to its bound; a wrong element before a right one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(bound > 0, error / bound, error)
    ratio = np.where(right, np.minimum(ratio, 1.0) - 2.0, ratio)
    m, n = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    return int(m), int(n)
