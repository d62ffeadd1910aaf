"""LDS layouts: every byte in one place, the TMA's swizzle modes, and no bank conflict."""

from __future__ import annotations

import pytest
from mlir import ir

from gemm_ladder.compiler.targets import load_target
from gemm_ladder.dialect_defs import load_dialect
from gemm_ladder.dialect_defs.types import Layout, LdsType
from gemm_ladder.passes.lowering.nvidia_ldmatrix import plan_atom, plan_fetches

LAYOUTS = [
    Layout(),
    Layout(pad=16, interval=128),
    Layout(block=32),
    Layout(block=64, pad=16, interval=256),
    Layout(swizzle=128),
    *(Layout(block=size, swizzle=size) for size in (32, 64, 128)),
]


def ring(rows: int, cols: int, layout: Layout) -> LdsType:
    with ir.Context():
        return LdsType(1, rows, cols, ir.BF16Type.get(), layout)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(5, 64), (64, 128), (24, 192)])
def test_elements_do_not_overlap_and_16_byte_pieces_stay_whole(
    layout: Layout, shape: tuple[int, int]
) -> None:
    lds = ring(*shape, layout)
    places = {(r, c): lds.place(r, c) for r in range(shape[0]) for c in range(shape[1])}
    assert len(set(places.values())) == len(places)
    assert min(places.values()) >= 0 and max(places.values()) < lds.slot_bytes
    assert all(at == places[r, c - c % 8] + 2 * (c % 8) for (r, c), at in places.items())
    with ir.Context() as context:
        load_dialect(context)
        text = ir.Type.parse(f"!tile.lds<[1, 1, 64], bf16, {layout.text()}>")
        found = LdsType.of(text)
    assert found is not None and found.layout == layout


@pytest.mark.parametrize("size", [32, 64, 128])
def test_swizzles_are_those_of_the_tma(size: int) -> None:
    # PTX ISA, Tensor: Swizzling Modes, 128 bytes: in row r of eight, piece c lies at c ^ r. The
    # narrower modes use the upper bits of the number of the row of 128 bytes.
    lds, pieces = ring(16, size // 2, Layout(block=size, swizzle=size)), size // 16
    for row in range(16):
        for piece in range(pieces):
            moved = piece ^ (row * size // 128) % pieces
            assert lds.place(row, 8 * piece) == row * size + 16 * moved


@pytest.mark.parametrize("size", [32, 64, 128])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("role", ["a", "b"])
def test_ldmatrix_reads_swizzled_rings_without_conflicts(
    size: int, transposed: bool, role: str
) -> None:
    atom = load_target("sm_90a").atom("mma_m16n8k16_f32_bf16")
    assert atom is not None
    lane_map = atom.a_map if role == "a" else atom.b_map
    plan = plan_atom(lane_map.transposed() if transposed else lane_map)
    assert plan is not None
    lds = ring(64, size, Layout(block=size, swizzle=size))
    fetches = plan_fetches(plan, [(16 * i, 16 * j) for i in range(4) for j in range(size // 16)])
    for fetch in fetches:
        for matrix in range(len(fetch.words)):
            banks: set[int] = set()
            for lane in range(8 * matrix, 8 * matrix + 8):
                bits = [b for i, b in enumerate(fetch.lanes) if lane >> i & 1]
                row = fetch.base[0] + sum(r for r, _ in bits)
                col = fetch.base[1] + sum(c for _, c in bits)
                if row < lds.rows and col < lds.cols:
                    at = lds.place(row, col)
                    banks |= {(at + 4 * i) // 4 % 32 for i in range(4)}
                else:
                    pytest.fail("the plan leaves the ring")
            assert len(banks) == 32
