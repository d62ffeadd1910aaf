"""Memory operations under way, and the counters that say when they are done.

Each operation is one instruction of a group of waves. It *arrives* when its data moves (at issue
in mode early, at the wait that forces it in mode late, at a random moment between in mode random)
and *completes* at that wait in every mode. Until then its registers may not be touched.

Counters (CDNA5 ISA; LLVM SIInsertWaitcnts): loads, LDS operations and tensor operations of a wave
complete in order, so a wait for n left is a statement about all but the last n. Scalar loads do
not, and for asynchronous copies sources disagree: there only a wait for 0 says anything.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DeviceNameError
from .asm import Line

if TYPE_CHECKING:
    from .state import Array, Group, Machine

COUNTERS = ("loadcnt", "dscnt", "kmcnt", "asynccnt", "tensorcnt")
UNORDERED = frozenset({"kmcnt", "asynccnt"})
MODES = ("late", "early", "random")
_LIMIT = 63  # counters have six bits; issue stalls before one overflows


@dataclass(frozen=True)
class Options:
    """How memory behaves and what is checked: mode, seed of the random mode, checks on or off."""

    mode: str = "late"
    seed: int = 0
    check: bool = True

    @classmethod
    def parse(cls, text: str, check: bool = True) -> Options:
        """From "late", "early", "random" or "random,seed=N"; DeviceNameError otherwise."""
        words = [word for word in text.split(",") if word and word != "gfx1250"]
        mode, seed = "late", 0
        for word in words:
            if word in MODES:
                mode = word
            elif word.startswith("seed=") and word[5:].isascii() and word[5:].isdigit():
                seed = int(word[5:])
            else:
                raise DeviceNameError(
                    f"unknown simulator option '{word}'; known: {', '.join(MODES)}, seed=N, gfx1250"
                )
        return cls(mode, seed, check)


class Op:
    """One memory instruction of a group of waves, from issue to completion."""

    v_regs: Iterable[int] = ()
    s_regs: Iterable[int] = ()

    def __init__(self, g: Group, line: Line, counter: str) -> None:
        self.machine: Machine = g.m
        self.line = line
        self.counter = counter
        self.group = g.freeze()
        self.waves = g.index
        self.mask = _mask(g.index, g.m.waves)
        self.arrived = False
        self.owner: Array = self.group.owners()
        if g.m.checks:
            clocks = g.m.clocks
            self.seen, self.threshold = clocks.seen[g.sel], clocks.threshold[g.sel]
            self.own = clocks.own[g.sel]

    def land(self) -> None:
        """Move the data."""

    def start(self) -> None:
        """Check at issue; called only when checks are on."""

    def finish(self) -> None:
        """Check at completion; called only when checks are on."""

    def arrive(self) -> None:
        """Move the data unless that happened."""
        if not self.arrived:
            self.arrived = True
            self.land()

    def take(self, rows: Array) -> Op:
        """The same operation for the waves picked by `rows` (booleans over its waves)."""
        part = copy.copy(self)
        items = rows[self.owner]
        part.waves = self.waves[rows]
        part.mask = _mask(part.waves, self.machine.waves)
        part.group = self.group.subset(rows)
        part.owner = (np.cumsum(rows) - 1)[self.owner[items]]
        if self.machine.checks:
            part.seen, part.threshold = self.seen[rows], self.threshold[rows]
            part.own = self.own[rows]
        part.restrict(rows, items)
        return part

    def restrict(self, rows: Array, items: Array) -> None:
        """Cut the operation's own arrays: by wave with `rows`, by active lane with `items`."""


def _mask(waves: Array, count: int) -> Array:
    """``waves`` as booleans over all ``count``."""
    mask = np.zeros(count, dtype=bool)
    mask[waves] = True
    return mask


class Pending:
    """Operations under way in one chunk, by counter, oldest first, and the registers they own."""

    def __init__(self, machine: Machine, options: Options) -> None:
        self.machine = machine
        self.mode = options.mode
        self.check = options.check
        self.random = random.Random(options.seed)
        self.queues: dict[str, list[Any]] = {name: [] for name in COUNTERS}
        self.v: dict[int, list[Op]] = {}
        self.s: dict[int, list[Op]] = {}

    def issue(self, op: Op) -> None:
        """Start an operation."""
        if self.machine.watch is not None:
            self.machine.watch(op)
        queue = self.queues[op.counter]
        if len(queue) >= _LIMIT:
            self._overflow(op.counter)
        queue.append(op)
        if self.check:
            op.start()
            for reg in op.v_regs:
                self.v.setdefault(reg, []).append(op)
            for reg in op.s_regs:
                self.s.setdefault(reg, []).append(op)
        if self.mode == "early":
            op.arrive()
        elif self.mode == "random":
            self.stir()

    def _overflow(self, counter: str) -> None:
        """Issue waits for the oldest operation of a full counter, which completes it."""
        everyone = self.machine.everyone()
        if counter in UNORDERED:
            return
        self.wait(counter, _LIMIT - 1, everyone)

    def stir(self) -> None:
        """In random mode, let some operations' data move now; in order where hardware keeps it."""
        if self.mode != "random":
            return
        for name, queue in self.queues.items():
            if not queue or self.random.random() < 0.5:
                continue
            last = self.random.randrange(len(queue))
            for op in queue[last : last + 1] if name in UNORDERED else queue[: last + 1]:
                op.arrive()

    def wait(self, counter: str, limit: int, g: Group) -> None:
        """Waves of `g` wait until at most `limit` of their operations are left."""
        queue = self.queues[counter]
        if not queue or (limit and counter in UNORDERED):
            return
        waves = self.machine.waves
        if g.n == waves and all(len(op.waves) == waves for op in queue):
            done = queue[: max(0, len(queue) - limit)]
            del queue[: len(done)]
            for op in done:
                self._complete(op)
            return
        self._wait_some(queue, limit, g)

    def _wait_some(self, queue: list[Any], limit: int, g: Group) -> None:
        # One row an operation, one column a wave: a queue may hold hundreds of parts.
        held = np.array([op.mask for op in queue])
        done = held & _mask(g.index, self.machine.waves)
        if limit:
            left = np.cumsum(held[::-1], axis=0)[::-1]
            done &= left > limit
        counts, whole = done.sum(axis=1), held.sum(axis=1)
        rest = []
        for number, op in enumerate(list(queue)):
            if not counts[number]:
                rest.append(op)
            elif counts[number] == whole[number]:
                self._complete(op)
            else:
                rows = done[number][op.waves]
                kept = op.take(~rows)
                self._replace(op, kept)
                self._finish(op.take(rows))
                rest.append(kept)
        queue[:] = rest

    def drain(self, g: Group) -> None:
        """The waves of `g` end: all that they started completes."""
        for counter, queue in self.queues.items():
            if queue:
                self._wait_some(queue, 0, g) if counter in UNORDERED else self.wait(counter, 0, g)

    def _complete(self, op: Op) -> None:
        self._finish(op)
        self._replace(op, None)

    def _finish(self, op: Op) -> None:
        op.arrive()
        if self.check:
            op.finish()

    def _replace(self, op: Op, by: Op | None) -> None:
        if not self.check:
            return
        for regs, table in ((op.v_regs, self.v), (op.s_regs, self.s)):
            for reg in regs:
                owners = table[reg]
                owners.remove(op)
                if by is not None:
                    owners.append(by)
                elif not owners:
                    del table[reg]
