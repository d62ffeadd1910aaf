"""Padding of an LDS tile with which no matrix fragment read of it meets a bank twice.

A read of whole fragments is served a bank row at once: 16 bytes of each of ``bank / 16`` rows, or,
where it transposes matrices of 8 x 8 on the way, ``bank / 8`` bytes of each of eight rows
(ds_load_b128 and ds_load_tr16_b128: AMD, LDS optimisations on MI450; ldmatrix and ldmatrix.trans:
PTX ISA, eight rows of 16 bytes).
"""

from __future__ import annotations

import functools

from gemm_ladder.dialect_defs.types import Layout

PIECE = 16
_TRANSPOSED_ROWS = 8


@functools.cache
def conflict_free(rows: int, row_bytes: int, bank: int, transposes: bool) -> Layout:
    """The smallest padding of a tile of ``rows`` x ``row_bytes`` without conflicts, if any.

    Padding lies behind every one, two or four bank rows of ``bank`` bytes. The plain padding, a
    piece behind each, where none is free of conflicts, and where the reads do not fit the tile.
    """
    plain = Layout(pad=PIECE, interval=bank)
    found = [
        layout
        for interval in (bank, 2 * bank, 4 * bank)
        for layout in (Layout(pad=pad, interval=interval) for pad in range(PIECE, bank, PIECE))
        if _is_free(layout, rows, row_bytes, bank, transposes)
    ]
    total = rows * row_bytes
    return min(found, key=lambda layout: total // layout.interval * layout.pad, default=plain)


def _is_free(layout: Layout, rows: int, row_bytes: int, bank: int, transposes: bool) -> bool:
    """Whether every fragment read of the tile touches each bank at most once."""
    tall = _TRANSPOSED_ROWS if transposes else bank // PIECE
    wide = bank // tall
    for row in range(0, rows - tall + 1, tall):
        for col in range(0, row_bytes - wide + 1, wide):
            starts = (
                (row + r) * row_bytes + col + piece
                for r in range(tall)
                for piece in range(0, wide, PIECE)
            )
            placed = {
                (byte + byte // layout.interval * layout.pad) % bank // PIECE for byte in starts
            }
            if len(placed) < bank // PIECE:
                return False
    return True
