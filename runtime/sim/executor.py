"""Run decoded code: groups of waves by PC, lowest PC first, merged where they meet."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np

from . import control, copies, lanes, lds2, matrix, salu, tdm, valu, vmem, waits
from .asm import KernelAsm, Line
from .errors import SimError
from .flow import ranks
from .guard import guard
from .multicast import check_complete
from .pending import Options
from .state import Array, Group, Machine
from .table import Builder, End, Handler, Jump, Wait

UNITS: tuple[Builder, ...] = (
    control.build, waits.build, salu.build, valu.build, vmem.build, lds2.build, lanes.build,
    matrix.build, copies.build, tdm.build,
)  # type: ignore[assignment]  # fmt: skip
_LDS_WIDTH = re.compile(r"^(?:ds_(?:load|store)|\w+_lds)\w*?_(?:tr16_)?[bui](8|16|32|64|96|128)")
Tick = Callable[[int], None]
SPLIT = 0.25  # how often a group is cut in two in mode random


def decode(kernel: KernelAsm, check: bool = True) -> list[Handler]:
    """A handler for every instruction; SimError names the first line that has no row."""
    kernel.lds_unit = min((_lds_unit(line.mnemonic) for line in kernel.code), default=16)
    handlers = []
    for line in kernel.code:
        handler = _decode_line(line, kernel)
        handlers.append(guard(line, handler) if check else handler)
    return handlers


def _lds_unit(mnemonic: str) -> int:
    """Bytes that one LDS access can tell apart, at most 16: the unit in which races are found."""
    if mnemonic.startswith("tensor_"):
        return 4
    width = _LDS_WIDTH.search(mnemonic)
    if not width:
        return 16
    size = int(width[1]) // 8
    return size & -size


def _decode_line(line: Line, kernel: KernelAsm) -> Handler:
    for unit in UNITS:
        handler = unit(line, kernel)
        if handler is not None:
            return handler
    raise line.fail("unknown instruction")


class Scheduler:
    """Executes one chunk of workgroups to the end.

    The lowest rank (flow.py) runs first, so that waves that parted meet again; in mode random any
    group may be next, and groups are cut in two, so that waves of a workgroup run in any order.
    """

    def __init__(
        self, machine: Machine, kernel: KernelAsm, code: list[Handler], options: Options
    ) -> None:
        self.machine = machine
        self.kernel = kernel
        self.code = code
        self.rank = ranks(kernel)
        self.ready: dict[int, Array] = {0: np.arange(machine.waves)}
        self.parked: dict[int, Array] = {}
        self.watched = False
        self.dice = random.Random(options.seed) if options.mode == "random" else None

    def run(self, tick: Tick | None = None) -> int:
        """Run all waves; returns wave instructions executed. Raises SimError on any fault."""
        executed = 0
        self.watched = tick is not None
        while self.ready:
            executed += self._run_group(*self._next())
            if tick is not None:
                tick(executed)
            if not self.ready and self.parked:
                self._deadlock()
        check_complete(self.machine)
        return executed

    def _next(self) -> tuple[int, Array]:
        """The group of waves to run now, and their PC."""
        if self.dice is None:
            pc = min(self.ready, key=self.rank.__getitem__)
            return pc, self.ready.pop(pc)
        pc = self.dice.choice(sorted(self.ready))
        index = self.ready.pop(pc)
        if len(index) > 1 and self.dice.random() < SPLIT:
            first = np.array([self.dice.random() < 0.5 for _ in index])
            if first.any() and not first.all():
                self._enter(pc, index[~first])
                index = index[first]
        return pc, index

    def _run_group(self, pc: int, index: Array) -> int:
        """Run until the group ends, splits, waits, or meets another group; returns work done."""
        group = Group(self.machine, index)
        limit = self._limit()
        code, rank, count = self.code, self.rank, 0
        while True:
            if pc >= len(code):
                raise SimError(f"kernel {self.kernel.name} runs past its last instruction")
            action = code[pc](group)
            count += 1
            if action is None:
                pc += 1
            elif type(action) is int:
                pc = action
                if self.ready or self.watched:
                    break
            else:
                self._react(action, pc, index)
                self._wake()
                return count * len(index)
            if self.machine.barriers.changes:
                self._wake()
                limit = self._limit()
            if rank[pc] >= limit and (self.dice is None or pc in self.ready):
                break
        self._enter(pc, index)
        return count * len(index)

    def _limit(self) -> int:
        """Rank of the first instruction at which another group is ready."""
        return min((self.rank[pc] for pc in self.ready), default=len(self.rank))

    def _enter(self, pc: int, index: Array) -> None:
        if not len(index):
            return
        if pc in self.ready:
            index = np.union1d(self.ready[pc], index)
        self.ready[pc] = index

    def _react(self, action: object, pc: int, index: Array) -> None:
        if isinstance(action, Jump):
            self._enter(action.target, index[action.taken])
            self._enter(pc + 1, index[~action.taken])
        elif isinstance(action, Wait):
            self._enter(pc + 1, index[action.ready])
            blocked = index[~action.ready]
            if pc in self.parked:
                blocked = np.union1d(self.parked[pc], blocked)
            self.parked[pc] = blocked
        elif isinstance(action, End):
            self.machine.pending.drain(Group(self.machine, index))
            self.machine.barriers.end(index)

    def _wake(self) -> None:
        """After a barrier completed, let parked waves try their wait again."""
        if not self.machine.barriers.changes:
            return
        self.machine.barriers.changes = 0
        for pc in list(self.parked):
            waves = self.parked.pop(pc)
            go = self.machine.barriers.ready(waves, self._barrier(pc))
            self._enter(pc, waves[go])
            if not go.all():
                self.parked[pc] = waves[~go]

    def _barrier(self, pc: int) -> int:
        """Number of the barrier that the wait at `pc` names."""
        return int(self.kernel.code[pc].operands[0], 0)

    def _deadlock(self) -> None:
        """Say which waves wait on what; the first workgroup with such waves stands for all."""
        machine = self.machine
        first = min(int(waves[0]) // machine.waves_per_group for waves in self.parked.values())
        parts = []
        for pc, waves in sorted(self.parked.items()):
            mine = waves[machine.workgroup[waves] == first]
            if len(mine):
                names = ", ".join(str(w % machine.waves_per_group) for w in mine[:8].tolist())
                names += ", ..." if len(mine) > 8 else ""
                says = machine.barriers.status(int(mine[0]), self._barrier(pc))
                line = self.kernel.code[pc]
                parts.append(f"wave {names} at line {line.number} waits on {says}")
                last = line
        total = sum(len(waves) for waves in self.parked.values())
        wave = first * machine.waves_per_group
        message = (
            f"deadlock: workgroup {machine.workgroup_id(wave)}: {'; '.join(parts)}; "
            f"{total} waves wait in all"
        )
        machine.findings.add("barrier", last, message, machine, wave)
        raise last.fail(message)
