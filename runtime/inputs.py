"""Inputs of a check and what the result must be: a float64 reference with its error bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .artefact import Contract, Kernel
from .dtypes import ELEMENT_TYPES, Array, ElementType
from .errors import ArtefactError

KINDS = ("normal", "integer", "ones")

# Sums of integers below 2^24 are exact in f32 in any order. One bit less also leaves matrix cores
# room that align addends to the largest before adding.
_EXACT_SUM = 2**23


@dataclass(frozen=True)
class Case:
    """One input and its expected output.

    a is M x K and b is K x N whatever the kernel's layouts; c is M x N or None when the kernel does
    not accumulate. `reference` is exact to float64; `bound` the largest allowed |result -
    reference| per element, all zero when the result must have the reference's rounded bits.
    """

    kind: str
    a: Array
    b: Array
    c: Array | None
    reference: Array
    bound: Array
    exact: bool
    out: ElementType

    def operands(self, contract: Contract) -> tuple[Array, Array, Array | None]:
        """(A, B, C) as the kernel stores them."""
        a = self.a if contract.a_order == "mk" else self.a.T
        b = self.b if contract.b_order == "kn" else self.b.T
        return a, b, self.c


def make_case(kernel: Kernel, kind: str, seed: int) -> Case:
    """Deterministic inputs of a kind in KINDS. Raises ArtefactError without a contract."""
    contract = kernel.contract
    if contract is None:
        raise ArtefactError(f"kernel {kernel.name} has no contract: nothing to check against")
    if len(kernel.args) != 3:
        raise ArtefactError(f"kernel {kernel.name} has {len(kernel.args)} arguments, not A, B, C")
    types = [ELEMENT_TYPES[arg.dtype] for arg in kernel.args[:3]]
    generator = np.random.default_rng([seed, KINDS.index(kind)])
    a, b, c = _values(contract, types, kind, generator)
    initial = np.zeros((contract.m, contract.n)) if c is None else c.astype(np.float64)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    reference = initial + wide_a @ wide_b
    out = types[2]
    bound = np.zeros_like(reference)
    if kind == "normal":
        magnitude = np.abs(initial) + np.abs(wide_a) @ np.abs(wide_b)
        bound = error_bound(reference, magnitude, contract.k, out)
    return Case(kind, a, b, c, reference, bound, kind != "normal", out)


def error_bound(reference: Array, magnitude: Array, k: int, out: ElementType) -> Array:
    """Bound of |computed - exact| for f32 accumulation of k products in any order.

    Every rounding errs by at most eps * (the sum of all magnitudes), and at most k + k/8 + 2 of
    them meet in one element: one addition for each product, one for each group of 8 or more that a
    matrix core sums internally, one for C and one in reserve. eps = 2^-23 is a whole f32 ulp,
    because matrix cores may truncate; units that round to nearest (half of it) have the other half
    for rounding their products, where they do not fuse. Then the result is stored: half an ulp of
    the output type, at the largest magnitude the sum can have. (Higham, Accuracy and Stability of
    Numerical Algorithms, section 3.1.) With k = 0 nothing is rounded.
    """
    roundings = k + k // 8 + 2 if k else 0
    sums = roundings * 2.0**-23 * magnitude
    if out.name == "f32":
        return sums
    return sums + (out.half_ulp(np.abs(reference) + sums) if k else 0.0)


def _values(
    contract: Contract, types: list[ElementType], kind: str, generator: np.random.Generator
) -> tuple[Array, Array, Array | None]:
    """A (m x k), B (k x n) and C or None, each already rounded to its element type."""
    shapes = [(contract.m, contract.k), (contract.k, contract.n), (contract.m, contract.n)]
    values: list[Array]
    if kind == "ones":
        values = [np.ones(shape, np.float32) for shape in shapes]
    elif kind == "integer":
        values = _integers(shapes, types, contract.k, generator)
    else:
        values = [generator.standard_normal(shape, np.float32) for shape in shapes]
    a, b, c = (v.astype(t.numpy) for v, t in zip(values, types, strict=True))
    return a, b, c if contract.accumulate else None


def _integers(
    shapes: list[tuple[int, int]],
    types: list[ElementType],
    k: int,
    generator: np.random.Generator,
) -> list[Array]:
    """Integers as large as leaves every product and partial sum exact in f32, and f16 finite.

    One operand takes the widest range its type holds (f32: wider than tf32 keeps), the other what
    the sum's limit leaves; which is which alternates along k, so that both operands show a loss.
    """
    limit = min(_EXACT_SUM, int(types[2].largest) // 2)
    wide = max(1, min(types[0].exact_integers, types[1].exact_integers, limit // max(k, 1)))
    narrow = max(
        1, min(types[0].exact_integers, types[1].exact_integers, limit // (wide * max(k, 1)))
    )
    even = np.arange(k) % 2 == 0
    range_a, range_b = np.where(even, wide, narrow), np.where(even, narrow, wide)
    a = generator.integers(-range_a, range_a + 1, shapes[0]).astype(np.float32)
    b = generator.integers(-range_b[:, None], range_b[:, None] + 1, shapes[1]).astype(np.float32)
    if k > limit:  # Too many ones: only as many products as the limit allows are not zero.
        a[:, generator.permutation(k)[limit:]] = 0
    most_c = min(types[2].exact_integers, limit)
    c = generator.integers(-most_c, most_c + 1, shapes[2]).astype(np.float32)
    return [a, b, c]
