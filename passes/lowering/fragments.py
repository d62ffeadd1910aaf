"""Fragments between memory and lanes: runs of a lane's elements become the widest accesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, llvm

from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.memory import Addresses, Lanes, MemoryTile

Place = tuple[int, int]


def lanes_of(dist: Distribution, lane: ir.Value, wave_size: int) -> Lanes:
    """Where the lanes of ``dist`` stand in a block; ``lane`` is the i32 lane number."""
    lane_map = dist.lane_map
    table = tuple(lane_map.lane_offset(i) for i in range(wave_size))
    row = emit.bits(lane, [r for r, _ in lane_map.lanes])
    return Lanes(table, row, emit.bits(lane, [c for _, c in lane_map.lanes]))


def block_places(dist: Distribution) -> list[list[Place]]:
    """For each block of ``dist``, the (row, col) of every slot of lane 0."""
    slots = [dist.lane_map.slot_offset(s) for s in range(dist.lane_map.slot_count)]
    return [[(i + r, j + c) for r, c in slots] for i, j in dist.origins()]


def runs(addresses: Addresses, places: Sequence[Place]) -> list[list[Place]]:
    """``places`` in memory order, cut into single accesses."""
    rest = sorted(places, key=lambda place: addresses.tile.packed(*place))
    cut = []
    while rest:
        count = addresses.run(rest)
        cut.append(rest[:count])
        rest = rest[count:]
    return cut


@dataclass(frozen=True)
class Element:
    """Element ``index`` of a vector that was loaded."""

    vector: ir.Value
    index: int


def gather(addresses: Addresses, places: Sequence[Place], elem: ir.Type) -> dict[Place, Element]:
    """Load ``places``, extended to ``elem`` where memory holds a narrower float.

    Elements that do not exist are zero: their lanes read nothing (MemoryTile.predicates), or an
    element that does exist, and drop it.
    """
    tile, found = addresses.tile, {}
    for run in runs(addresses, places):
        type_ = emit.vector(len(run), tile.elem)
        align = tile.elem_bytes * len(run)
        valid = tile.valid(addresses.lanes, *run[0])
        if valid is None:
            value = emit.load(addresses.pointer(*run[0]), type_, align)
        elif tile.predicates:
            value = emit.load_if(valid, addresses.pointer(*run[0]), type_, align)
        else:
            pointer = addresses.guarded_pointer(*run[0], valid)
            loaded = emit.load(pointer, type_, align)
            value = emit.select(valid, loaded, emit.zeros(type_))
        if tile.elem != elem:
            value = arith.extf(emit.vector(len(run), elem), value)
        found.update({place: Element(value, i) for i, place in enumerate(run)})
    return found


def load(tile: MemoryTile, lanes: Lanes, dist: Distribution) -> list[ir.Value]:
    """A fragment: one vector a block."""
    blocks = block_places(dist)
    places = [place for block in blocks for place in block]
    found = gather(Addresses(tile, lanes), places, dist.frag.elem)
    return [assemble([found[place] for place in block]) for block in blocks]


def zero(dist: Distribution) -> list[ir.Value]:
    """A fragment of zeros."""
    value = emit.zeros(emit.vector(dist.lane_map.slot_count, dist.frag.elem))
    return [value] * len(dist.origins())


def assemble(elements: Sequence[Element]) -> ir.Value:
    """One vector of ``elements``: whole loaded vectors are joined, others picked one by one."""
    parts, rest = [], list(elements)
    while rest:
        vector, count = rest[0].vector, emit.count_of(rest[0].vector)
        whole = [Element(vector, i) for i in range(count)]
        if rest[:count] != whole:
            return _pick(elements)
        parts.append(vector)
        rest = rest[count:]
    if len({emit.count_of(part) for part in parts}) > 1:
        return _pick(elements)
    return _join(parts)


def _join(parts: list[ir.Value]) -> ir.Value:
    """Equally long vectors end to end, by halves (an odd one is left for the next round)."""
    while len(parts) > 1:
        if len(parts) % 2:
            return _pick([Element(p, i) for p in parts for i in range(emit.count_of(p))])
        parts = [_pair(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def _pair(a: ir.Value, b: ir.Value) -> ir.Value:
    count = 2 * emit.count_of(a)
    result = emit.vector(count, ir.VectorType(a.type).element_type)
    return llvm.ShuffleVectorOp(result, a, b, list(range(count))).result


def _pick(elements: Sequence[Element]) -> ir.Value:
    elem = ir.VectorType(elements[0].vector.type).element_type
    scalars = [scalar(element) for element in elements]
    return from_scalars(scalars, elem)


def scalar(element: Element) -> ir.Value:
    """The element itself."""
    return llvm.extractelement(element.vector, emit.i32(element.index))


def from_scalars(scalars: Sequence[ir.Value], elem: ir.Type) -> ir.Value:
    """A vector of ``scalars``."""
    vector = llvm.mlir_poison(emit.vector(len(scalars), elem))
    for i, value in enumerate(scalars):
        vector = llvm.insertelement(vector, value, emit.i32(i))
    return vector


def part(vector: ir.Value, first: int, count: int) -> ir.Value:
    """``count`` elements of ``vector`` from ``first`` on."""
    if first == 0 and count == emit.count_of(vector):
        return vector
    result = emit.vector(count, ir.VectorType(vector.type).element_type)
    mask = list(range(first, first + count))
    return llvm.ShuffleVectorOp(result, vector, vector, mask).result


def store(values: Sequence[ir.Value], tile: MemoryTile, lanes: Lanes, dist: Distribution) -> None:
    """Write a fragment, rounded to nearest even; elements that do not exist are not written."""
    addresses = Addresses(tile, lanes)
    for value, block in zip(values, block_places(dist), strict=True):
        if tile.elem != dist.frag.elem:
            value = arith.truncf(emit.vector(len(block), tile.elem), value)
        slot_of = {place: slot for slot, place in enumerate(block)}
        for run in runs(addresses, block):
            slots = [slot_of[place] for place in run]
            if slots == list(range(slots[0], slots[0] + len(slots))):
                vector = part(value, slots[0], len(slots))
            else:
                vector = _pick([Element(value, slot) for slot in slots])
            _store_run(addresses, run, vector)


def _store_run(addresses: Addresses, run: Sequence[Place], vector: ir.Value) -> None:
    tile = addresses.tile
    align = tile.elem_bytes * len(run)
    pointer = addresses.pointer(*run[0])  # here: later runs share its parts
    valid = tile.valid(addresses.lanes, *run[0])
    emit.guarded(valid, lambda: emit.store(vector, pointer, align))
