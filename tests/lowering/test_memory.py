"""Planning of accesses: runs, alignment, and constants that LDS padding must not bend."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

from gemm_ladder.compiler.targets import load_target
from gemm_ladder.dialect_defs.types import FragType, Layout
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.fragments import block_places, runs
from gemm_ladder.passes.lowering.memory import Addresses, Lanes, MemoryTile
from gemm_ladder.passes.lowering.origin import Coordinate, Origin

PADDED = Layout(pad=16, interval=256)


@pytest.fixture(autouse=True)
def block() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            yield


def tile(
    pitch: int,
    layout: Layout = PADDED,
    row_divisor: int = 0,
    col_divisor: int = 0,
    elem: str = "bf16",
    cols_unit: int | None = None,
    transposed: bool = False,
) -> MemoryTile:
    zero = emit.index(0)
    origin = Origin(Coordinate(zero, row_divisor, None), Coordinate(zero, col_divisor, None))
    return MemoryTile(
        base=emit.i32(0),
        elem=ir.Type.parse(elem),
        pitch=pitch,
        layout=layout,
        origin=origin,
        align=16,
        cols_left=None if cols_unit is None else emit.i32(1),
        cols_unit=cols_unit or 1,
        transposed=transposed,
    )


def operand_a(rows: int = 16, cols: int = 32) -> Distribution:
    atom = load_target("gfx1250").atom("wmma_f32_16x16x32_bf16")
    assert atom is not None
    frag = FragType(rows, cols, ir.BF16Type.get(), "a")
    return Distribution(frag, atom.a_map, atom)


def addresses(memory: MemoryTile, dist: Distribution) -> Addresses:
    table = tuple(dist.lane_map.lane_offset(lane) for lane in range(32))
    return Addresses(memory, Lanes(table, emit.i32(0), emit.i32(0)))


def widths(memory: MemoryTile, dist: Distribution) -> list[int]:
    places = [place for block in block_places(dist) for place in block]
    return [len(run) for run in runs(addresses(memory, dist), places)]


def test_a_fragment_along_k_is_two_16_byte_accesses() -> None:
    assert widths(tile(64), operand_a()) == [8, 8]
    assert widths(tile(500, Layout()), operand_a()) == [2] * 8  # rows on 4 bytes
    assert widths(tile(250, Layout()), operand_a()) == [1] * 16


def test_a_transposed_fragment_is_read_by_elements() -> None:
    assert widths(tile(128, transposed=True), operand_a()) == [1] * 16


def test_an_edge_cuts_accesses_to_what_divides_it() -> None:
    assert widths(tile(64, Layout(), cols_unit=16), operand_a()) == [8, 8]
    assert widths(tile(64, Layout(), cols_unit=12), operand_a()) == [4] * 4
    assert widths(tile(64, Layout(), cols_unit=7), operand_a()) == [1] * 16


def test_an_unaligned_origin_narrows() -> None:
    assert widths(tile(64, PADDED, col_divisor=4), operand_a()) == [4] * 4
    assert widths(tile(64, PADDED, col_divisor=1), operand_a()) == [1] * 16


def test_padding_keeps_a_constant_only_where_every_lane_agrees() -> None:
    at = addresses(tile(64), operand_a())
    assert at.step((0, 0), (0, 16)) == 32  # within each row's 256 bytes
    assert at.step((0, 0), (16, 0)) == 1024 + 4 * 16
    assert at.step((0, 0), (2, 0)) is None  # lanes of rows 2, 3 cross a pad, those of 0, 1 do not


def test_an_origin_inside_an_interval_is_seen() -> None:
    narrow = addresses(tile(256, PADDED, col_divisor=64), operand_a(16, 32))
    assert narrow.step((0, 0), (0, 16)) == 32  # 128-byte steps leave room
    shifted = addresses(tile(256, PADDED, col_divisor=16), operand_a(16, 32))
    assert shifted.step((0, 0), (0, 16)) is None  # 32-byte steps: the last one crosses


def test_alignment_counts_pads() -> None:
    odd = Layout(pad=4, interval=256)
    assert addresses(tile(64, odd), operand_a()).alignment((0, 0)) == 4
    assert addresses(tile(64), operand_a()).alignment((0, 0)) == 16


def test_places_cover_the_fragment_once() -> None:
    dist = operand_a(32, 64)
    every = [
        (row + r, col + c)
        for r, c in map(dist.lane_map.lane_offset, range(32))
        for block in block_places(dist)
        for row, col in block
    ]
    assert sorted(every) == [(r, c) for r in range(32) for c in range(64)]
