"""What static facts say about index values of the tile IR: divisors and bounds.

Kernels compute coordinates from few ops with constant arguments; anything else is unknown, which
costs a guard or a narrower access, never a wrong address.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from mlir import ir

from gemm_ladder.passes.analysis.kernel import constant, defining

Bounds = tuple[int, int] | None  # smallest and largest value


@dataclass
class Ranges:
    """Divisors and bounds of index values of one kernel.

    ``grid`` is the kernel's known grid (None if unknown), ``block`` its (x, y, z) threads.
    """

    grid: tuple[int, int, int] | None
    block: tuple[int, int, int]
    wave_size: int
    _divisors: dict[ir.Value, int] = field(default_factory=dict)
    _bounds: dict[ir.Value, Bounds] = field(default_factory=dict)

    def divisor(self, value: ir.Value) -> int:
        """A number that divides ``value``: 0 for the constant 0, 1 if nothing is known."""
        if value not in self._divisors:
            self._divisors[value] = 1  # a cycle through a loop-carried value says nothing
            self._divisors[value] = self._divisor(value)
        return self._divisors[value]

    def bounds(self, value: ir.Value) -> Bounds:
        """(smallest, largest) of ``value``, None if unknown."""
        if value not in self._bounds:
            self._bounds[value] = None
            self._bounds[value] = self._find_bounds(value)
        return self._bounds[value]

    def at_most(self, value: ir.Value, limit: int) -> bool:
        """Whether ``value`` surely is in [0, limit]."""
        found = self.bounds(value)
        return found is not None and found[0] >= 0 and found[1] <= limit

    def _divisor(self, value: ir.Value) -> int:
        fixed = constant(value)
        if fixed is not None:
            return abs(fixed)
        loop = induction(value)
        if loop is not None:
            return math.gcd(self.divisor(loop[0]), self.divisor(loop[2]))
        owner = defining(value)
        if owner is None:
            return 1
        name, args = owner.name, list(owner.operands)
        if name == "tile.block_coord":
            return self._coord(value)[0]
        if name == "arith.muli":
            return self.divisor(args[0]) * self.divisor(args[1])
        if name in _GCD_OPS:
            return math.gcd(*(self.divisor(a) for a in args[_GCD_OPS[name] :]))
        return 1

    def _find_bounds(self, value: ir.Value) -> Bounds:
        fixed = constant(value)
        if fixed is not None:
            return fixed, fixed
        loop = induction(value)
        if loop is not None:
            return self._loop_bounds(*loop)
        owner = defining(value)
        if owner is None:
            return self._carried_bounds(value)
        name = owner.name
        if name == "arith.remui":
            return _remainder(*(self.bounds(a) for a in owner.operands))
        if name in ("tile.block_coord", "gpu.subgroup_id", "gpu.thread_id", "gpu.lane_id"):
            return self._id_bounds(value, name)
        if name in _BOUND_RULES:
            args = [self.bounds(a) for a in owner.operands][_BOUND_SKIP.get(name, 0) :]
            known = [a for a in args if a is not None]
            return _BOUND_RULES[name](*known) if len(known) == len(args) else None
        return None

    def _loop_bounds(self, low: ir.Value, high: ir.Value, step: ir.Value) -> Bounds:
        first, end, by = self.bounds(low), self.bounds(high), constant(step)
        if first is None or end is None or not by or by < 0:
            return None
        if first[0] != first[1]:
            return first[0], max(first[0], end[1] - 1)
        trips = max(0, end[1] - 1 - first[0]) // by
        return first[0], first[0] + trips * by

    def _carried_bounds(self, value: ir.Value) -> Bounds:
        """Of a loop-carried value: its start, and what the loop yields whatever it was before."""
        loop, number = value.owner.owner.operation, ir.BlockArgument(value).arg_number
        if loop.name != "scf.for":
            return None
        ends = [op.operation for op in value.owner][-1]
        blind = Ranges(self.grid, self.block, self.wave_size)
        blind._bounds[value] = None
        start, end = self.bounds(loop.operands[2 + number]), blind.bounds(ends.operands[number - 1])
        return None if start is None or end is None else _either(start, end)

    def _id_bounds(self, value: ir.Value, name: str) -> Bounds:
        threads = math.prod(self.block)
        if name == "tile.block_coord":
            tile, extent = self._coord(value)
            return None if extent is None else (0, (extent - 1) * tile)
        if name == "gpu.thread_id":
            return (0, threads - 1)
        return (0, (threads // self.wave_size if name == "gpu.subgroup_id" else self.wave_size) - 1)

    def _coord(self, value: ir.Value) -> tuple[int, int | None]:
        dim = ir.OpResult(value).result_number
        tile = ir.ArrayAttr(ir.OpResult(value).owner.attributes["tile"])[dim]
        return int(ir.IntegerAttr(tile).value), None if self.grid is None else self.grid[dim]


def induction(value: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value] | None:
    """(lower, upper, step) of the scf.for whose induction variable ``value`` is."""
    if not isinstance(value.owner, ir.Block) or ir.BlockArgument(value).arg_number != 0:
        return None
    parent = value.owner.owner.operation
    if parent.name != "scf.for":
        return None
    low, high, step = list(parent.operands)[:3]
    return low, high, step


# op -> number of leading operands that are not values of the result's kind
_GCD_OPS = {
    "arith.addi": 0,
    "arith.subi": 0,
    "arith.minui": 0,
    "arith.minsi": 0,
    "arith.maxui": 0,
    "arith.maxsi": 0,
    "arith.select": 1,
}


def _unsigned(rule: Callable[..., Bounds]) -> Callable[..., Bounds]:
    """``rule`` for an op that reads its arguments as unsigned: unknown if one may be negative."""

    def checked(a: tuple[int, int], b: tuple[int, int]) -> Bounds:
        return None if a[0] < 0 or b[0] < 0 else rule(a, b)

    return checked


def _product(a: tuple[int, int], b: tuple[int, int]) -> Bounds:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _minimum(a: tuple[int, int], b: tuple[int, int]) -> Bounds:
    return min(a[0], b[0]), min(a[1], b[1])


def _maximum(a: tuple[int, int], b: tuple[int, int]) -> Bounds:
    return max(a[0], b[0]), max(a[1], b[1])


def _quotient(a: tuple[int, int], b: tuple[int, int]) -> Bounds:
    return None if b[0] < 1 else (a[0] // b[1], a[1] // b[0])


def _remainder(a: Bounds, b: Bounds) -> Bounds:
    """Of an unsigned remainder: known from the divisor alone, whatever ``a`` is."""
    if b is None or b[0] < 1:
        return None
    if a is not None and a[0] >= 0:
        return a if a[1] < b[0] else (0, min(a[1], b[1] - 1))
    return 0, b[1] - 1


def _either(a: tuple[int, int], b: tuple[int, int]) -> Bounds:
    return min(a[0], b[0]), max(a[1], b[1])


_BOUND_SKIP = {"arith.select": 1}
_BOUND_RULES: dict[str, Callable[..., Bounds]] = {
    "arith.addi": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "arith.subi": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "arith.muli": _product,
    "arith.minsi": _minimum,
    "arith.maxsi": _maximum,
    "arith.minui": _unsigned(_minimum),
    "arith.maxui": _unsigned(_maximum),
    "arith.divui": _unsigned(_quotient),
    "arith.select": _either,
}
