"""Index arithmetic of tile IR: what depends on the wave, divisibility, bounds, and cloning."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.passes.analysis.kernel import constant, defining
from gemm_ladder.passes.base import PassError

_WAVE = {"gpu.subgroup_id"}
_LANE = {"gpu.thread_id", "gpu.lane_id"}
_EVAL: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divui": lambda a, b: a // b,
    "arith.divsi": lambda a, b: a // b,
    "arith.remui": lambda a, b: a % b,
    "arith.remsi": lambda a, b: a % b,
    "arith.minui": min,
    "arith.minsi": min,
    "arith.shrui": lambda a, b: a >> b,
    "arith.shli": lambda a, b: a << b,
    "arith.andi": lambda a, b: a & b,
}


def depends_on(value: ir.Value, names: set[str]) -> bool:
    """Whether ``value`` is computed from an op with one of ``names`` (through loop values too)."""
    seen: set[ir.Value] = set()
    todo = [value]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        op = defining(current)
        if op is None:
            todo += carried_into(current)
        elif op.name in names:
            return True
        else:
            todo += _sources(op, _result(current))
    return False


def carried_into(argument: ir.Value) -> list[ir.Value]:
    """Values that reach block argument ``argument`` of an scf.for: bounds, initial and yielded."""
    block = ir.BlockArgument(argument).owner
    parent = block.owner.operation
    if parent.name != "scf.for":
        return []
    number = ir.BlockArgument(argument).arg_number
    if number == 0:
        return list(parent.operands)[:3]
    yielded = list(block.operations)[-1].operands[number - 1]
    return [parent.operands[2 + number], yielded]


def _sources(op: ir.Operation, number: int) -> list[ir.Value]:
    """What result ``number`` of ``op`` is computed from; of a loop or branch, that result alone."""
    ends = [list(b.operations)[-1] for r in op.regions for b in r.blocks]
    if op.name in ("scf.for", "scf.if"):
        controls = {"scf.for": [0, 1, 2, 3 + number], "scf.if": [0]}[op.name]
        return [op.operands[c] for c in controls] + [end.operands[number] for end in ends]
    return list(op.operands) + [v for end in ends for v in end.operands]


def is_workgroup_uniform(value: ir.Value) -> bool:
    """Whether all waves of a workgroup see one value."""
    return not depends_on(value, _LANE | _WAVE)


@dataclass(frozen=True)
class Split:
    """A coordinate as uniform terms + a part that only the wave decides.

    ``uniform`` are values that all waves share; ``wave`` are values to be added to them, and
    ``offsets[w]`` is what ``wave`` and all constant terms add up to in wave ``w``.
    """

    uniform: tuple[ir.Value, ...]
    wave: tuple[ir.Value, ...]
    offsets: tuple[int, ...]


def split(value: ir.Value, waves: int) -> Split | None:
    """Split coordinate ``value``; None if wave-dependent terms cannot be evaluated."""
    uniform: list[ir.Value] = []
    local: list[ir.Value] = []
    for term in _terms(value):
        fixed = constant(term) is not None or not is_workgroup_uniform(term)
        (local if fixed else uniform).append(term)
    offsets = []
    for wave in range(waves):
        parts = [_evaluate(term, wave) for term in local]
        if any(p is None for p in parts):
            return None
        offsets.append(sum(p for p in parts if p is not None))
    return Split(tuple(uniform), tuple(local), tuple(offsets))


def _terms(value: ir.Value) -> list[ir.Value]:
    op = defining(value)
    if op is not None and op.name == "arith.addi":
        return [t for operand in op.operands for t in _terms(operand)]
    return [value]


def _evaluate(value: ir.Value, wave: int) -> int | None:
    fixed = constant(value)
    if fixed is not None:
        return fixed
    op = defining(value)
    if op is None:
        return None
    if op.name in _WAVE:
        return wave
    if op.name not in _EVAL:
        return None
    a, b = (_evaluate(v, wave) for v in op.operands)
    if a is None or b is None:
        return None
    return _EVAL[op.name](a, b)


def multiple_of(value: ir.Value) -> int:
    """The largest number known to divide ``value``; 0 if it is the constant 0."""
    fixed = constant(value)
    if fixed is not None:
        return abs(fixed)
    op = defining(value)
    if op is None:
        parent = ir.BlockArgument(value).owner.owner.operation
        if parent.name == "scf.for" and ir.BlockArgument(value).arg_number == 0:
            return math.gcd(multiple_of(parent.operands[0]), multiple_of(parent.operands[2]))
        return 1
    if op.name == "tile.block_coord":
        return int(ir.IntegerAttr(ir.ArrayAttr(op.attributes["tile"])[_result(value)]).value)
    if op.name in ("arith.addi", "arith.subi", "arith.minui", "arith.minsi"):
        return math.gcd(*(multiple_of(v) for v in op.operands))
    if op.name == "arith.muli":
        return math.prod(multiple_of(v) for v in op.operands)
    return 1


def _result(value: ir.Value) -> int:
    return int(ir.OpResult(value).result_number)


def upper_bound(value: ir.Value, grid: tuple[int, int, int] | None) -> int | None:
    """The largest that ``value`` can be, or None if unknown. ``grid`` is the kernel's, if known."""
    fixed = constant(value)
    if fixed is not None:
        return fixed
    op = defining(value)
    if op is None:
        parent = ir.BlockArgument(value).owner.owner.operation
        if parent.name != "scf.for" or ir.BlockArgument(value).arg_number != 0:
            return None
        low, high, step = (constant(v) for v in list(parent.operands)[:3])
        if low is None or high is None or step is None:
            return None
        return low + max(0, -(-(high - low) // step) - 1) * step
    if op.name == "tile.block_coord" and grid is not None:
        return (grid[_result(value)] - 1) * multiple_of(value)
    bounds = [upper_bound(v, grid) for v in op.operands]
    known = [b for b in bounds if b is not None]
    if op.name in ("arith.minui", "arith.minsi") and known:
        return min(known)
    if op.name == "arith.addi" and len(known) == 2:
        return sum(known)
    return None


def total(values: list[ir.Value]) -> ir.Value:
    """The sum of index ``values`` at the insertion point; constant 0 if there is none."""
    if not values:
        return build.index(0)
    result = values[0]
    for value in values[1:]:
        result = arith.addi(result, value)
    return result


def hoist(value: ir.Value, before: ir.Operation) -> None:
    """Move the arithmetic that makes ``value`` up, so that it can be used just before ``before``.

    Raises PassError where something other than arithmetic makes it.
    """
    op = defining(value)
    if op is None or op.block != before.block or op.is_before_in_block(before):
        return
    if not op.name.startswith("arith."):
        raise PassError(op, f"'{op.name}' makes an address that is needed earlier, at another load")
    for operand in op.operands:
        hoist(operand, before)
    op.move_before(before)


def erase_unused(values: list[ir.Value]) -> None:
    """Erase the arithmetic that made ``values``, as far as nothing uses it any more."""
    todo = list(values)
    while todo:
        value = todo.pop()
        op = defining(value)
        if op is None or not op.name.startswith("arith.") or any(True for _ in value.uses):
            continue
        # An erased op's values must not be looked at again.
        todo = [v for v in (*todo, *op.operands) if v not in list(op.results)]
        op.erase()
