"""Index values of a loop's body in its first iterations, by evaluating the arithmetic.

What a carried index counts (the slot of a ring, a phase) and which block a fill ahead is for can
be written in many ways; the numbers are the same in all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mlir import ir

from gemm_ladder.passes.analysis.kernel import constant, defining

_BINARY: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divui": lambda a, b: a // b if b else 0,
    "arith.divsi": lambda a, b: a // b if b else 0,
    "arith.remui": lambda a, b: a % b if b else 0,
    "arith.remsi": lambda a, b: a % b if b else 0,
    "arith.minui": min,
    "arith.minsi": min,
    "arith.maxui": max,
    "arith.maxsi": max,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.shli": lambda a, b: a << b,
    "arith.shrui": lambda a, b: a >> b,
}
# arith.cmpi's predicates by number; values here are not negative, so that signs do not matter.
_COMPARE: tuple[Callable[[int, int], bool], ...] = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    *(
        (lambda a, b: a < b),
        (lambda a, b: a <= b),
        (lambda a, b: a > b),
        (lambda a, b: a >= b),
    )
    * 2,
)
_CASTS = ("arith.index_cast", "arith.index_castui", "arith.extui", "arith.trunci")


@dataclass
class IndexValues:
    """The first ``count`` iterations of ``loop``, an scf.for with constant bounds."""

    loop: ir.Operation
    count: int
    _rows: list[dict[ir.Value, int | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Run the carried values; those that start unknown stay unknown."""
        low, _, step = (constant(v) for v in list(self.loop.operands)[:3])
        body = self.loop.regions[0].blocks[0]
        carried = list(body.arguments)[1:]
        values = [constant(v) for v in list(self.loop.operands)[3:]]
        yields = list(list(body.operations)[-1].operands)
        for number in range(self.count):
            row: dict[ir.Value, int | None] = dict(zip(carried, values, strict=True))
            known = low is not None and step is not None
            row[body.arguments[0]] = low + number * step if known else None  # type: ignore[operator]
            self._rows.append(row)
            values = [evaluate(v, row) if _is_integer(v) else None for v in yields]

    def of(self, value: ir.Value) -> tuple[int, ...] | None:
        """``value`` in each iteration, or None if it depends on anything else."""
        found = [evaluate(value, row) for row in self._rows]
        known = tuple(v for v in found if v is not None)
        return known if len(known) == len(found) else None


def _is_integer(value: ir.Value) -> bool:
    return isinstance(value.type, (ir.IndexType, ir.IntegerType))


def evaluate(value: ir.Value, known: dict[ir.Value, int | None]) -> int | None:
    """``value`` from constants and ``known`` values (filled with what is found), or None."""
    if value in known:
        return known[value]
    fixed = constant(value)
    op = defining(value)
    if fixed is None and op is not None and op.name.startswith("arith."):
        fixed = _apply(op, [evaluate(v, known) for v in op.operands])
    known[value] = fixed
    return fixed


def _apply(op: ir.Operation, operands: list[int | None]) -> int | None:
    numbers = [v for v in operands if v is not None]
    if op.name == "arith.select" and operands[0] is not None:
        return operands[1] if operands[0] else operands[2]
    if len(numbers) != len(operands):
        return None
    if op.name in _BINARY:
        return _BINARY[op.name](*numbers)
    if op.name == "arith.cmpi":
        predicate = int(ir.IntegerAttr(op.attributes["predicate"]).value)
        return int(_COMPARE[predicate](*numbers))
    return numbers[0] if op.name in _CASTS else None


def trip_count(loop: ir.Operation) -> int | None:
    """Iterations of an scf.for with constant bounds, else None."""
    low, high, step = (constant(v) for v in list(loop.operands)[:3])
    if low is None or high is None or not step:
        return None
    return max(0, -(-(high - low) // step))
