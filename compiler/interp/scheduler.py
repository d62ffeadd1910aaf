"""Interleaves the waves of a batch under a seed, and reports waits that cannot complete."""

from __future__ import annotations

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.clocks import OPEN
from gemm_ladder.compiler.interp.control import run_block
from gemm_ladder.compiler.interp.machine import Machine
from gemm_ladder.compiler.interp.multicast import check_answered
from gemm_ladder.compiler.interp.wave import Wave

# How far a wave may run before another gets a turn: lock step, small leads, or until it blocks.
_BURSTS = (1, 1, 4, 16, 1 << 30)


def run(machine: Machine) -> bool:
    """Run all waves to their end; False, with findings, if some never get there."""
    waves = list(machine.waves)
    for wave in waves:
        wave.steps = run_block(wave, machine.program.body)
    while waves:
        ready = [w for w in waves if w.blocked is None or w.blocked.ready()]
        if not ready:
            if machine.in_flight:
                machine.land_one()
                continue
            _report_stuck(waves)
            return False
        wave = ready[machine.rng.randrange(len(ready))]
        if not _advance(machine, wave, machine.rng.choice(_BURSTS)):
            waves.remove(wave)
    _check_end(machine)
    return True


def _advance(machine: Machine, wave: Wave, steps: int) -> bool:
    """Let ``wave`` take up to ``steps`` steps; False if it ended."""
    lands = machine.settings.landing == "random"
    for _ in range(steps):
        try:
            next(wave.steps)
        except StopIteration:
            _end(wave)
            return False
        if lands and machine.in_flight and machine.rng.random() < 0.2:
            machine.land_one()
        if wave.blocked is not None and not wave.blocked.ready():
            return True
    return True


def _end(wave: Wave) -> None:
    """Engines may not write LDS, or read it, when the workgroup has left."""
    wave.ended = True
    for flight in wave.flights:
        if flight.open and any(access.engine for access in flight.accesses):
            wave.machine.findings.add(
                kinds.OPEN_END, flight.op, None,
                f"{flight.op} by {wave} may still run when the wave ends: no wait for it",
            )  # fmt: skip
        flight.arrive()


def _check_end(machine: Machine) -> None:
    while machine.in_flight:
        machine.land_one()
    for copy in machine.barrier_copies:
        access = copy.access
        owners = [wave for wave in machine.waves if wave.rank == copy.rank]
        if access.time == OPEN or not any(access.before(wave.clock) for wave in owners):
            machine.findings.add(
                kinds.OPEN_END, copy.op, None,
                f"{copy.op} by {copy.wave} may still run when workgroup {copy.rank} ends: none of "
                "its waves waits for the barrier that the copy completes",
            )  # fmt: skip
    for op, wave, rank, time in machine.remote:
        owners = [other for other in machine.waves if other.rank == rank]
        if not any(other.clock[wave.agent] >= time for other in owners):
            text = f"{op} by {wave}: workgroup {rank} may have left, none of its waves waits for it"
            machine.findings.add(kinds.MULTICAST, op, None, text)
    check_answered(machine.waves[0], machine.program.ops)


def _report_stuck(waves: list[Wave]) -> None:
    """One finding an op that waves wait at."""
    groups: dict[int, list[Wave]] = {}
    for wave in waves:
        assert wave.blocked is not None
        groups.setdefault(wave.blocked.op.uid, []).append(wave)
    for group in groups.values():
        blocked = group[0].blocked
        assert blocked is not None
        names = ", ".join(str(wave) for wave in group[:8])
        text = f"{blocked.op}: {names} wait for {blocked.state()}"
        group[0].machine.findings.add(kinds.STUCK, blocked.op, None, text)
