"""Runs a case on the simulator and watches what it does to LDS."""

from __future__ import annotations

import math

from gemm_case import Case

from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.dtypes import ELEMENT_TYPES
from gemm_ladder.runtime.sim import Options, SimDevice
from gemm_ladder.runtime.sim.lds_trace import LdsTrace


def watched(case: Case) -> tuple[LdsTrace, list[int]]:
    """What one launch of ``case`` does to LDS, and the addresses of its operands."""
    return watch(case.artefact("gfx1250"))


def watch(artefact: Artefact) -> tuple[LdsTrace, list[int]]:
    """``watched`` for a gfx1250 artefact."""
    device = SimDevice(Options("late", check=False))
    trace = device.watch = LdsTrace()
    (kernel,) = artefact.kernels
    handle = device.load(artefact, kernel.name)
    addresses = [
        device.alloc(max(1, math.prod(arg.shape)) * ELEMENT_TYPES[arg.dtype].size)
        for arg in kernel.args
    ]
    device.launch(handle, addresses)
    return trace, addresses
