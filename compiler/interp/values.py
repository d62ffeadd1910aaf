"""Integers of tile IR during interpretation: one for all workgroups of a batch, or one each."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
# A Python int (or bool) where all workgroups of the batch agree, else an array [batch].
Index: TypeAlias = int | Array

_MASK = (1 << 64) - 1


class DivergedError(Exception):
    """Workgroups of one batch need different control flow: ``labels`` [batch] tells them apart."""

    def __init__(self, labels: Array) -> None:
        super().__init__("the batch diverged")
        self.labels = labels


def uniform(value: Index) -> int:
    """``value`` as one integer; DivergedError if the batch disagrees."""
    if isinstance(value, np.ndarray):
        first = value.flat[0]
        if not bool((value == first).all()):
            raise DivergedError(value)
        return int(first)
    return int(value)


def each(value: Index, batch: int) -> list[int]:
    """``value`` for each workgroup of the batch."""
    if isinstance(value, np.ndarray):
        return [int(v) for v in value]
    return [int(value)] * batch


def _divide(a: Any, b: Any) -> Any:
    """Division rounding to zero; by zero it is 0, where the hardware's result is undefined."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        safe = np.where(np.equal(b, 0), 1, b)
        return np.where(np.equal(b, 0), 0, np.sign(a) * np.sign(safe) * (np.abs(a) // np.abs(safe)))
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: Any, b: Any) -> Any:
    return a - _divide(a, b) * b


def _floor(a: Any, b: Any) -> Any:
    return a // b


def _ceil(a: Any, b: Any) -> Any:
    return -((-a) // b)


def _least(a: Any, b: Any) -> Any:
    both = isinstance(a, np.ndarray) or isinstance(b, np.ndarray)
    return np.minimum(a, b) if both else min(a, b)


def _most(a: Any, b: Any) -> Any:
    both = isinstance(a, np.ndarray) or isinstance(b, np.ndarray)
    return np.maximum(a, b) if both else max(a, b)


def _unsigned(value: Any) -> Any:
    return value.astype(np.uint64) if isinstance(value, np.ndarray) else value & _MASK


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "divui": _divide,
    "divsi": _divide,
    "floordivsi": _floor,
    "ceildivsi": _ceil,
    "ceildivui": _ceil,
    "remui": _remainder,
    "remsi": _remainder,
    "minui": _least,
    "minsi": _least,
    "maxui": _most,
    "maxsi": _most,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
    "shli": operator.lshift,
    "shrui": operator.rshift,
    "shrsi": operator.rshift,
    "addf": operator.add,
    "subf": operator.sub,
    "mulf": operator.mul,
    "divf": operator.truediv,
    "maximumf": _most,
    "minimumf": _least,
    "maxnumf": _most,
    "minnumf": _least,
}

# arith.cmpi's predicates, by number: eq ne slt sle sgt sge ult ule ugt uge.
_COMPARE: tuple[tuple[Callable[[Any, Any], Any], bool], ...] = (
    (operator.eq, False),
    (operator.ne, False),
    (operator.lt, False),
    (operator.le, False),
    (operator.gt, False),
    (operator.ge, False),
    (operator.lt, True),
    (operator.le, True),
    (operator.gt, True),
    (operator.ge, True),
)


def compare(predicate: int, a: Index, b: Index) -> Index:
    """arith.cmpi or index.cmp."""
    test, unsigned = _COMPARE[predicate]
    result: Index = test(_unsigned(a), _unsigned(b)) if unsigned else test(a, b)
    return result


def select(condition: Index, a: Any, b: Any) -> Any:
    """arith.select; of fragments, only where the batch agrees on the condition."""
    numbers = all(isinstance(v, (int, float, np.ndarray)) for v in (a, b))
    if isinstance(condition, np.ndarray) and numbers:
        return np.where(condition, a, b)
    return a if uniform(condition) else b
