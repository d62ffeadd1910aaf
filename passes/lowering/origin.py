"""Uniform places in memory: a value, and what is known of it before it runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.passes.lowering import emit


@dataclass(frozen=True)
class Coordinate:
    """A uniform index value, a number that divides it (0: it is 0), and its bounds if known.

    ``rest``, if known, is the same less ``constant``.
    """

    value: ir.Value
    divisor: int
    bounds: tuple[int, int] | None
    rest: Coordinate | None = None
    constant: int = 0

    def plus(self, step: ir.Value, divisor: int, largest: int) -> Coordinate:
        """This plus ``step``, which ``divisor`` divides and which is in [0, ``largest``]."""
        bounds = None if self.bounds is None else (self.bounds[0], self.bounds[1] + largest)
        value = arith.addi(self.value, step)
        return Coordinate(value, math.gcd(self.divisor, divisor), bounds)

    @property
    def exact(self) -> int | None:
        """The value, if it is a known constant."""
        return self.bounds[0] if self.bounds and self.bounds[0] == self.bounds[1] else None

    def residues(self, unit: int, period: int) -> list[int]:
        """What ``unit`` times the value can be modulo ``period``."""
        if self.exact is not None:
            return [self.exact * unit % period]
        return list(range(0, period, math.gcd(self.divisor * unit, period)))

    def periods(self, unit: int, period: int) -> ir.Value | None:
        """i32 ``unit`` times the value, less its only residue; None is 0."""
        if self.exact is not None:
            whole = self.exact * unit // period * period
            return emit.i32(whole) if whole else None
        return None if self.divisor == 0 else emit.mul(emit.to_i32(self.value), unit)

    def left(self, extent: int, wanted: int) -> ir.Value | None:
        """i32: how many of ``extent`` lie from here on; None if ``wanted`` surely do."""
        if self.bounds and self.bounds[0] >= 0 and self.bounds[1] + wanted <= extent:
            return None
        return emit.to_i32(emit.subtract(emit.index(extent), self.value))


@dataclass(frozen=True)
class Origin:
    """A uniform place in memory: element (row, col)."""

    row: Coordinate
    col: Coordinate
