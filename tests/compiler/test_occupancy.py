"""Workgroups on one processor, against the occupancies that the published ladder gives."""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.codegen.occupancy import occupancy
from gemm_ladder.compiler.targets import load_target
from gemm_ladder.runtime.artefact import Kernel


# The published kernels' registers and LDS: levels 0, 3, 4, 11.
@pytest.mark.parametrize(
    ("threads", "vgprs", "lds", "workgroups"),
    [(128, 84, 8704, 10), (512, 94, 34816, 2), (512, 220, 69632, 1), (128, 910, 278528, 1)],
)
def test_gfx1250(threads: int, vgprs: int, lds: int, workgroups: int) -> None:
    kernel = Kernel("k", (), (1, 1, 1), (threads, 1, 1), lds_bytes=lds, vgprs=vgprs)
    assert occupancy(kernel, load_target("gfx1250")) == workgroups


def test_lds_and_wave_slots_bind_too() -> None:
    target = load_target("gfx1250")
    small = Kernel("k", (), (1, 1, 1), (128, 1, 1), lds_bytes=40960, vgprs=8)
    assert occupancy(small, target) == 8
    assert occupancy(Kernel("k", (), (1, 1, 1), (32, 1, 1), vgprs=8), target) == 64
