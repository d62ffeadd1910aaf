"""Workgroup barriers: split signal and wait, by phase (CDNA5 ISA 5.6.6; facts: rocm-systems)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Barriers:
    """Barrier -1 of every workgroup in a chunk.

    A wave's signal joins the phase then open; the phase closes when all live members signalled.
    A wave that ended no longer counts. A wait passes once the phase its wave signalled closed.
    """

    def __init__(self, groups: int, waves_per_group: int, waves: int) -> None:
        self.members: Array = np.full(groups, waves_per_group, dtype=np.int64)
        self.arrived: Array = np.zeros(groups, dtype=np.int64)
        self.phase: Array = np.zeros(groups, dtype=np.int64)
        self.joined: Array = np.full(waves, -1, dtype=np.int64)
        self.changes = 0

    def signal(self, waves: Array, groups: Array) -> Array:
        """Record one signal for each wave; returns waves that signal twice in one phase."""
        twice: Array = waves[self.joined[waves] == self.phase[groups]]
        self.joined[waves] = self.phase[groups]
        np.add.at(self.arrived, groups, 1)
        self._close()
        return twice

    def end(self, groups: Array) -> None:
        """Waves of these workgroups (one entry a wave) ended."""
        np.subtract.at(self.members, groups, 1)
        self._close()

    def ready(self, waves: Array, groups: Array) -> Array:
        """Which of these waves may pass a wait."""
        result: Array = self.joined[waves] < self.phase[groups]
        return result

    def _close(self) -> None:
        done = (self.arrived >= self.members) & (self.arrived > 0)
        if done.any():
            self.arrived[done] = 0
            self.phase[done] += 1
            self.changes += 1
