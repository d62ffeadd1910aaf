"""Index arithmetic and loops in 32 bits where bounds allow it.

GPUs have no scalar 64-bit minimum, remainder or comparison: LLVM would move such a value, and
every address that depends on it, from scalar to vector registers.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.passes.analysis.kernel import constant
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.state import State

_OPS = (
    "arith.minui",
    "arith.minsi",
    "arith.maxui",
    "arith.maxsi",
    "arith.divui",
    "arith.remui",
)
_SIGNED = ("arith.minsi", "arith.maxsi")
_LIMIT = 2**31 - 1


def loop_bounds(state: State, op: ir.Operation) -> list[ir.Value]:
    """New (lower, upper, step) of an scf.for: i32 where the values are known to fit."""
    olds = list(op.operands)[:3]
    if not all(state.ranges.at_most(old, _LIMIT // 2) for old in olds):
        return [state.value(old) for old in olds]
    low, high, step = (emit.to_i32(state.value(old)) for old in olds)
    if _one_trip(op):
        high = state.backend.hidden(high)
    return [low, high, step]


def _one_trip(op: ir.Operation) -> bool:
    low, high, step = (constant(value) for value in list(op.operands)[:3])
    return low is not None and high is not None and step is not None and high - low <= step


def narrowed(state: State, op: ir.Operation) -> ir.Value | None:
    """The new value of ``op``'s result, computed in i32; None if ``op`` has to stay as it is."""
    if op.name not in _OPS or not isinstance(op.results[0].type, ir.IndexType):
        return None
    signed = op.name in _SIGNED and _fit(state, op)
    if not signed and not all(state.ranges.at_most(operand, _LIMIT) for operand in op.operands):
        return None
    operands = [emit.to_i32(state.value(operand)) for operand in op.operands]
    if op.name == "arith.minsi" and _always_last(state, op):
        operands = [state.backend.hidden(operand) for operand in operands]
    if op.name == "arith.remui" and _once_around(state, op):
        # An unsigned difference below 0 is huge: two instructions instead of a division's five.
        return emit.to_index(arith.minui(operands[0], emit.subtract(*operands)))
    made = ir.Operation.create(op.name, results=[emit.int_type(32)], operands=operands)
    if signed:
        return arith.index_cast(ir.IndexType.get(), made.results[0])
    return emit.to_index(made.results[0])


def _fit(state: State, op: ir.Operation) -> bool:
    """Whether every operand is known to fit 32 bits, negative or not."""
    found = [state.ranges.bounds(operand) for operand in op.operands]
    return all(b is not None and b[0] >= -_LIMIT and b[1] <= _LIMIT for b in found)


def _always_last(state: State, op: ir.Operation) -> bool:
    """Whether a minimum is its constant: the next block of K, in a loop of two. Known to LLVM, all
    addresses that depend on it would be held in registers through the loop.
    """
    left, right = (state.ranges.bounds(operand) for operand in op.operands)
    last = constant(op.operands[1])
    return last is not None and left is not None and right is not None and left[0] >= last


def _once_around(state: State, op: ir.Operation) -> bool:
    """Whether a remainder is its argument or one divisor less: the next slot of a ring."""
    divisor = constant(op.operands[1])
    if not divisor or divisor & (divisor - 1) == 0:
        return False
    return state.ranges.at_most(op.operands[0], 2 * divisor - 1)
