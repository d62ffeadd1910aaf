"""The prefix rule: after every pass of every pipeline the module lowers, runs and is right.

Every prefix meets one of three problems, and one order in which the simulator lands what is in
flight; neighbours of a pipeline meet different ones. tests/interp runs the prefixes as tile IR.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from gemm_case import Case
from interp.levels import prefixes

from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.compiler.pipelines import levels
from gemm_ladder.compiler.resolve import pipeline_text, resolve
from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import Device, open_device

# Ragged in every direction, more than one workgroup, several K blocks; B and A transposed in turn.
PROBLEMS = (
    Case(100, 72, 270, "nt"),
    Case(70, 100, 266, "tn", ("f16", "f16"), accumulate=True),
    Case(300, 70, 140, "tt", ("bf16", "bf16")),
)
FLOATS = Case(37, 41, 40, "nn", ("f32", "f32"))
MODES = ("sim", "sim:early", "sim:random,seed=1", "sim:random,seed=2")
WHOLE = {pipeline_text(resolve(name, "sm_90a")) for name in levels("sm_90a")}


def paired(target: str) -> list[Case]:
    """Each prefix with a problem of its turn; those of level 1 with f32, which has no atom, too."""
    texts = prefixes(target)
    found = [
        Case(**{**vars(PROBLEMS[number % len(PROBLEMS)]), "passes": text})
        for number, text in enumerate(texts)
    ]
    first = set(pipeline_text(resolve("level1", target)).split(","))
    return found + [
        Case(**{**vars(FLOATS), "passes": text}) for text in texts if set(text.split(",")) <= first
    ]


def simulated() -> list[Case]:
    """The pairs of gfx1250; products by FMA, slow to simulate, on two blocks of K."""
    return [
        replace(case, k=int(tile[1]) + 12) if tile and "matrix-core" not in case.passes else case
        for case in paired("gfx1250")
        for tile in [re.search(r"shape=\d+x\d+x(\d+)", case.passes)]
    ]


@pytest.mark.parametrize(("number", "case"), list(enumerate(simulated())), ids=str)
def test_prefix_on_the_simulator(number: int, case: Case) -> None:
    device = open_device(MODES[number % len(MODES)])
    for result in check_artefact(case.artefact("gfx1250"), device):
        assert result.ok, (case, result.failures)


@pytest.mark.parametrize(("number", "case"), list(enumerate(paired("sm_90a"))), ids=str)
def test_prefix_compiles_for_nvidia(number: int, case: Case) -> None:
    artefact = _unless_it_spills(case, "must")
    if artefact is not None:
        assert artefact.binary is not None
        assert all(kernel.spills == 0 for kernel in artefact.kernels)


def _unless_it_spills(case: Case, link: str) -> Artefact | None:
    """None: a level's tile without the level's last passes may be too much for registers."""
    try:
        return case.artefact("sm_90a", link=link)
    except LadderError as refusal:
        assert "spills" in str(refusal)
        assert case.passes not in WHOLE
        return None


@pytest.mark.gpu
@pytest.mark.parametrize("case", paired("sm_90a"), ids=lambda c: c.name[-60:])
def test_prefix_on_a_gpu(case: Case, cuda: Device) -> None:
    artefact = _unless_it_spills(case, "auto")
    if artefact is None:
        pytest.skip("spills registers")
    for result in check_artefact(artefact, cuda):
        assert result.ok, result.failures


@pytest.mark.parametrize("target", ["gfx1250", "sm_90a"])
def test_every_level_is_a_prefix(target: str) -> None:
    whole = [pipeline_text(resolve(name, target)) for name in levels(target)]
    assert set(whole) <= {case.passes for case in paired(target)}
