"""Rings that share bytes of LDS through `alias`."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gemm_ladder.compiler.interp.clocks import Rect
from gemm_ladder.compiler.interp.values import Array
from gemm_ladder.dialect_defs.types import Layout, LdsType, element_bytes
from gemm_ladder.passes.analysis.lds_places import Span, place

if TYPE_CHECKING:
    from gemm_ladder.compiler.interp.program import Op


@dataclass
class _Placed:
    lds: LdsType
    start: int
    end: int


@dataclass
class Overlay:
    """Where rings lie, and which elements of others a tile of one covers.

    Places are the lowering's (passes/analysis/lds_places.py).
    """

    align: int
    placed: dict[int, _Placed] = field(default_factory=dict)
    _bytes: dict[int, Array] = field(default_factory=dict)
    _masks: dict[tuple[int, int, Rect], list[tuple[int, Array]]] = field(default_factory=dict)

    def add(self, number: int, lds: LdsType, op: Op) -> None:
        """Place ring ``number`` as its alloc ``op`` says."""
        offset = int(op.attrs["offset"]) if "offset" in op.attrs else None
        if op.operands and offset is None:
            offset = self.placed[op.operands[0]].start
        spans = [Span(p.start, p.end) for p in self.placed.values()]
        span = place(lds.total_bytes, spans, self.align, offset)
        self.placed[number] = _Placed(lds, span.start, span.end)

    def masks(self, number: int, slot: int, rect: Rect) -> list[tuple[int, Array]]:
        """(other ring, elements [stages, rows, cols] that share bytes with the tile), if any."""
        key = (number, slot, rect)
        if key not in self._masks:
            self._masks[key] = self._find(number, slot, rect)
        return self._masks[key]

    def _find(self, number: int, slot: int, rect: Rect) -> list[tuple[int, Array]]:
        mine, found = self.placed[number], []
        for other, theirs in self.placed.items():
            if other == number or mine.start >= theirs.end or theirs.start >= mine.end:
                continue
            r0, r1, c0, c1 = rect
            covered = self._occupied(mine, self.bytes_of(number)[slot, r0:r1, c0:c1])
            places, size = self.bytes_of(other), element_bytes(theirs.lds.elem)
            hit = np.zeros(places.shape, bool)
            for byte in range(size):
                where = places + byte
                inside = where < len(covered)
                hit |= inside & covered[np.minimum(where, len(covered) - 1)]
            if bool(hit.any()):
                found.append((other, hit))
        return found

    def _occupied(self, ring: _Placed, starts: Array) -> Array:
        taken = np.zeros(ring.end, bool)
        for byte in range(element_bytes(ring.lds.elem)):
            taken[starts + byte] = True
        return taken

    def bytes_of(self, number: int) -> Array:
        """First byte in LDS of each element [stages, rows, cols] of ring ``number``."""
        if number not in self._bytes:
            ring = self.placed[number]
            lds = ring.lds
            size = element_bytes(lds.elem)
            tile = _tile_bytes(lds.layout, lds.rows, lds.cols, size)
            stages = np.arange(lds.stages) * lds.slot_bytes
            self._bytes[number] = ring.start + stages[:, None, None] + tile
        return self._bytes[number]


@functools.cache
def _tile_bytes(layout: Layout, rows: int, cols: int, size: int) -> Array:
    """Byte in a slot of each element [rows, cols] of ``size`` bytes."""
    pitch = cols * size
    places = [[layout.place(r, c * size, pitch, rows) for c in range(cols)] for r in range(rows)]
    return np.array(places)
