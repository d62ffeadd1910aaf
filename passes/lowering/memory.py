"""Tiles of memory as lanes see them: static planning of addresses, and the code that makes them.

An address is a uniform base, plus an offset of the lane, plus a constant: the lane's part does not
change in a loop, and the constant ends up in the instruction. LDS padding bends that sum. Whether
a constant still holds for every lane is decided here by trying all of them, not by a rule about
one layout; where it does not, the lane's offset is computed again from there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs.types import Layout, element_bytes
from gemm_ladder.passes.lowering import emit

VECTOR_BYTES = 16  # the widest access of one lane that vendors have


@dataclass(frozen=True)
class Lanes:
    """Where each lane stands: (row, col) of lane i in ``table``, and the same as i32 values."""

    table: tuple[tuple[int, int], ...]
    row: ir.Value
    col: ir.Value


@dataclass(frozen=True)
class Coordinate:
    """A uniform index value, a number that divides it (0: it is 0), and its bounds if known."""

    value: ir.Value
    divisor: int
    bounds: tuple[int, int] | None

    def plus(self, step: ir.Value, divisor: int, largest: int) -> Coordinate:
        """This plus ``step``, which ``divisor`` divides and which is in [0, ``largest``]."""
        bounds = None if self.bounds is None else (self.bounds[0], self.bounds[1] + largest)
        value = arith.addi(self.value, step)
        return Coordinate(value, math.gcd(self.divisor, divisor), bounds)

    def left(self, extent: int, wanted: int) -> ir.Value | None:
        """i32: how many of ``extent`` lie from here on; None if ``wanted`` surely do."""
        if self.bounds and self.bounds[0] >= 0 and self.bounds[1] + wanted <= extent:
            return None
        return emit.to_i32(emit.subtract(emit.index(extent), self.value))


@dataclass(frozen=True)
class Origin:
    """A uniform place in memory: element (row, col)."""

    row: Coordinate
    col: Coordinate


@dataclass(frozen=True)
class MemoryTile:
    """A tile in global memory or LDS, in memory's own orientation (columns contiguous).

    ``pitch`` is bytes from row to row. ``base`` is a pointer to element (0, 0) of the operand or
    of the ring's slot, ``align`` its known bytes. ``rows_left`` and ``cols_left`` (i32, uniform)
    say how many rows and columns exist from the origin on; None: all that are asked for.
    ``cols_unit`` divides cols_left. ``transposed`` says that a fragment is read with rows and
    columns exchanged; ``wide`` asks for 64-bit lane offsets. Methods take fragment coordinates.
    """

    base: ir.Value
    elem: ir.Type
    pitch: int
    layout: Layout
    origin: Origin
    align: int
    rows_left: ir.Value | None = None
    cols_left: ir.Value | None = None
    cols_unit: int = 1
    transposed: bool = False
    wide: bool = False
    _cache: dict[str, ir.Value] = field(default_factory=dict, compare=False)

    @property
    def elem_bytes(self) -> int:
        """Bytes of one element."""
        return element_bytes(self.elem)

    @property
    def guarded(self) -> bool:
        """Whether some element that is asked for may not exist."""
        return self.rows_left is not None or self.cols_left is not None

    def packed(self, row: int, col: int) -> int:
        """Byte of fragment element (row, col) from the origin, before the layout bends it."""
        row, col = (col, row) if self.transposed else (row, col)
        return row * self.pitch + col * self.elem_bytes

    def uniform_divisor(self) -> int:
        """A number of bytes that divides the origin's packed offset; 0 if the offset is 0."""
        rows = self.origin.row.divisor * self.pitch
        return math.gcd(rows, self.origin.col.divisor * self.elem_bytes)

    def residues(self) -> list[int]:
        """All values of the origin's packed offset modulo the layout's interval."""
        interval = self.layout.interval
        if not interval:
            return [0]
        return list(range(0, interval, math.gcd(self.uniform_divisor(), interval)))

    def start(self) -> ir.Value:
        """i64 packed byte offset of the origin; 0 where nothing exists there."""
        if "start" not in self._cache:
            row = emit.mul(emit.to_i64(self.origin.row.value), self.pitch)
            col = emit.mul(emit.to_i64(self.origin.col.value), self.elem_bytes)
            start = emit.add(row, col)
            if self.guarded:
                start = emit.select(self._nonempty(), start, emit.i64(0))
            self._cache["start"] = start
        return self._cache["start"]

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
                tests.append(emit.less(emit.add(at, step), left))
        return emit.all_of(tests) if tests else None


