"""Run decoded code: groups of waves by PC, lowest PC first, merged where they meet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import control, lanes, lds2, matrix, salu, valu, vmem
from .asm import KernelAsm, Line
from .errors import SimError
from .state import Array, Group, Machine
from .table import Builder, End, Handler, Jump, Wait

UNITS: tuple[Builder, ...] = (
    control.build, salu.build, valu.build, vmem.build, lds2.build, lanes.build, matrix.build,
)  # type: ignore[assignment]  # fmt: skip
Tick = Callable[[int], None]


def decode(kernel: KernelAsm) -> list[Handler]:
    """A handler for every instruction; SimError names the first line that has no row."""
    return [_decode_line(line, kernel) for line in kernel.code]


def _decode_line(line: Line, kernel: KernelAsm) -> Handler:
    for unit in UNITS:
        handler = unit(line, kernel)
        if handler is not None:
            return handler
    raise line.fail("unknown instruction")


class Scheduler:
    """Executes one chunk of workgroups to the end."""

    def __init__(self, machine: Machine, kernel: KernelAsm, code: list[Handler]) -> None:
        self.machine = machine
        self.kernel = kernel
        self.code = code
        self.ready: dict[int, Array] = {0: np.arange(machine.waves)}
        self.parked: dict[int, Array] = {}
        self.watched = False

    def run(self, tick: Tick | None = None) -> int:
        """Run all waves; returns wave instructions executed. Raises SimError on any fault."""
        executed = 0
        self.watched = tick is not None
        while self.ready:
            pc = min(self.ready)
            index = self.ready.pop(pc)
            executed += self._run_group(pc, index)
            if tick is not None:
                tick(executed)
            if not self.ready and self.parked:
                self._deadlock()
        return executed

    def _run_group(self, pc: int, index: Array) -> int:
        """Run until the group ends, splits, waits, or meets another group; returns work done."""
        group = Group(self.machine, index)
        limit = min(self.ready, default=len(self.code))
        code, count = self.code, 0
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
                limit = min(self.ready, default=len(code))
            if pc >= limit and self.ready:
                break
        self._enter(pc, index)
        return count * len(index)

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
            self.machine.barriers.end(index)

    def _wake(self) -> None:
        """After a barrier completed, let parked waves try their wait again."""
        if not self.machine.barriers.changes:
            return
        self.machine.barriers.changes = 0
        for pc in list(self.parked):
            waves = self.parked.pop(pc)
            go = self.machine.barriers.ready(waves)
            self._enter(pc, waves[go])
            if not go.all():
                self.parked[pc] = waves[~go]

    def _deadlock(self) -> None:
        pc = min(self.parked)
        wave = int(self.parked[pc][0])
        group = int(self.machine.workgroup[wave])
        barriers = self.machine.barriers
        raise self.kernel.code[pc].fail(
            f"deadlock: {self.machine.describe(wave)} waits on the workgroup barrier, "
            f"{int(barriers.arrived[group])} of {int(barriers.members[group])} waves arrived"
        )
