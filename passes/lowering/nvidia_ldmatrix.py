"""Which ldmatrix instructions fetch a fragment: planned from the lane map alone.

Source: PTX ISA, "Warp-level matrix load instruction: ldmatrix". An instruction reads 1, 2 or 4
matrices of 8 x 8 16-bit elements. Lane ``8 * q + r`` gives the address of row r of matrix q (16
contiguous bytes, 16-byte aligned); lane t receives elements 2 * (t % 4) and the next one of row
t // 4 of each matrix, or with .trans of the matrix's transpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gemm_ladder.dialect_defs.target import LaneMap

Offset = tuple[int, int]

_ROW_ELEMENTS = 8  # 16 bytes of 16-bit elements


@dataclass(frozen=True)
class AtomPlan:
    """How one atom's elements lie in 8 x 8 matrices; offsets are (row, col) in memory, elements.

    ``trans`` is the .trans form; ``rows`` holds the offset of each of the three bits of a matrix
    row's number; ``matrices`` the offset of each matrix, in the order of the lane's 32-bit words.
    """

    trans: bool
    rows: tuple[Offset, Offset, Offset]
    matrices: tuple[Offset, ...]


@dataclass(frozen=True)
class Fetch:
    """One ldmatrix: ``base`` is the memory offset of its first matrix, ``lanes`` the offset that
    each bit of the lane's number adds to its row address, ``words`` the (atom, word) pairs that
    the results are, one a matrix."""

    base: Offset
    lanes: tuple[Offset, ...]
    words: tuple[tuple[int, int], ...]


def plan_atom(memory: LaneMap) -> AtomPlan | None:
    """Matrices of an atom of 16-bit elements whose map to memory (row, col) is ``memory``.

    None if the map is not made of such matrices. Columns are contiguous in memory.
    """
    if len(memory.lanes) != 5 or not memory.slots:
        return None
    low = (memory.slots[0], *memory.lanes[:2])  # one row of the register image: 2 x 4 lanes
    high = memory.lanes[2:]
    contiguous = ((0, 1), (0, 2), (0, 4))
    if low == contiguous:
        trans, rows = False, high
    elif high == contiguous:
        trans, rows = True, low
    else:
        return None
    matrices = tuple(memory.slot_offset(2 * word) for word in range(memory.slot_count // 2))
    if any(col % _ROW_ELEMENTS for _, col in (*rows, *matrices)):
        return None
    return AtomPlan(trans, (rows[0], rows[1], rows[2]), matrices)


def plan_fetches(plan: AtomPlan, atoms: Sequence[Offset]) -> list[Fetch]:
    """Fewest instructions for atoms at memory offsets ``atoms``, each of the same ``plan``.

    Matrices are grouped in atom order by four, two or one; a group must be an affine function of
    the bits of the matrix's number, because its lanes compute their addresses from these bits.
    """
    words = [(a, w) for a in range(len(atoms)) for w in range(len(plan.matrices))]
    places = [_add(atoms[a], plan.matrices[w]) for a, w in words]
    fetches, first = [], 0
    while first < len(words):
        count = next(n for n in (4, 2, 1) if _affine(places[first : first + n], n))
        group = places[first : first + count]
        steps = [_subtract(group[1 << bit], group[0]) for bit in range(count.bit_length() - 1)]
        lanes = (*plan.rows, *steps)
        fetches.append(Fetch(group[0], lanes, tuple(words[first : first + count])))
        first += count
    return fetches


def _affine(group: Sequence[Offset], count: int) -> bool:
    if len(group) < count:
        return False
    return count < 4 or _subtract(group[3], group[2]) == _subtract(group[1], group[0])


def _add(a: Offset, b: Offset) -> Offset:
    return a[0] + b[0], a[1] + b[1]


def _subtract(a: Offset, b: Offset) -> Offset:
    return a[0] - b[0], a[1] - b[1]
