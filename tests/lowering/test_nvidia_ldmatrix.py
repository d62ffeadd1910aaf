"""The ldmatrix planner against a model of the instruction as the PTX ISA describes it."""

from __future__ import annotations

import numpy as np
import pytest

from gemm_ladder.dialect_defs.target import LaneMap
from gemm_ladder.passes.lowering.nvidia_ldmatrix import Fetch, plan_atom, plan_fetches

# mma.m16n8k16, PTX ISA "Matrix Fragments for mma.m16n8k16 with floating point type"
A_MAP = LaneMap(((0, 2), (0, 4), (1, 0), (2, 0), (4, 0)), ((0, 1), (8, 0), (0, 8)))
B_MAP = LaneMap(((2, 0), (4, 0), (0, 1), (0, 2), (0, 4)), ((1, 0), (8, 0)))
# (map, atom extents, grid of atoms)
FRAGMENTS = [(A_MAP, (16, 16), (2, 2)), (B_MAP, (16, 8), (2, 4)), (B_MAP, (16, 8), (1, 3))]


def ldmatrix(memory: np.ndarray, fetch: Fetch, trans: bool) -> np.ndarray:
    """[lane, matrix, 2] as the instruction delivers it, each row address from its own lane."""
    count = len(fetch.words)
    out = np.zeros((32, count, 2), memory.dtype)
    addresses = LaneMap(fetch.lanes, ())
    for q in range(count):
        rows = []
        for r in range(8):
            row, col = np.add(fetch.base, addresses.lane_offset(8 * q + r))
            assert col % 8 == 0, "a row address must be 16-byte aligned"
            rows.append(memory[row, col : col + 8])
        matrix = np.array(rows).T if trans else np.array(rows)
        for lane in range(32):
            out[lane, q] = matrix[lane // 4, 2 * (lane % 4) : 2 * (lane % 4) + 2]
    return out


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("lane_map", "extent", "grid"), FRAGMENTS)
def test_fetches_deliver_every_lane_its_elements(
    lane_map: LaneMap, extent: tuple[int, int], grid: tuple[int, int], transposed: bool
) -> None:
    shape = (extent[0] * grid[0], extent[1] * grid[1])
    fragment = np.arange(shape[0] * shape[1]).reshape(shape)
    memory = fragment.T if transposed else fragment
    starts = [(i * extent[0], j * extent[1]) for i in range(grid[0]) for j in range(grid[1])]
    plan = plan_atom(lane_map.transposed() if transposed else lane_map)
    assert plan is not None
    fetches = plan_fetches(plan, [(c, r) for r, c in starts] if transposed else starts)
    held = np.full((32, len(starts), lane_map.slot_count), -1)
    for fetch in fetches:
        got = ldmatrix(memory, fetch, plan.trans)
        for index, (atom, word) in enumerate(fetch.words):
            held[:, atom, 2 * word : 2 * word + 2] = got[:, index]
    for lane in range(32):
        for atom, start in enumerate(starts):
            for slot in range(lane_map.slot_count):
                at = np.add(start, np.add(lane_map.lane_offset(lane), lane_map.slot_offset(slot)))
                assert held[lane, atom, slot] == fragment[tuple(at)]


def test_plain_form_where_pairs_are_contiguous_and_trans_elsewhere() -> None:
    plans = [plan_atom(m) for m in (A_MAP, A_MAP.transposed(), B_MAP, B_MAP.transposed())]
    assert [p is not None and p.trans for p in plans] == [False, True, True, False]


def test_four_matrices_an_instruction_unless_they_do_not_divide() -> None:
    plan = plan_atom(B_MAP)
    assert plan is not None
    counts = [len(f.words) for f in plan_fetches(plan, [(0, 0), (0, 8), (0, 16)])]
    assert counts == [4, 2]


@pytest.mark.parametrize(
    "lane_map",
    [
        LaneMap(((0, 4), (0, 2), *A_MAP.lanes[2:]), A_MAP.slots),  # pairs in another order
        LaneMap(A_MAP.lanes, ((0, 1), (8, 0), (0, 4))),  # a matrix off 16-byte alignment
        LaneMap(A_MAP.lanes, ()),  # one element a lane
        LaneMap(A_MAP.lanes[:4], A_MAP.slots),  # not a warp of 32
    ],
)
def test_other_maps_are_left_to_ordinary_loads(lane_map: LaneMap) -> None:
    assert plan_atom(lane_map) is None
