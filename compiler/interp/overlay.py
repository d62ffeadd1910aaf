"""Rings that share bytes of LDS: through `alias`, or through overlapping `offset`s."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gemm_ladder.compiler.interp.clocks import Rect
from gemm_ladder.compiler.interp.values import Array
from gemm_ladder.dialect_defs.types import LdsType, element_bytes

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

    Places are the lowering's: behind the rings before, at multiples of ``align`` bytes, unless the
    alloc has an `offset` or an `alias`.
    """

    align: int
    placed: dict[int, _Placed] = field(default_factory=dict)
    _bytes: dict[int, Array] = field(default_factory=dict)
    _masks: dict[tuple[int, int, Rect], list[tuple[int, Array]]] = field(default_factory=dict)

    def add(self, number: int, lds: LdsType, op: Op) -> None:
        """Place ring ``number`` as its alloc ``op`` says."""
        end = max((p.end for p in self.placed.values()), default=0)
        start = -(-end // self.align) * self.align
        if op.operands:
            start = self.placed[op.operands[0]].start
        elif "offset" in op.attrs:
            start = int(op.attrs["offset"])
        self.placed[number] = _Placed(lds, start, start + lds.total_bytes)

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
            lds, layout = ring.lds, ring.lds.layout
            size = element_bytes(lds.elem)
            packed = np.arange(lds.rows * lds.cols).reshape(lds.rows, lds.cols) * size
            if layout.interval:
                packed = packed + packed // layout.interval * layout.pad
            stages = np.arange(lds.stages) * lds.slot_bytes
            self._bytes[number] = ring.start + stages[:, None, None] + packed
        return self._bytes[number]
