"""Barriers during interpretation: hardware barriers, and mbarriers with slots and phases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.clocks import Clock

if TYPE_CHECKING:
    from gemm_ladder.compiler.interp.findings import Findings
    from gemm_ladder.compiler.interp.program import Op
    from gemm_ladder.compiler.interp.wave import Wave


@dataclass
class HwBarrier:
    """A hardware barrier: one slot; each participant arrives once a phase.

    The n-th arrival of a participant (a wave, or a workgroup of a cluster) belongs to phase n, and
    a wave's n-th wait waits for phase n: a participant can be neither ahead nor behind.
    """

    name: str
    arrivals: int
    cluster: bool
    findings: Findings
    clock: Clock
    phase: int = 0
    here: list[str] = field(default_factory=list)
    done: dict[int, Clock] = field(default_factory=dict)
    arrived: dict[int, int] = field(default_factory=dict)
    waited: dict[Wave, int] = field(default_factory=dict)

    def arrive(self, wave: Wave, op: Op) -> None:
        """Count ``wave``, or its workgroup, and complete the phase with the last one."""
        who = wave.rank if self.cluster else wave.agent
        number = self.arrived.get(who, 0)
        self.arrived[who] = number + 1
        if number != self.phase or not self._knows(wave, number - 1):
            self._report(wave, op, number)
        np.maximum(self.clock, wave.clock, out=self.clock)
        wave.tick()
        self.here.append(str(wave))
        if len(self.here) >= self.arrivals:
            self.done[self.phase] = self.clock
            self.done.pop(self.phase - 8, None)
            self.clock = np.zeros_like(self.clock)
            self.phase, self.here = self.phase + 1, []

    def _knows(self, wave: Wave, phase: int) -> bool:
        """Whether ``wave`` comes after the completion of ``phase``."""
        return phase < 0 or phase not in self.done or bool((wave.clock >= self.done[phase]).all())

    def _report(self, wave: Wave, op: Op, number: int) -> None:
        if number > self.phase or not self._knows(wave, number - 1):
            what = f"again; nothing makes it wait for phase {number - 1} first"
        else:
            what = f"for phase {number}, which was complete without it"
        self.findings.add(
            kinds.PHASE, op, None,
            f"{op} by {wave} arrives at {self.name} {what} ({self.arrivals} arrivals a phase)",
        )  # fmt: skip

    def wait_starts(self, wave: Wave) -> int:
        """The phase that this wait of ``wave`` is for."""
        number = self.waited.get(wave, 0)
        self.waited[wave] = number + 1
        return number

    def passed(self, phase: int) -> bool:
        """Whether ``phase`` is complete."""
        return self.phase > phase

    def acquire(self, wave: Wave, phase: int) -> None:
        """What arrived before ``phase`` completed has happened for ``wave``."""
        if phase in self.done:
            np.maximum(wave.clock, self.done[phase], out=wave.clock)

    def state(self, phase: int) -> str:
        """How far the barrier is, for someone who waits for ``phase``."""
        who = f" ({', '.join(self.here[:8])})" if self.here else ""
        return f"{self.name} phase {phase}: {len(self.here)} of {self.arrivals} arrived{who}"


@dataclass
class MBarrierSlot:
    """One slot of an mbarrier of one workgroup: phases complete at 0 pending and 0 bytes.

    ``component`` is the slot's in vector clocks; its time counts completed phases.
    """

    name: str
    arrivals: int
    component: int
    findings: Findings
    clock: Clock
    complete: Clock
    phase: int = 0
    arrived: int = 0
    bytes: int = 0
    seen: dict[Wave, int] = field(default_factory=dict)

    def arrive(self, wave: Wave, op: Op, tx_bytes: int) -> None:
        """Expect ``tx_bytes`` more, then count one arrival."""
        self.bytes += tx_bytes
        np.maximum(self.clock, wave.clock, out=self.clock)
        wave.tick()
        self.arrived += 1
        if self.arrived > self.arrivals:
            self.findings.add(
                kinds.PHASE, op, None,
                f"{op} by {wave} is arrival {self.arrived} of {self.arrivals} in phase "
                f"{self.phase} of {self.name}, which waits for {self.bytes} bytes",
            )  # fmt: skip
        self._settle()

    def landed(self, count: int) -> int:
        """``count`` bytes of a copy have arrived; returns the time at which they are known."""
        time = self.phase + 1
        self.bytes -= count
        self._settle()
        return time

    def _settle(self) -> None:
        if self.arrived < self.arrivals or self.bytes != 0:
            return
        self.phase, self.arrived = self.phase + 1, 0
        self.clock[self.component] = self.phase
        self.complete = self.clock.copy()

    def target(self, wave: Wave, parity: int) -> int:
        """The phase that a wait of ``wave`` with ``parity`` is for: the next it has not seen.

        Parity 1 on a fresh barrier stands for the phase before the first, which is complete.
        """
        last = self.seen.get(wave, -2 if parity else -1)
        return last if last >= -1 and (last & 1) == parity else last + 1

    def wait_starts(self, wave: Wave, op: Op, parity: int) -> int:
        """Check a wait before it blocks; returns its phase."""
        phase = self.target(wave, parity)
        if self.phase > phase + 1 and phase != self.seen.get(wave):
            self.findings.add(
                kinds.PHASE, op, None,
                f"{op} by {wave} waits for phase {phase} of {self.name}, which is in phase "
                f"{self.phase} already: the wave missed one",
            )  # fmt: skip
        return phase

    def passed(self, parity: int) -> bool:
        """What the hardware tests: the phase of ``parity`` is not the one in progress."""
        return (self.phase & 1) != parity

    def acquire(self, wave: Wave, phase: int) -> None:
        """What completed the last phase has happened for ``wave``."""
        self.seen[wave] = phase
        np.maximum(wave.clock, self.complete, out=wave.clock)

    def state(self, phase: int) -> str:
        """How far the slot is, for someone who waits for ``phase``."""
        bytes_ = f", {self.bytes} bytes to come" if self.bytes else ""
        return f"{self.name} phase {phase}: {self.arrived} of {self.arrivals} arrived{bytes_}"
