"""Rounds of output tiles: how wide a tile should be for the processors to share the work evenly."""

from __future__ import annotations

# A tile costs as much time again as this many more columns would: the rate of tiles of 128 columns
# against 256 at 4096^3, where both fill their rounds equally (H200, docs/hopper/level12.md).
_FIXED = 8


def fitted_width(m: int, n: int, tile: tuple[int, int], step: int, processors: int) -> int:
    """Columns of a tile with which ``processors`` take the least time for C [m, n].

    ``tile`` is (rows, columns) at most; narrower ones are multiples of ``step`` columns and at
    least half as wide. A round takes as long as one tile, whether all processors have one or not;
    that a cluster starts its workgroups together is not looked at.
    """
    rows, widest = tile
    narrower = range((widest - 1) // step * step, 0, -step)
    widths = [widest, *(w for w in narrower if 2 * w >= widest)]

    def cost(width: int) -> int:
        tiles = -(-m // rows) * -(-n // width)
        return -(-tiles // processors) * (width + _FIXED)

    return min(widths, key=cost)  # the widest of equals
