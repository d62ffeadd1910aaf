"""Shapes, layouts, types and levels: a pairwise subset here, the whole product under -m sweep."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from allpairspy import AllPairs
from gemm_case import LAYOUTS, SHAPES, TYPES, Case, product

from gemm_ladder.compiler.pipelines import levels
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import Device

LEVELS = tuple(levels("gfx1250"))


def pairwise(target: str) -> list[Case]:
    """Cases in which every two values of different parameters meet."""
    rows = AllPairs([SHAPES, LAYOUTS, TYPES, (False, True), levels(target)])
    return [Case(*shape, *rest) for shape, *rest in rows]


@pytest.mark.parametrize("case", pairwise("gfx1250"), ids=lambda c: c.name)
def test_case_on_the_simulator(case: Case, sim: Device) -> None:
    for result in check_artefact(case.artefact("gfx1250"), sim):
        assert result.ok, result.failures


@pytest.mark.gpu
@pytest.mark.parametrize("case", pairwise("sm_90a"), ids=lambda c: c.name)
def test_case_on_a_gpu(case: Case, cuda: Device) -> None:
    for result in check_artefact(case.artefact("sm_90a", link="auto"), cuda, repeats=20):
        assert result.ok, result.failures


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("shape", [(0, 4, 4), (4, 0, 4)])
def test_an_empty_output_launches_nothing(
    level: str, shape: tuple[int, int, int], sim: Device
) -> None:
    (result,) = check_artefact(Case(*shape, passes=level).artefact("gfx1250"), sim)
    assert result.ok, result.failures
    assert 0 in result.grid


@pytest.mark.sweep
def test_the_whole_product(sim: Device) -> None:
    """Every case on the simulator, a JSON line each in $LADDER_SWEEP; resumes where it stopped."""
    log = Path(os.environ.get("LADDER_SWEEP", "sweep.jsonl"))
    done = {}
    if log.exists():
        done = {row["case"]: row for row in map(json.loads, log.read_text().splitlines())}
    with log.open("a") as out:
        for case in product(LEVELS):
            if case.name in done:
                continue
            results = check_artefact(case.artefact("gfx1250"), sim, repeats=2)
            failures = [text for result in results for text in result.failures]
            done[case.name] = {"case": case.name, "ok": not failures, "failures": failures}
            out.write(json.dumps(done[case.name]) + "\n")
            out.flush()
    assert [name for name, row in done.items() if not row["ok"]] == []
