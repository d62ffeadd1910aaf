"""gfx1250's lane maps against the formulas of the ISA's WMMA layouts."""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.targets import load_target
from gemm_ladder.dialect_defs.target import LaneMap

Place = tuple[int, int]


def places(lane_map: LaneMap) -> dict[tuple[int, int], Place]:
    """(lane, slot) -> (row, col)."""
    found = {}
    for lane in range(2 ** len(lane_map.lanes)):
        row, col = lane_map.lane_offset(lane)
        for slot in range(lane_map.slot_count):
            r, c = lane_map.slot_offset(slot)
            found[lane, slot] = (row + r, col + c)
    return found


@pytest.mark.parametrize("name", ["wmma_f32_16x16x32_bf16", "wmma_f32_16x16x32_f16"])
def test_wmma_maps_are_those_of_the_isa(name: str) -> None:
    atom = load_target("gfx1250").atom(name)
    assert atom is not None
    assert atom.symmetric
    a, b, acc = (places(m) for m in (atom.a_map, atom.b_map, atom.acc_map))
    for line in range(16):
        for k in range(32):
            lane, slot = line + 16 * (k // 8 % 2), 8 * (k // 16) + k % 8
            assert a[lane, slot] == (line, k)
            assert b[lane, slot] == (k, line)
        for row in range(16):
            assert acc[line + 16 * (row // 8), row % 8] == (row, line)


def test_the_map_of_plain_products_covers_its_block_once() -> None:
    found = places(load_target("gfx1250").fma_map)
    assert sorted(found.values()) == [(r, c) for r in range(8) for c in range(16)]
