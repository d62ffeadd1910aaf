"""The prefix rule: after every pass of every pipeline the module lowers, runs and is right."""

from __future__ import annotations

import pytest
from gemm_case import Case

from gemm_ladder.compiler.pipelines import levels
from gemm_ladder.compiler.resolve import pipeline_text, resolve
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import Device

# Ragged in every direction, more than one workgroup, several K blocks; B and A transposed in turn.
PROBLEMS = (
    Case(100, 72, 70, "nt"),
    Case(70, 100, 66, "tn", ("f16", "f16"), accumulate=True),
    Case(37, 41, 40, "nn", ("f32", "f32")),
)


def prefixes(target: str) -> list[str]:
    """Every distinct prefix of a pipeline of ``target``'s table, shortest first."""
    found = []
    for name in levels(target):
        steps = resolve(name, target)
        for length in range(1, len(steps) + 1):
            text = pipeline_text(steps[:length])
            if text not in found:
                found.append(text)
    return sorted(found, key=len)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda c: c.name)
@pytest.mark.parametrize("passes", prefixes("gfx1250"))
def test_prefix_on_the_simulator(passes: str, problem: Case, sim: Device) -> None:
    case = Case(**{**vars(problem), "passes": passes})
    for result in check_artefact(case.artefact("gfx1250"), sim):
        assert result.ok, result.failures


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda c: c.name)
@pytest.mark.parametrize("passes", prefixes("sm_90a"))
def test_prefix_compiles_for_nvidia(passes: str, problem: Case) -> None:
    case = Case(**{**vars(problem), "passes": passes})
    artefact = case.artefact("sm_90a", link="must")
    assert artefact.binary is not None
    assert all(kernel.spills == 0 for kernel in artefact.kernels)


@pytest.mark.gpu
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda c: c.name)
@pytest.mark.parametrize("passes", prefixes("sm_90a"))
def test_prefix_on_a_gpu(passes: str, problem: Case, cuda: Device) -> None:
    case = Case(**{**vars(problem), "passes": passes})
    for result in check_artefact(case.artefact("sm_90a", link="auto"), cuda):
        assert result.ok, result.failures


def test_the_table_is_covered() -> None:
    for target in ("gfx1250", "sm_90a"):
        longest = [pipeline_text(resolve(name, target)) for name in levels(target)]
        assert set(longest) <= set(prefixes(target))
        assert len(prefixes(target)) > len(levels(target))
