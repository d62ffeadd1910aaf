"""tile.copy and tile.copy_async: who moves what, when it lands, and what knows of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.barriers import MBarrierSlot
from gemm_ladder.compiler.interp.clocks import Access, Rect, Write
from gemm_ladder.compiler.interp.machine import Argument, BarrierCopy, Transfer
from gemm_ladder.compiler.interp.moves import gather, outside, scatter
from gemm_ladder.compiler.interp.multicast import check_request, destinations
from gemm_ladder.compiler.interp.program import Op
from gemm_ladder.compiler.interp.values import Index, uniform
from gemm_ladder.compiler.interp.wave import Flight, Wave
from gemm_ladder.dialect_defs.types import LdsType, element_bytes


@dataclass(frozen=True)
class Move:
    """One wave's execution of a copy of the part ``rect`` of a slot. ``number`` counts its
    executions; ``fills`` LDS or drains it; ``shared`` copies are moved by ``expected`` waves
    together, others by one."""

    wave: Wave
    op: Op
    number: int
    ring: int
    lds: LdsType
    memory: Argument
    slot: int
    rect: Rect
    at: tuple[Index, Index]
    extents: tuple[Index, Index]
    fills: bool
    shared: bool
    expected: int
    mask: int
    completes: list[MBarrierSlot]

    @property
    def engine(self) -> str:
        """What moves it: async, tdm, tma, or nothing for a copy through registers."""
        return str(self.op.attrs.get("engine", ""))

    @property
    def bytes(self) -> int:
        """Bytes of the tile, elements that do not exist included."""
        rows, cols = self.shape
        return rows * cols * element_bytes(self.lds.elem)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols) that are moved."""
        row, end, col, right = self.rect
        return end - row, right - col


def copy(wave: Wave, op: Op) -> None:
    """Start a copy; tile.wait or a barrier tells when it is over."""
    issuer = op.attrs.get("issuer")
    if issuer is not None and wave.number != issuer:
        return
    parts = op.parts(11)
    predicate = parts[7]
    if predicate is not None and not uniform(wave.values[predicate]):
        return
    move = _describe(wave, op, parts)
    _check_place(move)
    ranks = destinations(move.wave, op, move.mask) if move.fills else [wave.rank]
    if move.mask and move.engine != "tma":
        check_request(wave, op, move.number, move.mask, (*move.at, *move.extents))
    if move.fills:
        accesses = [_write(move, rank) for rank in ranks]
    else:
        access = _access(move)
        wave.machine.shadows[wave.rank].read(access, move.ring, move.slot)
        accesses = [access]
    transfer = _transfer(move, ranks)
    if move.completes:
        _fly_to_barriers(move, accesses, transfer, ranks)
    else:
        _fly(move, accesses, transfer)


def _describe(wave: Wave, op: Op, parts: list[int | None]) -> Move:
    values = wave.values
    src, dst, slot, row, col, rows, cols = (values[p] for p in parts[:7] if p is not None)
    fills = isinstance(src, Argument)
    lds = op.types[1 if fills else 0]
    found, rect = _part(op, lds, uniform(slot))
    if not 0 <= found < lds.stages:
        text = f"{op} by {wave} uses slot {found} of {lds.stages}"
        wave.machine.findings.add(kinds.OUTSIDE, op, None, text)
        found %= lds.stages
    engine = op.attrs.get("engine")
    shared = engine in (None, "async") and "issuer" not in op.attrs
    everyone = range(wave.machine.geometry.waves)
    waves = [w for w in everyone if op.waves is None or w in op.waves]
    return Move(
        wave, op, wave.count(op),
        ring=dst if fills else src, lds=lds, memory=src if fills else dst, slot=found,
        rect=rect, at=(row, col), extents=(rows, cols), fills=fills, shared=shared,
        expected=len(waves) if shared else 1,
        mask=uniform(values[parts[8]]) if parts[8] is not None else 0,
        completes=_barriers(wave, op, parts),
    )  # fmt: skip


def _part(op: Op, lds: LdsType, number: int) -> tuple[int, Rect]:
    """(slot, rectangle) of part ``number`` of a ring; a whole slot without `parts`."""
    down, across = op.attrs.get("parts", (1, 1))
    slot, part = divmod(number, down * across)
    rows, cols = lds.rows // down, lds.cols // across
    row, col = part // across * rows, part % across * cols
    return slot, (row, row + rows, col, col + cols)


