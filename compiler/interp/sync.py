"""tile.wait, barriers and fences."""

from __future__ import annotations

from collections.abc import Callable

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.barriers import HwBarrier, MBarrierSlot
from gemm_ladder.compiler.interp.clocks import OPEN
from gemm_ladder.compiler.interp.program import Op
from gemm_ladder.compiler.interp.values import uniform
from gemm_ladder.compiler.interp.wave import Blocked, Steps, Wave


def _wait(wave: Wave, op: Op) -> None:
    wave.wait(op.attrs["kind"], int(op.attrs["pending"]))


def _fence(wave: Wave, op: Op) -> None:
    """What this wave has written itself, and has not in flight, becomes visible to the engines."""
    for access in wave.written:
        access.fenced = access.fenced or not (access.engine and access.time == OPEN)
    wave.written = [access for access in wave.written if not access.fenced]


def _arrive(wave: Wave, op: Op) -> None:
    issuer = op.attrs.get("issuer")
    if issuer is not None and wave.number != issuer:
        return
    bar, slot, peers = op.parts(3)
    assert bar is not None
    number = wave.values[bar]
    hardware = wave.machine.hw.get((number, wave.rank))
    if hardware is not None:
        hardware.arrive(wave, op)
        return
    ranks = [wave.rank]
    if peers is not None:
        ranks = _peers(wave, op, uniform(wave.values[peers]))
    for rank in ranks:
        if rank != wave.rank:
            wave.machine.remote.append((op, wave, rank, int(wave.clock[wave.agent])))
        _slot(wave, op, number, rank, slot).arrive(wave, op, int(op.attrs.get("tx_bytes", 0)))


def _peers(wave: Wave, op: Op, mask: int) -> list[int]:
    ranks = [rank for rank in range(32) if mask >> rank & 1]
    size = wave.machine.ranks
    if not ranks or ranks[-1] >= size:
        text = f"{op} by {wave}: peers {mask:#x} of a cluster of {size} workgroups"
        wave.machine.findings.add(kinds.MULTICAST, op, None, text)
    return [rank for rank in ranks if rank < size]


def _slot(wave: Wave, op: Op, number: int, rank: int, slot: int | None) -> MBarrierSlot:
    slots = wave.machine.mbarriers[number, rank]
    index = 0 if slot is None else uniform(wave.values[slot])
    if not 0 <= index < len(slots):
        text = f"{op} by {wave} uses slot {index} of {len(slots)}"
        wave.machine.findings.add(kinds.OUTSIDE, op, None, text)
    return slots[index % len(slots)]


def _wait_barrier(wave: Wave, op: Op) -> Steps:
    bar, slot, phase = op.parts(3)
    assert bar is not None
    hardware = wave.machine.hw.get((wave.values[bar], wave.rank))
    if hardware is not None:
        return _wait_hardware(wave, op, hardware)
    where = _slot(wave, op, wave.values[bar], wave.rank, slot)
    number = where.seen.get(wave, -1) + 1 if phase is None else uniform(wave.values[phase])
    return _wait_mbarrier(wave, op, where, number & 1)


def _wait_hardware(wave: Wave, op: Op, bar: HwBarrier) -> Steps:
    phase = bar.wait_starts(wave)
    yield from _block(wave, op, lambda: bar.passed(phase), lambda: bar.state(phase))
    bar.acquire(wave, phase)


def _wait_mbarrier(wave: Wave, op: Op, slot: MBarrierSlot, parity: int) -> Steps:
    phase = slot.wait_starts(wave, op, parity)
    yield from _block(wave, op, lambda: slot.passed(parity), lambda: slot.state(phase))
    slot.acquire(wave, phase)


def _block(wave: Wave, op: Op, ready: Callable[[], bool], state: Callable[[], str]) -> Steps:
    while not ready():
        wave.blocked = Blocked(op, ready, state)
        yield
    wave.blocked = None


def _barrier(wave: Wave, op: Op) -> Steps:
    """Arrive, then wait; of an mbarrier, at its first slot."""
    _arrive(wave, op)
    return _wait_barrier(wave, op)


SYNC: dict[str, Callable[[Wave, Op], Steps | None]] = {
    "tile.wait": _wait,
    "tile.fence": _fence,
    "tile.arrive": _arrive,
    "tile.wait_barrier": _wait_barrier,
    "tile.barrier": _barrier,
}
