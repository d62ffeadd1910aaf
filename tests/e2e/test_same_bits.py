"""Results that must not change: between launches, and with the number of stages."""

from __future__ import annotations

import numpy as np
import pytest
from gemm_case import Case

from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import Device

BASE = "import-matmul,tile-workgroup,promote-to-lds,matrix-core"
STAGES = ("", *(f",multi-buffer{{stages={n}}}" for n in (2, 3, 4)))


def result_bits(artefact: Artefact, device: Device) -> bytes:
    """C's bytes after one launch on fixed random normal A and B, C poisoned before."""
    (kernel,) = artefact.kernels
    handle = device.load(artefact, kernel.name)
    rng = np.random.default_rng(7)
    addresses, sizes = [], []
    for arg in kernel.args:
        count = int(np.prod(arg.shape))
        # The upper half of a float32 is a bf16.
        values = rng.standard_normal(count).astype(np.float32).view(np.uint32) >> 16
        raw = values.astype(np.uint16).tobytes() if arg.dtype == "bf16" else b"\xff" * 4 * count
        addresses.append(device.alloc(len(raw)))
        sizes.append(len(raw))
        device.write(addresses[-1], raw)
    device.launch(handle, addresses)
    return device.read(addresses[2], sizes[2])


@pytest.mark.parametrize("shape", [(128, 128, 512), (65, 70, 100)])
def test_stage_counts_agree(shape: tuple[int, int, int], sim: Device) -> None:
    bits = {
        stages: result_bits(Case(*shape, "nt", passes=BASE + stages).artefact("gfx1250"), sim)
        for stages in STAGES
    }
    assert len(set(bits.values())) == 1, [k for k, v in bits.items() if v != bits[""]]


@pytest.mark.parametrize("waves", ["1x4", "4x1", "2x1", "2x2"])
def test_wave_grids_agree(waves: str, sim: Device) -> None:
    def passes(grid: str) -> str:
        return BASE.replace("tile-workgroup", f"tile-workgroup{{waves={grid}}}") + STAGES[1]

    one, other = (
        result_bits(Case(100, 90, 70, "nn", passes=passes(grid)).artefact("gfx1250"), sim)
        for grid in ("1x1", waves)
    )
    assert one == other


LADDER = (
    "import-matmul,tile-workgroup{{shape=128x128x64 waves={grid}}},promote-to-lds,matrix-core,"
    "multi-buffer{{stages={stages}}},async-copies,register-pipeline,copy-engine,split-barriers,"
    "cluster-multicast{{dims=2x2}},stage-epilogue"
)


def test_wave_grids_stages_and_slots_of_the_ladder_agree(sim: Device) -> None:
    """One order of accumulation, so one result: the whole K of an element is one wave's."""
    variants = [LADDER.format(grid=g, stages=2) for g in ("1x8", "8x1", "2x4", "4x2", "2x2", "4x4")]
    variants += [LADDER.format(grid="2x2", stages=n) for n in (3, 4)]
    variants += ["level4", "level8", "level10", "level12"]
    case = vars(Case(260, 200, 330, "nt"))
    bits = {
        passes: result_bits(Case(**{**case, "passes": passes}).artefact("gfx1250"), sim)
        for passes in variants
    }
    assert len(set(bits.values())) == 1, [x for x in variants if bits[x] != bits[variants[0]]]


@pytest.mark.parametrize("level", ["level0", "level1"])
def test_twenty_launches_agree(level: str, sim: Device) -> None:
    artefact = Case(70, 66, 50, "nt", passes=level).artefact("gfx1250")
    (result,) = check_artefact(artefact, sim, repeats=20)
    assert result.ok, result.failures
    assert result.identical