@dataclass
class Addresses:
    """Addresses of one MemoryTile for one placement of lanes."""

    tile: MemoryTile
    lanes: Lanes
    _anchors: list[tuple[int, ir.Value]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tile.start()  # here, not in the region of some guard: later ones use it too

    def _bytes(self, displacement: int) -> list[int]:
        """Placed byte of every lane and residue at a packed ``displacement``."""
        tile = self.tile
        lanes = [tile.packed(r, c) for r, c in self.lanes.table]
        return [
            tile.layout.place(residue + lane + displacement)
            for residue in tile.residues()
            for lane in lanes
        ]

    def step(self, start: int, end: int) -> int | None:
        """Placed bytes from one packed displacement to another, if all lanes agree; else None."""
        if not self.tile.layout.interval:
            return end - start
        steps = {b - a for a, b in zip(self._bytes(start), self._bytes(end), strict=True)}
        return steps.pop() if len(steps) == 1 else None

    def alignment(self, displacement: int) -> int:
        """Largest power of two, at most 16, that divides every lane's address there."""
        tile = self.tile
        interval, divisor = tile.layout.interval, tile.uniform_divisor()
        whole = [tile.layout.place(interval)] if interval else [divisor]
        return math.gcd(VECTOR_BYTES, tile.align, *whole, *self._bytes(displacement))

    def run(self, places: Sequence[tuple[int, int]]) -> int:
        """How many of ``places`` (row, col) form one access: 1, or a power of two of them."""
        first = self.tile.packed(*places[0])
        fits = min(len(places), self.alignment(first) // self.tile.elem_bytes)
        count = 1
        while 2 * count <= fits and self._joined(places[: 2 * count]):
            count *= 2
        return count

    def _joined(self, places: Sequence[tuple[int, int]]) -> bool:
        first = self.tile.packed(*places[0])
        if not self._whole(places[0], len(places)):
            return False
        return all(
            self.tile.packed(*place) == first + i * self.tile.elem_bytes
            and self.step(first, first + i * self.tile.elem_bytes) == i * self.tile.elem_bytes
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
        displacement = self.tile.packed(row, col)
        for anchor, pointer in self._anchors:
            step = self.step(anchor, displacement)
            if step is not None and step >= 0:
                return emit.offset(pointer, step)
        pointer = self._anchor(displacement)
        self._anchors.append((displacement, pointer))
        return pointer

    def guarded_pointer(self, row: int, col: int, valid: ir.Value) -> ir.Value:
        """As pointer() where ``valid``, else the tile's first element (no layout: global)."""
        at = emit.add(self._lane_bytes(), self.tile.packed(row, col))
        zero = emit.constant(at.type, 0)
        return emit.offset(self._uniform(), emit.select(valid, at, zero))

    def _lane_bytes(self) -> ir.Value:
        """Packed byte offset of the lane: i32, or i64 where the tile spans more."""
        tile, row, col = self.tile, self.lanes.row, self.lanes.col
        if tile.transposed:
            row, col = col, row
        if tile.wide:
            row, col = emit.widen(row), emit.widen(col)
        return emit.add(emit.mul(row, tile.pitch), emit.mul(col, tile.elem_bytes))

    def _uniform(self) -> ir.Value:
        return emit.offset(self.tile.base, self.tile.start())

    def _anchor(self, displacement: int) -> ir.Value:
        tile, layout = self.tile, self.tile.layout
        if not layout.interval:
            pointer = emit.offset(self._uniform(), self._lane_bytes())
            return emit.offset(pointer, displacement)
        start, lane = emit.narrow(tile.start()), emit.add(self._lane_bytes(), displacement)
        if tile.uniform_divisor() % layout.interval:
            return emit.offset(tile.base, placed(layout, emit.add(start, lane)))
        uniform = emit.offset(tile.base, placed(layout, start))
        return emit.offset(uniform, placed(layout, lane))


def strides_of(memref: ir.MemRefType) -> tuple[list[int], int]:
    """(strides, offset) in elements of a static memref; None of them is used where it is empty."""
    strides, start = memref.get_strides_and_offset()
    if 0 in memref.shape:  # MLIR calls the strides of such a type dynamic
        strides = [math.prod(memref.shape[i + 1 :]) for i in range(memref.rank)]
    return strides, start


def placed(layout: Layout, packed: ir.Value) -> ir.Value:
    """layout.place of an i32 value."""
    pads = emit.udiv(packed, layout.interval)
    return emit.add(packed, emit.mul(pads, layout.pad))
