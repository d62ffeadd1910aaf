"""Which access happened before which: vector clocks of the waves of each workgroup.

A wave's own clock goes up when it signals a barrier. An access made at clock c of wave u is ordered
before what wave w does from now on if w's entry for u is at least c; waiting for a barrier raises
the entries to what the signalling waves had when they signalled. So work between a signal and its
wait is ordered with nobody's, as hardware has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# A code of an access: clock << SHIFT | pc << 6 | in flight << 5 | wave in its workgroup.
SHIFT = 26
PC_SHIFT, WAVE_MASK, FLYING = 6, 31, 32
NEVER_ORDERED = 1 << 34  # the clock of a write that has not landed
_ALWAYS = 1 << 33


class Clocks:
    """Clocks of `waves` waves, `width` of them in each workgroup."""

    def __init__(self, waves: int, width: int) -> None:
        self.width = width
        self.own: Array = np.arange(waves, dtype=np.int64) % width
        self.clock: Array = np.ones(waves, dtype=np.int64)
        # Replaced, never changed in place: pending accesses keep the state they were issued in.
        self.seen: Array = np.zeros((waves, width), dtype=np.int64)
        self.threshold: Array = np.zeros(waves, dtype=np.int64)
        self._refresh()

    def _refresh(self) -> None:
        """threshold[w]: codes below it are ordered before wave w whoever made them."""
        others = self.seen.copy()
        others[np.arange(len(others)), self.own] = _ALWAYS
        self.threshold = (others.min(axis=1) + 1) << SHIFT

    def signal(self, waves: Array) -> Array:
        """Knowledge [n, width] that these waves publish; their clocks move on."""
        known: Array = self.seen[waves]
        known[np.arange(len(waves)), self.own[waves]] = self.clock[waves]
        self.clock[waves] += 1
        return known

    def acquire(self, waves: Array, known: Array) -> None:
        """These waves passed a wait and learn `known` [n, width]."""
        seen = self.seen.copy()
        seen[waves] = np.maximum(seen[waves], known)
        self.seen = seen
        self._refresh()

    def codes(self, waves: Array, pc: int) -> Array:
        """Codes of an access that these waves complete now at instruction `pc`."""
        return np.asarray((self.clock[waves] << SHIFT) | (pc << PC_SHIFT) | self.own[waves])

    def flying(self, waves: Array, pc: int) -> Array:
        """Codes of a write by these waves that is under way."""
        return np.asarray((NEVER_ORDERED << SHIFT) | (pc << PC_SHIFT) | FLYING | self.own[waves])
