"""Which registers hold values that somebody wrote, lane by lane, and where that matters.

A use is what decides something outside the registers: an address, an operand of a matrix product, a
value stored to global memory, a descriptor, a branch or EXEC. Everything else only passes validity
on: an ALU result is invalid where a source is, a select where the chosen source is, an LDS store
makes its dwords as invalid as its data. So padding may be copied about and garbage computed in
lanes nobody looks at, as compilers do, but the first use of it is a finding. A write of half a
register makes all of it valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .asm import Line, Uses

if TYPE_CHECKING:
    from .state import Array, Group, Machine

SCC = 128


class Validity:
    """Invalid lanes of each VGPR and invalid SGPRs of each wave.

    `v` and `s` are the registers with any invalid lane or wave: what is not in them costs nothing.
    """

    def __init__(self, machine: Machine, vgprs: int) -> None:
        self.machine = machine
        self.v_bad: Array = np.ones((vgprs, machine.waves, 32), dtype=bool)
        self.s_bad: Array = np.ones((SCC + 1, machine.waves), dtype=bool)
        self.v = set(range(vgprs))
        self.s = set(range(SCC + 1))
        self.origin: dict[int, Line] = {}

    def know_v(self, reg: int) -> None:
        """VGPR `reg` is valid in every wave: the launch put a value there."""
        self.v_bad[reg] = False
        self.v.discard(reg)

    def know_s(self, reg: int, count: int = 1) -> None:
        """SGPR selectors reg .. reg + count - 1 are valid in every wave."""
        self.s_bad[reg : reg + count] = False
        self.s.difference_update(range(reg, reg + count))

    def set_v(self, g: Group, reg: int, bad: Array | bool, origin: Line | None = None) -> None:
        """Active lanes of VGPR `reg` were written, `bad` of them with something invalid."""
        lanes = self.v_bad[reg]
        if g.full:
            lanes[g.sel] = bad
        else:
            lanes[g.sel] = np.where(g.mask, bad, lanes[g.sel])
        if lanes.any():
            self.v.add(reg)
            if origin is not None:
                self.origin[reg] = origin
        else:
            self.v.discard(reg)

    def set_s(self, g: Group, reg: int, bad: Array | bool) -> None:
        """SGPR `reg` was written."""
        self.s_bad[reg, g.sel] = bad
        if self.s_bad[reg].any():
            self.s.add(reg)
        else:
            self.s.discard(reg)

    def lanes(self, g: Group, reg: int) -> Array:
        """Invalid lanes [n, 32] of a VGPR for the group's waves."""
        return np.asarray(self.v_bad[reg, g.sel])

    def check(self, g: Group, line: Line) -> None:
        """Report the registers of `line` that must be valid and are not."""
        uses = line.uses
        for reg in sorted(uses.v_must & self.v):
            bad = self.lanes(g, reg) & g.mask
            if bad.any():
                row, lane = (int(x[0]) for x in np.nonzero(bad))
                origin = self.origin.get(reg)
                what = "loaded from LDS that nobody wrote" if origin else "that nobody wrote"
                self.machine.findings.add(
                    "uninitialised", line, f"uses v{reg}, {what}", self.machine,
                    int(g.index[row]), lane=lane, other=origin,
                )  # fmt: skip
                return
        for reg in sorted(uses.s_must & self.s):
            waves = self.s_bad[reg, g.sel]
            if waves.any():
                name = "SCC" if reg == SCC else f"SGPR {reg}"
                self.machine.findings.add(
                    "uninitialised", line, f"uses {name}, that nobody wrote", self.machine,
                    int(g.index[int(np.argmax(waves))]),
                )  # fmt: skip
                return

    def flow(self, g: Group, uses: Uses) -> Array | None:
        """Invalid lanes [n, 32] or [n, 1] of a result computed from the sources, None: none."""
        if uses.select is not None:
            return self._select(g, uses)
        bad: Array | None = None
        for reg in uses.v_read & self.v:
            lanes = self.lanes(g, reg)
            bad = lanes if bad is None else bad | lanes
        for reg in uses.s_read & self.s:
            waves = self.s_bad[reg, g.sel][:, None]
            bad = waves if bad is None else bad | waves
        return bad

    def _select(self, g: Group, uses: Uses) -> Array:
        """A select is invalid where its mask is, or the source that it picks."""
        assert uses.select is not None
        without, chosen, mask = uses.select
        empty = np.zeros((g.n, 32), dtype=bool)
        first: Array = empty
        second: Array = empty
        for reg in without & self.v:
            first = first | self.lanes(g, reg)
        for reg in chosen & self.v:
            second = second | self.lanes(g, reg)
        picks = g.lane_mask(mask)
        bad = np.where(picks, second, first)
        return np.asarray(bad | self.s_bad[mask, g.sel][:, None])

    def write(self, g: Group, uses: Uses, bad: Array | None) -> None:
        """Note the destinations of an instruction whose result is invalid in lanes `bad`."""
        if bad is None:
            for reg in uses.v_write & self.v:
                self.set_v(g, reg, False)
            for reg in uses.s_write & self.s:
                self.set_s(g, reg, False)
            return
        for reg in uses.v_write:
            self.set_v(g, reg, bad)
        for reg in uses.s_write:
            some = (bad & g.mask).any(axis=1) if bad.shape[1] > 1 else bad[:, 0]
            self.set_s(g, reg, np.asarray(some))
