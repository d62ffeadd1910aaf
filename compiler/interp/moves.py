"""Data between global memory, LDS and fragments, for all workgroups of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gemm_ladder.compiler.interp.values import Array, Index, each

if TYPE_CHECKING:
    from gemm_ladder.compiler.interp.machine import Argument


def gather(
    source: Argument, batch: int, shape: tuple[int, int], at: tuple[Index, Index],
    extents: tuple[Index, Index] | None = None,
) -> Array:  # fmt: skip
    """Tile [batch, rows, cols] of ``source`` at ``at``; zero beyond the operand and ``extents``."""
    tile = np.zeros((batch, *shape), np.float32)
    for number, (row, col, rows, cols) in enumerate(_windows(source, batch, shape, at, extents)):
        if rows > 0 and cols > 0:
            tile[number, :rows, :cols] = source.values[row : row + rows, col : col + cols]
    return tile


def scatter(
    target: Argument, batch: int, tile: Array, at: tuple[Index, Index],
    extents: tuple[Index, Index] | None = None,
) -> None:  # fmt: skip
    """Store ``tile`` [batch, rows, cols], rounded to the operand's type, where it exists."""
    shape = (tile.shape[1], tile.shape[2])
    rounded = target.round(tile)
    for number, (row, col, rows, cols) in enumerate(_windows(target, batch, shape, at, extents)):
        if rows > 0 and cols > 0:
            where = slice(row, row + rows), slice(col, col + cols)
            target.values[where] = rounded[number, :rows, :cols]
            target.written[where] = True


def _windows(
    memory: Argument, batch: int, shape: tuple[int, int], at: tuple[Index, Index],
    extents: tuple[Index, Index] | None,
) -> list[tuple[int, int, int, int]]:  # fmt: skip
    """(row, col, rows, cols) for each workgroup, inside the operand."""
    starts = zip(each(at[0], batch), each(at[1], batch), strict=True)
    limits = (each(e, batch) for e in (extents or shape))
    found = []
    for (row, col), rows, cols in zip(starts, *limits, strict=True):
        down = min(rows, shape[0], memory.values.shape[0] - row)
        right = min(cols, shape[1], memory.values.shape[1] - col)
        if row < 0 or col < 0:
            down = 0
        found.append((row, col, down, right))
    return found


def outside(
    memory: Argument, batch: int, shape: tuple[int, int], at: tuple[Index, Index],
    extents: tuple[Index, Index],
) -> tuple[int, int] | None:  # fmt: skip
    """The first element beyond the operand that a copy with these extents touches, or None."""
    height, width = memory.values.shape
    rows = [min(e, shape[0]) for e in each(extents[0], batch)]
    cols = [min(e, shape[1]) for e in each(extents[1], batch)]
    starts = zip(each(at[0], batch), each(at[1], batch), strict=True)
    for (row, col), down, right in zip(starts, rows, cols, strict=True):
        if down <= 0 or right <= 0:
            continue
        if row < 0 or col < 0 or row + down > height or col + right > width:
            return (row, col) if min(row, col) < 0 else (row + down - 1, col + right - 1)
    return None
