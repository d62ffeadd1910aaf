"""What is chosen for a shape without a search: legal, and what measurements told."""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.tune.heuristic import SHARED, choose, pipeline


@pytest.mark.parametrize(
    ("shape", "tile"),
    [
        ((8192, 8192, 8192), (128, 192)),
        ((4096, 4096, 4096), (128, 256)),
        ((2048, 5120, 5120), (128, 160)),
        ((2048, 2048, 2048), (128, 256)),
        ((128, 8192, 8192), (64, 128)),
        ((64, 4096, 4096), (64, 32)),
    ],
    ids=str,
)
def test_the_tile_that_was_fastest(shape: tuple[int, int, int], tile: tuple[int, int]) -> None:
    chosen = choose(*shape).tile
    assert (chosen.m, chosen.n) == tile


@pytest.mark.parametrize("out_bytes", [2, 4])
def test_stages_fit_shared_memory(out_bytes: int) -> None:
    for shape in ((4096, 4096, 4096), (100, 50, 30), (64, 32, 8192)):
        chosen = choose(*shape, out_bytes)
        stage, output = chosen.tile.bytes(chosen.depth, out_bytes)
        assert chosen.stages >= 2
        assert chosen.stages * stage + (output if chosen.staged else 0) <= SHARED


def test_a_round_filled_by_a_narrower_tile() -> None:
    assert choose(5000, 5000, 5000).tile.n == 224
    # Columns contiguous in memory come in blocks of 64.
    assert choose(5000, 5000, 5000, b_order="kn").tile.n == 192


def test_one_round_of_tiles_needs_no_persistence() -> None:
    names = [step.name for step in resolve(pipeline(2048, 2048, 2048))]
    assert "persistent" not in names
    assert names[-2:] == ["warp-specialize", "split-epilogue"]


def test_a_group_has_sixteen_rows_of_tiles() -> None:
    assert "rasterize{group=16}" in pipeline(8192, 8192, 8192)
    assert "rasterize{group=8}" in pipeline(5000, 5000, 5000)  # of clusters of two


def test_clusters_where_rows_start_amid_lines_of_l2() -> None:
    assert "cluster-multicast{dims=2x1}" in pipeline(5000, 5000, 5000)
    assert "cluster" not in pipeline(8192, 8192, 8192)
