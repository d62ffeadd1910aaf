"""Tiles of memory as lanes see them: static planning of addresses, and the code that makes them.

An address is a uniform base, plus an offset of the lane, plus a constant: the lane's part does not
change in a loop, and the constant ends up in the instruction. An LDS layout bends that sum. Whether
a constant still holds for every lane is decided here by trying all of them, not by a rule about
one layout; where it does not, the lane's offset is computed again from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mlir import ir

from gemm_ladder.dialect_defs.types import Layout, element_bytes
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.origin import Origin
from gemm_ladder.passes.lowering.placement import Placement

VECTOR_BYTES = 16  # the widest access of one lane that vendors have


@dataclass(frozen=True)
class Lanes:
    """Where each lane stands: (row, col) of lane i in ``table``, and the same as i32 values."""

    table: tuple[tuple[int, int], ...]
    row: ir.Value
    col: ir.Value


@dataclass(frozen=True)
class MemoryTile:
    """A tile in global memory or LDS, in memory's own orientation (columns contiguous).

    ``pitch`` is bytes from row to row, ``height`` the rows of a ring's slot (0 in global memory).
    ``base`` is a pointer to element (0, 0) of the operand or of the ring, ``slot`` the bytes from
    there to the ring's slot (i32, uniform), ``align`` the known bytes of both. ``shift`` is (rows,
    columns) from ``origin`` to the tile. ``rows_left`` and ``cols_left`` (i32, uniform) say how
    many rows and columns exist from the origin on; None: all that are asked for. ``cols_unit``
    divides cols_left. ``transposed`` says that a fragment is read with rows and columns exchanged;
    ``wide`` asks for 64-bit lane offsets, ``predicates`` for loads at an edge under a branch
    (Backend.predicates). Methods take fragment coordinates.
    """

    base: ir.Value
    elem: ir.Type
    pitch: int
    layout: Layout
    origin: Origin
    align: int
    height: int = 0
    slot: ir.Value | None = None
    shift: tuple[int, int] = (0, 0)
    rows_left: ir.Value | None = None
    cols_left: ir.Value | None = None
    cols_unit: int = 1
    transposed: bool = False
    wide: bool = False
    predicates: bool = False
    scalar: Callable[[ir.Value], ir.Value] | None = field(default=None, compare=False)
    _cache: dict[str, ir.Value] = field(default_factory=dict, compare=False)

    @property
    def elem_bytes(self) -> int:
        """Bytes of one element."""
        return element_bytes(self.elem)

    @property
    def guarded(self) -> bool:
        """Whether some element that is asked for may not exist."""
        return self.rows_left is not None or self.cols_left is not None

    @property
    def placement(self) -> Placement:
        """The byte function of the memory."""
        return Placement(self.layout, self.pitch, self.height)

    def in_memory(self, row: int, col: int) -> tuple[int, int]:
        """(row, byte of the row) of fragment element (row, col), from the origin."""
        row, col = (col, row) if self.transposed else (row, col)
        return self.shift[0] + row, (self.shift[1] + col) * self.elem_bytes

    def start_place(self) -> tuple[int, int]:
        """The place of the origin, in fragment coordinates."""
        row, col = -self.shift[0], -self.shift[1]
        return (col, row) if self.transposed else (row, col)

    def packed(self, row: int, col: int) -> int:
        """Byte of fragment element (row, col) from the origin, before the layout bends it."""
        row, byte = self.in_memory(row, col)
        return row * self.pitch + byte

    def uniform_divisor(self) -> int:
        """A number of bytes that divides the origin's packed offset; 0 if the offset is 0."""
        rows = self.origin.row.divisor * self.pitch
        return math.gcd(rows, self.origin.col.divisor * self.elem_bytes)

    def start(self, plus: int = 0) -> ir.Value:
        """Packed byte offset of the origin and ``plus``; i32 with ``scalar``, else i64.

        The origin's is 0 where nothing exists there.
        """
        if plus or "start" not in self._cache:
            start = emit.add(self._origin_bytes(), plus)
            start = self.scalar(start) if self.scalar else start
            if plus:
                return start
            self._cache["start"] = start
        return self._cache["start"]

    def _origin_bytes(self) -> ir.Value:
        if "origin" not in self._cache:
            as_int = emit.to_i32 if self.scalar else emit.to_i64
            row = emit.mul(as_int(self.origin.row.value), self.pitch)
            start = emit.add(row, emit.mul(as_int(self.origin.col.value), self.elem_bytes))
            if self.guarded:
                start = emit.select(self._nonempty(), start, emit.constant(start.type, 0))
            self._cache["origin"] = start
        return self._cache["origin"]

    def _nonempty(self) -> ir.Value:
        zero = emit.i32(0)
        left = [v for v in (self.rows_left, self.cols_left) if v is not None]
        return emit.all_of([emit.less(zero, v) for v in left])

    def valid(self, lanes: Lanes, row: int, col: int) -> ir.Value | None:
        """i1: whether the lane's element at displacement (row, col) exists; None: always."""
        lane = (lanes.row, lanes.col)
        if self.transposed:
            lane, row, col = (lane[1], lane[0]), col, row
        tests = []
        for at, step, left in ((lane[0], row, self.rows_left), (lane[1], col, self.cols_left)):
            if left is not None:
                # What is uniform is a scalar's: the lane's place is the same for all displacements.
                limit = emit.add(left, -step) if self.scalar else left
                tests.append(emit.less(at if self.scalar else emit.add(at, step), limit))
        return emit.all_of(tests) if tests else None


