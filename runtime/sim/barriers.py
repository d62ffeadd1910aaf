"""Workgroup barriers with split signal and wait (CDNA5 ISA 5.6.6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Barriers:
    """Barrier -1 of every workgroup in a chunk.

    The barrier completes when every live wave of the workgroup signalled; a wave that ended no
    longer counts. Completion sets a flag in each wave, which its next wait consumes: a wait
    without a signal of one's own therefore never passes.
    """

    def __init__(self, groups: int, waves_per_group: int, waves: int) -> None:
        self.group: Array = np.arange(waves, dtype=np.int64) // waves_per_group
        self.members: Array = np.full(groups, waves_per_group, dtype=np.int64)
        self.arrived: Array = np.zeros(groups, dtype=np.int64)
        self.signalled: Array = np.zeros(waves, dtype=bool)
        self.complete: Array = np.zeros(waves, dtype=bool)
        self.changes = 0

    def signal(self, waves: Array) -> Array:
        """Record one signal for each wave; returns waves that signal twice in one phase."""
        twice: Array = waves[self.signalled[waves]]
        self.signalled[waves] = True
        np.add.at(self.arrived, self.group[waves], 1)
        self._close()
        return twice

    def end(self, waves: Array) -> None:
        """These waves ended."""
        np.subtract.at(self.members, self.group[waves], 1)
        self._close()

    def ready(self, waves: Array) -> Array:
        """Which of these waves may pass a wait."""
        result: Array = self.complete[waves]
        return result

    def wait(self, waves: Array) -> Array:
        """Like ready, and those that may pass do: their flag is consumed."""
        ready = self.ready(waves)
        self.complete[waves[ready]] = False
        return ready

    def _close(self) -> None:
        done = (self.arrived >= self.members) & (self.arrived > 0)
        if done.any():
            self.arrived[done] = 0
            theirs = done[self.group]
            self.complete[theirs] = True
            self.signalled[theirs] = False
            self.changes += 1
