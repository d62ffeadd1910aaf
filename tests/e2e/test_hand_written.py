"""Passes work on tile IR that no pass of ours wrote; right on a device, compiled for NVIDIA."""

from __future__ import annotations

from pathlib import Path

import pytest
from gemm_case import build

from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import Device

PROGRAM = Path(__file__).with_name("programs") / "two_steps.tile.mlir"
PASSES = (
    "",
    "verify-tile",
    "matrix-core",
    "promote-to-lds",
    "promote-to-lds{pad=32},matrix-core",
    "matrix-core,promote-to-lds",
    "promote-to-lds,multi-buffer",
    "promote-to-lds,multi-buffer{stages=3},matrix-core",
    "lower-tile-to-LOWERING",
)


def program(target: str) -> str:
    return PROGRAM.read_text(encoding="utf-8").replace("TARGET", target)


@pytest.mark.parametrize("passes", PASSES)
def test_on_the_simulator(passes: str, sim: Device) -> None:
    text = passes.replace("LOWERING", "amdgpu")
    artefact = build(program("gfx1250"), text, "gfx1250", stage="tile")
    (result,) = check_artefact(artefact, sim)
    assert result.ok, result.failures


@pytest.mark.parametrize("passes", PASSES)
def test_compiles_for_nvidia(passes: str) -> None:
    text = passes.replace("LOWERING", "nvgpu")
    artefact = build(program("sm_90a"), text, "sm_90a", link="must", stage="tile")
    assert artefact.kernels[0].spills == 0


@pytest.mark.gpu
@pytest.mark.parametrize("passes", PASSES)
def test_on_a_gpu(passes: str, cuda: Device) -> None:
    text = passes.replace("LOWERING", "nvgpu")
    artefact = build(program("sm_90a"), text, "sm_90a", stage="tile")
    (result,) = check_artefact(artefact, cuda)
    assert result.ok, result.failures