def _barriers(wave: Wave, op: Op, parts: list[int | None]) -> list[MBarrierSlot]:
    """The barrier slot that the copy completes, in every workgroup of the cluster."""
    if parts[9] is None:
        return []
    number = 0 if parts[10] is None else uniform(wave.values[parts[10]])
    found = []
    for rank in range(wave.machine.ranks):
        slots = wave.machine.mbarriers.get((wave.values[parts[9]], rank))
        if slots is None:
            text = f"{op} by {wave} completes a barrier that is no mbarrier"
            wave.machine.findings.add(kinds.SHAPE, op, None, text)
            return []
        found.append(slots[number % len(slots)])
    return found


def _check_place(move: Move) -> None:
    """The part that exists must lie in the operand."""
    beyond = outside(move.memory, move.wave.machine.batch, move.shape, move.at, move.extents)
    if beyond is not None:
        height, width = move.memory.values.shape
        verb = "reads" if move.fills else "writes"
        move.wave.machine.findings.add(
            kinds.OUTSIDE, move.op, None,
            f"{move.op} by {move.wave} {verb} element {beyond} of {height} x {width}",
        )  # fmt: skip


def _access(move: Move) -> Access:
    return Access(move.op, move.wave, move.wave.agent, move.rect, engine=bool(move.engine))


def _write(move: Move, rank: int) -> Access:
    """This wave's part of the write to the LDS of workgroup ``rank``."""
    machine = move.wave.machine
    key = (move.op.uid, rank, move.number)
    write = machine.writes.get(key) if move.shared else None
    if write is None:
        write = Write(move.op, move.ring, move.slot, move.rect, move.expected)
        if move.shared:
            machine.writes[key] = write
    elif write.slot != move.slot or write.ring != move.ring:
        text = f"{move.op}: {move.wave} fills slot {move.slot}, another wave slot {write.slot}"
        machine.findings.add(kinds.SHAPE, move.op, None, text)
    access = _access(move)
    machine.shadows[rank].write(access, write)
    if len(write.parts) == write.expected:
        machine.writes.pop(key, None)
    return access


def _transfer(move: Move, ranks: list[int]) -> Transfer:
    machine, key = move.wave.machine, (move.op.uid, move.wave.rank, move.number)
    found = machine.transfers.get(key) if move.shared else None
    if found is None:
        eager = machine.settings.landing == "early"
        found = Transfer(move.expected, _mover(move, ranks), eager)
        if move.shared:
            machine.transfers[key] = found
    found.issued += 1
    if found.issued == move.expected:
        machine.transfers.pop(key, None)
    return found


def _mover(move: Move, ranks: list[int]) -> Callable[[], None]:
    """What the arrival of the whole tile does."""
    machine = move.wave.machine
    row, end, col, right = move.rect

    def fill() -> None:
        tile = gather(move.memory, machine.batch, move.shape, move.at, move.extents)
        for rank in ranks:
            ring = machine.shadows[rank].rings[move.ring]
            ring.data[:, move.slot, row:end, col:right] = tile

    def drain() -> None:
        ring = machine.shadows[move.wave.rank].rings[move.ring]
        data = ring.data[:, move.slot, row:end, col:right]
        scatter(move.memory, machine.batch, data, move.at, move.extents)

    return fill if move.fills else drain


def _fly(move: Move, accesses: list[Access], transfer: Transfer) -> None:
    """A copy that a counter of its wave counts."""
    through_registers = not move.engine and not move.fills
    flight = Flight(
        ("copy", "lds") if through_registers else ("copy",), move.op, tuple(accesses), transfer.land
    )
    move.wave.launch(flight)
    landing = move.wave.machine.settings.landing
    if landing == "early":
        flight.arrive()
    elif landing == "random":
        move.wave.machine.in_flight.append(flight.arrive)


def _fly_to_barriers(
    move: Move, accesses: list[Access], transfer: Transfer, ranks: list[int]
) -> None:
    """A copy that adds its bytes to a barrier's slot in every workgroup where it lands."""
    machine = move.wave.machine
    for rank, access in zip(ranks, accesses, strict=True):
        machine.barrier_copies.append(BarrierCopy(move.op, move.wave, rank, access))

    def land() -> None:
        transfer.land()
        for rank, access in zip(ranks, accesses, strict=True):
            slot = move.completes[rank]
            access.component, access.time = slot.component, slot.landed(move.bytes // move.expected)

    if machine.settings.landing == "early":
        land()
    else:
        machine.in_flight.append(land)
