"""Shapes, layouts, types and levels: a pairwise subset here, the whole product under -m sweep."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from allpairspy import AllPairs
from gemm_case import LAYOUTS, SHAPES, TYPES, Case, ladder, product
from sweep import MODES, run_sweep

from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.compiler.pipelines import levels
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import Device, open_device

LEVELS = levels("gfx1250")
# Their tiles are small enough for products by FMA, too.
FIRST = ("level0", "level1")
# Of the larger tiles, what one or few workgroups have.
SMALL = ((7, 7, 7), (35, 79, 19), (1, 105, 107), (33, 70, 1), (5, 66, 0), (130, 258, 514))


def pairwise(target: str) -> list[tuple[Case, str]]:
    """Cases, each with a mode, in which every two values of different parameters meet."""
    # Without multicast a level has the same edges and epilogue; the prefixes and the sweep have it.
    higher = [name for name in levels(target) if name not in FIRST and "-nomc" not in name]
    halves = [types for types in TYPES if types[0] != "f32"]
    rows = [
        *AllPairs([SHAPES, LAYOUTS, TYPES, (False, True), FIRST, MODES]),
        *AllPairs([SMALL, LAYOUTS, halves, (False, True), higher, MODES]),
    ]
    return [(Case(*shape, *rest), mode) for shape, *rest, mode in rows]


# Refused: C read one element at a time beside 128 accumulators of 256 registers. Known besides:
# gfx1250, level10, 257x511x130, bf16, nn and tt.
SPILLS = {
    "gfx1250": [Case(5, 66, 0, "nn", ("f16", "f16"), accumulate=True, passes="level9")],
    "sm_90a": [
        Case(1, 105, 107, "tn", ("f16", "f32"), accumulate=True, passes="level4"),
        Case(33, 70, 1, "tn", ("bf16", "f32"), accumulate=True, passes="level5"),
        Case(35, 79, 19, "nn", ("f16", "f32"), accumulate=True, passes="level5"),
        Case(35, 79, 19, "tn", ("f16", "f16"), accumulate=True, passes="level6"),
        Case(35, 79, 19, "nn", ("f16", "f32"), accumulate=True, passes="level7-mma"),
    ],
}
REFUSED = pytest.mark.xfail(raises=LadderError, strict=True, reason="registers spill")


def refusals(target: str, case: Case) -> list[pytest.MarkDecorator]:
    """The marks of a case."""
    return [REFUSED] if case in SPILLS[target] else []


@pytest.mark.parametrize(
    ("case", "mode"),
    [
        pytest.param(case, mode, marks=refusals("gfx1250", case))
        for case, mode in pairwise("gfx1250")
    ],
    ids=lambda x: getattr(x, "name", x),
)
def test_case_on_the_simulator(case: Case, mode: str) -> None:
    for result in check_artefact(case.artefact("gfx1250"), open_device(mode)):
        assert result.ok, result.failures


on_nvidia = pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=refusals("sm_90a", case)) for case, _ in pairwise("sm_90a")],
    ids=lambda c: c.name,
)


@on_nvidia
def test_case_is_assembled_for_nvidia(case: Case) -> None:
    assert case.artefact("sm_90a", link="must").binary is not None  # a spill is an error


@pytest.mark.gpu
@on_nvidia
def test_case_on_a_gpu(case: Case, cuda: Device) -> None:
    for result in check_artefact(case.artefact("sm_90a", link="auto"), cuda, repeats=20):
        assert result.ok, result.failures


EMPTY = [(0, 4, 4), (4, 0, 4)]


@pytest.mark.parametrize(
    ("level", "shape"), list(zip(LEVELS, itertools.cycle(EMPTY), strict=False))
)
def test_an_empty_output_launches_nothing(
    level: str, shape: tuple[int, int, int], sim: Device
) -> None:
    (result,) = check_artefact(Case(*shape, passes=level).artefact("gfx1250"), sim)
    assert result.ok, result.failures
    assert 0 in result.grid


@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_an_empty_output_has_no_tile_after_tile(shape: tuple[int, int, int]) -> None:
    (kernel,) = Case(*shape, passes="level12").artefact("sm_90a", link="no").kernels
    assert 0 in kernel.grid


def _log(name: str) -> Path:
    """$LADDER_SWEEP, a folder, has a log for each product."""
    folder = Path(os.environ.get("LADDER_SWEEP", "."))
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.sweep.jsonl"


@pytest.mark.sweep
def test_every_level_is_right() -> None:
    """All levels, the ladder's shapes and layouts, both outputs, in three orders of landing."""
    assert run_sweep(ladder(LEVELS), _log("ladder")) == []


@pytest.mark.sweep
def test_the_first_levels_with_every_type() -> None:
    """Levels 0 and 1 with all types, filled and accumulating, on shapes that broke compilers."""
    assert run_sweep(product(FIRST), _log("types"), ("sim",)) == []
