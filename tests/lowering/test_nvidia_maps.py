"""The NVIDIA targets' lane maps against the formulas of the PTX ISA."""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.targets import load_target
from gemm_ladder.dialect_defs.target import Atom, LaneMap, Target

TARGETS = ["sm_90a", "sm_120"]
ATOMS = ["mma_m16n8k16_f32_bf16", "mma_m16n8k16_f32_f16"]


def places(lane_map: LaneMap) -> list[list[tuple[int, int]]]:
    """[lane][slot] -> (row, col)."""
    return [
        [(lr + sr, lc + sc) for sr, sc in map(lane_map.slot_offset, range(lane_map.slot_count))]
        for lr, lc in map(lane_map.lane_offset, range(2 ** len(lane_map.lanes)))
    ]


def ptx_a(lane: int, i: int) -> tuple[int, int]:
    """Element a_i of multiplicand A (row, k)."""
    group, thread = lane >> 2, lane % 4
    row = group if 0 <= i < 2 or 4 <= i < 6 else group + 8
    return row, thread * 2 + (i & 1) + (8 if i >= 4 else 0)


def ptx_b(lane: int, i: int) -> tuple[int, int]:
    """Element b_i of multiplicand B (k, col)."""
    group, thread = lane >> 2, lane % 4
    return thread * 2 + (i & 1) + (8 if i >= 2 else 0), group


def ptx_c(lane: int, i: int) -> tuple[int, int]:
    """Element c_i of the accumulator (row, col)."""
    group, thread = lane >> 2, lane % 4
    return (group if i < 2 else group + 8), thread * 2 + (i & 1)


def atom_of(target: str, name: str) -> Atom:
    found = load_target(target).atom(name)
    assert found is not None
    return found


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ATOMS)
def test_mma_m16n8k16_maps_are_those_of_the_ptx_isa(target: str, name: str) -> None:
    atom = atom_of(target, name)
    assert places(atom.a_map) == [[ptx_a(lane, i) for i in range(8)] for lane in range(32)]
    assert places(atom.b_map) == [[ptx_b(lane, i) for i in range(4)] for lane in range(32)]
    assert places(atom.acc_map) == [[ptx_c(lane, i) for i in range(4)] for lane in range(32)]
    assert not atom.symmetric  # 16 x 8: operands cannot be swapped


def test_a_warp_of_a_warpgroup_holds_rows_of_16_as_mma_does() -> None:
    atoms = [a for a in load_target("sm_90a").atoms if a.waves == 4]
    assert sorted({(a.a, a.n) for a in atoms}) == [
        (t, n) for t in ("bf16", "f16") for n in range(8, 257, 8)
    ]
    for atom in atoms:
        blocks = range(0, atom.n, 8)
        for lane, held in enumerate(places(atom.acc_map)):
            narrow = [ptx_c(lane, i) for i in range(4)]
            assert held == [(r, c + block) for block in blocks for r, c in narrow]
        assert places(atom.a_map) == [[ptx_a(lane, i) for i in range(8)] for lane in range(32)]


@pytest.mark.parametrize("target", TARGETS)
def test_every_map_covers_its_matrix_once(target: str) -> None:
    facts: Target = load_target(target)
    maps = [(facts.fma_map, 16, 8)]
    for a in facts.atoms:
        maps += [(a.a_map, a.m, a.k), (a.acc_map, a.m, a.n)]
        if a.waves == 1:
            maps += [(a.b_map, a.k, a.n)]
    for lane_map, rows, cols in maps:
        held = sorted(place for lane in places(lane_map) for place in lane)
        assert held == [(r, c) for r in range(rows) for c in range(cols)]


def test_shared_memory_is_what_one_block_can_have() -> None:
    assert load_target("sm_90a").lds_bytes == 227 * 1024
    assert load_target("sm_120").lds_bytes == 99 * 1024
