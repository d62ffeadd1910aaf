"""ds_load_tr16_b128: fragments whose memory is transposed, by 16-byte reads.

Source: AMD's blog on LDS transposed loads for MI450. Each lane reads eight 16-bit elements at its
own address; then in each group of eight lanes, element i of lane s goes to slot s of lane i. The
exchange does not depend on the addresses, which therefore follow from the fragment's lane map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import rocdl

from gemm_ladder.dialect_defs.target import LaneMap
from gemm_ladder.passes.lowering import emit, fragments
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.memory import Addresses, Lanes, MemoryTile

GROUP = 8  # lanes that exchange, and elements that each of them reads
_BITS = 3  # of GROUP
_BYTES = 16  # of one lane's read: also its alignment


@dataclass(frozen=True)
class Plan:
    """Where lanes read, in fragment coordinates, and what each instruction of a block adds."""

    source: LaneMap
    steps: tuple[tuple[int, int], ...]


def plan(lane_map: LaneMap, transposed: bool) -> Plan | None:
    """How to read a block of ``lane_map``, or None if the exchange does not give it.

    It does if the first eight lanes hold neighbours of one row of memory in each slot.
    """
    along = ((1, 0), (2, 0), (4, 0)) if transposed else ((0, 1), (0, 2), (0, 4))
    if lane_map.lanes[:_BITS] != along or len(lane_map.slots) < _BITS:
        return None
    source = LaneMap((*lane_map.slots[:_BITS], *lane_map.lanes[_BITS:]), ())
    count = lane_map.slot_count // GROUP
    return Plan(source, tuple(lane_map.slot_offset(GROUP * i) for i in range(count)))


def read(
    tile: MemoryTile, dist: Distribution, lane: ir.Value, wave_size: int
) -> list[ir.Value] | None:
    """The fragment's vectors, or None where plain reads are as wide or an address is unaligned."""
    found = plan(dist.lane_map, tile.transposed)
    if found is None or tile.elem_bytes != 2 or tile.elem != dist.frag.elem:
        return None
    lanes = _lanes(found.source, lane, wave_size)
    addresses = Addresses(tile, lanes)
    places = [[(row + r, col + c) for r, c in found.steps] for row, col in dist.origins()]
    if any(not _fits(addresses, place) for block in places for place in block):
        return None
    return [_block(addresses, block, dist.frag.elem) for block in places]


def _lanes(source: LaneMap, lane: ir.Value, wave_size: int) -> Lanes:
    table = tuple(source.lane_offset(i) for i in range(wave_size))
    row = emit.bits(lane, [r for r, _ in source.lanes])
    return Lanes(table, row, emit.bits(lane, [c for _, c in source.lanes]))


def _fits(addresses: Addresses, place: tuple[int, int]) -> bool:
    """Whether every lane's eight elements are 16 aligned bytes of LDS in one piece."""
    tile, (row, col) = addresses.tile, place
    pieces = [(row + i, col) if tile.transposed else (row, col + i) for i in range(GROUP)]
    ends = [addresses.step(place, piece) == 2 * i for i, piece in enumerate(pieces)]
    return all(ends) and addresses.alignment(place) == _BYTES and not tile.guarded


def _block(addresses: Addresses, places: Sequence[tuple[int, int]], elem: ir.Type) -> ir.Value:
    type_ = emit.vector(GROUP, elem)
    parts = [rocdl.ds_load_tr16_b128(type_, addresses.pointer(*place)) for place in places]
    elements = [fragments.Element(part, i) for part in parts for i in range(GROUP)]
    return fragments.assemble(elements)