@dataclass
class Addresses:
    """Addresses of one MemoryTile for one placement of lanes. A place is (row, col)."""

    tile: MemoryTile
    lanes: Lanes
    _anchors: list[tuple[tuple[int, int], ir.Value]] = field(default_factory=list)
    _known: dict[tuple[int, int], list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._placement = self.tile.placement
        if self._placement.plain:
            self.tile.start()  # here, not in the region of some guard: later ones use it too

    @cached_property
    def _residues(self) -> tuple[list[int], list[int]]:
        """What the origin's row, and its byte of the row, can be modulo the layout's periods."""
        placement, origin = self._placement, self.tile.origin
        if placement.plain:
            return [0], [0]
        rows = origin.row.residues(1, placement.row_period)
        return rows, origin.col.residues(self.tile.elem_bytes, placement.byte_period)

    def _bytes(self, place: tuple[int, int]) -> list[int]:
        """Bytes from the origin to every lane's element at ``place``, for every residue."""
        if place not in self._known:
            row, col = place
            lanes = [self.tile.in_memory(r + row, c + col) for r, c in self.lanes.table]
            rows, starts = self._residues
            self._known[place] = [
                self._placement.place(row + r, byte + b)
                for row in rows
                for byte in starts
                for r, b in lanes
            ]
        return self._known[place]

    def step(self, start: tuple[int, int], end: tuple[int, int]) -> int | None:
        """Bytes from one place to another, if all lanes agree; else None."""
        if self._placement.plain:
            return self.tile.packed(*end) - self.tile.packed(*start)
        steps = {b - a for a, b in zip(self._bytes(start), self._bytes(end), strict=True)}
        return steps.pop() if len(steps) == 1 else None

    def alignment(self, place: tuple[int, int]) -> int:
        """Largest power of two, at most 16, that divides every lane's address there."""
        tile, placement = self.tile, self._placement
        whole = [tile.uniform_divisor()] if placement.plain else placement.periods()
        return math.gcd(VECTOR_BYTES, tile.align, *whole, *self._bytes(place))

    def run(self, places: Sequence[tuple[int, int]]) -> int:
        """How many of ``places`` (row, col) form one access: 1, or a power of two of them."""
        fits = min(len(places), self.alignment(places[0]) // self.tile.elem_bytes)
        count = 1
        while 2 * count <= fits and self._joined(places[: 2 * count]):
            count *= 2
        return count

    def _joined(self, places: Sequence[tuple[int, int]]) -> bool:
        first, size = self.tile.packed(*places[0]), self.tile.elem_bytes
        if not self._whole(places[0], len(places)):
            return False
        return all(
            self.tile.packed(*place) == first + i * size and self.step(places[0], place) == i * size
            for i, place in enumerate(places)
        )

    def _whole(self, place: tuple[int, int], count: int) -> bool:
        """Whether of ``count`` elements of a row, for each lane, all exist or none."""
        tile, along = self.tile, 0 if self.tile.transposed else 1
        if tile.cols_left is None:
            return True
        starts = [lane[along] + place[along] for lane in self.lanes.table]
        return tile.cols_unit % count == 0 and all(start % count == 0 for start in starts)

    def pointer(self, row: int, col: int) -> ir.Value:
        """Pointer to the lane's element at displacement (row, col), whether it exists or not."""
        place = (row, col)
        for anchor, pointer in self._anchors:
            step = self.step(anchor, place)
            if step is not None and step >= 0:
                return emit.offset(pointer, step)
        # All tiles of one origin share the lane's address there, if that will do.
        start = self.tile.start_place()
        step = self.step(start, place)
        anchor = place if step is None or step < 0 else start
        pointer = self._plain(anchor) if self._placement.plain else self._bent(anchor)
        if self.tile.slot is not None:  # last: the rest does not change in a loop
            pointer = emit.offset(pointer, self.tile.slot)
        self._anchors.append((anchor, pointer))
        return pointer if anchor == place or step is None else emit.offset(pointer, step)

    def guarded_pointer(self, row: int, col: int, valid: ir.Value) -> ir.Value:
        """As pointer() where ``valid``, else the tile's first element (no layout: global)."""
        at = emit.add(self._lane_bytes(), self.tile.packed(row, col))
        zero = emit.constant(at.type, 0)
        return self._from(emit.select(valid, at, zero))

    def separate_pointer(self, row: int, col: int) -> ir.Value:
        """As pointer(), by a lane's offset of its own: no displacement is left (no layout)."""
        return self._from(self._lane_bytes(), self.tile.packed(row, col))

    def _lane_bytes(self) -> ir.Value:
        """Packed byte offset of the lane: i32, or i64 where the tile spans more."""
        tile, row, col = self.tile, self.lanes.row, self.lanes.col
        if tile.transposed:
            row, col = col, row
        if tile.wide:
            row, col = emit.widen(row), emit.widen(col)
        return emit.add(emit.mul(row, tile.pitch), emit.mul(col, tile.elem_bytes))

    def _from(self, lane: ir.Value, plus: int = 0) -> ir.Value:
        """The pointer ``lane`` bytes and ``plus`` from the origin."""
        tile = self.tile
        if tile.scalar:
            return emit.offset(tile.base, emit.add(tile.start(plus), lane))
        return emit.offset(emit.offset(tile.base, tile.start(plus)), lane)

    def _plain(self, place: tuple[int, int]) -> ir.Value:
        return emit.offset(self._from(self._lane_bytes()), self.tile.packed(*place))

    def _bent(self, place: tuple[int, int]) -> ir.Value:
        """The origin's whole periods, plus the layout of what is left and the lane's part."""
        tile, placement, origin = self.tile, self._placement, self.tile.origin
        rows, starts = self._residues
        row, byte = (self.lanes.row, self.lanes.col)
        if tile.transposed:
            row, byte = byte, row
        byte = emit.mul(byte, tile.elem_bytes)
        down, along = tile.in_memory(*place)
        reach = [tile.in_memory(r + place[0], c + place[1])[1] for r, c in self.lanes.table]
        whole: list[ir.Value | None] = [None, None]
        if len(rows) == 1:
            whole[0] = origin.row.periods(1, placement.row_period)
            down += rows[0]
        else:
            row = emit.add(row, emit.to_i32(origin.row.value))
        if len(starts) == 1:
            whole[1] = origin.col.periods(tile.elem_bytes, placement.byte_period)
            along += starts[0]
        else:
            byte = emit.add(byte, emit.mul(emit.to_i32(origin.col.value), tile.elem_bytes))
        known = (min(reach) + starts[0], max(reach) + starts[0]) if len(starts) == 1 else None
        uniform = placement.periodic(*whole)
        base = tile.base if uniform is None else emit.offset(tile.base, uniform)
        at = placement.at(emit.add(row, down), emit.add(byte, along), known)
        return emit.offset(base, at)
