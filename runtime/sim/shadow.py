"""Shadow of LDS: who wrote and read each unit last, and whether anybody wrote it at all.

A unit is the smallest LDS access of the kernel, at most 16 bytes (a dword if it uses the TDM): no
access tells parts of a unit apart. Validity is kept a dword, or finer. For each unit there is
the code (clocks.py) of the last write and of two reads by different waves; that is enough to find
a reader other than the writer. Checks run when an access completes, with the knowledge the wave
had when it issued it, so an access that outlives its barrier is a race too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .asm import Line
from .clocks import FLYING, PC_SHIFT, SHIFT, WAVE_MASK, Array
from .pending import Op


class LdsShadow:
    """Shadow units of the LDS of a chunk of workgroups, `nbytes` of LDS in all."""

    def __init__(self, nbytes: int, unit: int) -> None:
        self.unit, self.fine = unit, min(unit, 4)
        count = nbytes // unit
        self.written: Array = np.zeros(count, dtype=np.int64)
        self.read: Array = np.zeros(count, dtype=np.int64)
        self.read_too: Array = np.zeros(count, dtype=np.int64)
        self.invalid: Array = np.ones(nbytes // self.fine, dtype=bool)

    def rows(self, offsets: Array, size: int) -> tuple[Array, int]:
        """(indices, width): unit rows of accesses [n] of `size` bytes at `offsets`."""
        return _rows(offsets, size, self.unit)

    def valid_rows(self, offsets: Array, size: int) -> tuple[Array, int]:
        """The same for `invalid`, whose unit is at most a dword."""
        return _rows(offsets, size, self.fine)

    def finish_read(self, op: Op, rows: Array, width: int) -> None:
        """The read `op` completed: it must follow the last writes; it is noted for later ones."""
        codes = self._spread(op, op.machine.clocks.codes(op.waves, op.line.pc), len(rows))
        written = self.written.reshape(-1, width)
        self._check(op, written.take(rows, axis=0), rows, width, "reads what", "writes")
        read, too = self.read.reshape(-1, width), self.read_too.reshape(-1, width)
        before = read.take(rows, axis=0)
        column = codes[:, None]
        read[rows] = column
        other = ((before ^ column) & WAVE_MASK) != 0
        if other.any():
            latest = too.take(rows, axis=0)
            np.maximum(latest, before, out=latest, where=other)
            too[rows] = latest
        lost = read.take(rows, axis=0) != column
        if lost.any():
            # Several waves read the unit in this very instruction; one of them is the other one.
            where = rows[lost.any(axis=1)]
            too[where] = np.maximum(too[where], column[lost.any(axis=1)])

    def start_write(self, op: Op, rows: Array, width: int) -> None:
        """A copy into LDS was issued: from now until its wait nobody may touch the units."""
        self._check_write(op, rows, width)
        codes = self._spread(op, op.machine.clocks.flying(op.waves, op.line.pc), len(rows))
        self.written.reshape(-1, width)[rows] = codes[:, None]

    def finish_copy(self, op: Op, rows: Array, width: int) -> None:
        """The copy's wait passed: its units are written, by the wave that waited."""
        codes = self._spread(op, op.machine.clocks.codes(op.waves, op.line.pc), len(rows))
        self.written.reshape(-1, width)[rows] = codes[:, None]

    def finish_write(self, op: Op, rows: Array, width: int) -> None:
        """A store completed: no other wave may have touched the units meanwhile."""
        self._check_write(op, rows, width)
        codes = self._spread(op, op.machine.clocks.codes(op.waves, op.line.pc), len(rows))
        written = self.written.reshape(-1, width)
        written[rows] = codes[:, None]
        now = written.take(rows, axis=0)
        if (now != codes[:, None]).any():
            self._check(op, now, rows, width, "writes what", "writes", at_once=True)

    def _check_write(self, op: Op, rows: Array, width: int) -> None:
        for codes, verb in ((self.written, "writes"), (self.read, "reads"),
                            (self.read_too, "reads")):  # fmt: skip
            found = codes.reshape(-1, width).take(rows, axis=0)
            self._check(op, found, rows, width, "writes what", verb)

    def _spread(self, op: Op, by_wave: Array, count: int) -> Array:
        """Values by wave as values by row."""
        owner = op.owner
        if len(owner) != count:
            owner = np.repeat(owner, count // len(owner))
        return np.asarray(by_wave[owner])

    def _check(
        self, op: Op, found: Array, rows: Array, width: int, does: str, verb: str,
        at_once: bool = False,
    ) -> None:  # fmt: skip
        """Report accesses `found` [n, width] that are not ordered before `op`."""
        owner = op.owner
        if len(owner) != len(rows):
            owner = np.repeat(owner, len(rows) // len(owner))
        hot = found >= op.threshold[owner][:, None]
        if not hot.any():
            return
        row, column = np.nonzero(hot)
        codes = found[row, column]
        mine = owner[row]
        wave = codes & WAVE_MASK
        bad = (codes & FLYING) != 0
        bad |= (wave != op.own[mine]) & ((codes >> SHIFT) > op.seen[mine, wave])
        if at_once:
            bad &= wave != op.own[mine]
        if bad.any():
            self._report(
                op, rows[row[bad]] * width + column[bad], mine[bad], codes[bad], does, verb
            )

    def _report(
        self, op: Op, units: Array, owner: Array, codes: Array, does: str, verb: str
    ) -> None:
        """One finding for each other instruction."""
        machine: Any = op.machine
        pcs = (codes >> PC_SHIFT) & ((1 << (SHIFT - PC_SHIFT)) - 1)
        for pc in np.unique(pcs).tolist():
            first = int(np.argmax(pcs == pc))
            other: Line = machine.kernel.code[pc]
            who = int(codes[first]) & WAVE_MASK
            flying = bool(int(codes[first]) & FLYING)
            wave = int(op.waves[owner[first]])
            same = who == wave % machine.waves_per_group
            what = f"{does} wave {who} {verb}"
            if flying:
                what += " in a copy that no wait has completed"
            elif not same:
                what += " with no barrier between that both waits cover"
            machine.findings.add(
                "missing-wait" if flying and same else "race", op.line, what, machine, wave,
                address=int(units[first]) * self.unit - machine.lds_base(wave), other=other,
            )  # fmt: skip


def _rows(offsets: Array, size: int, unit: int) -> tuple[Array, int]:
    """(indices, width): unit rows of accesses [n] of `size` bytes at `offsets`.

    With width w the accesses are rows of `array.reshape(-1, w)`; misfits get one index a unit,
    [n * units], and width 1.
    """
    units = max(1, size // unit)
    if units == 1:
        return offsets // unit, 1
    if units & (units - 1) == 0 and not (int(np.bitwise_or.reduce(offsets)) & (size - 1)):
        return offsets // size, units
    return ((offsets // unit)[:, None] + np.arange(units)).reshape(-1), 1
