"""How many workgroups share one processor."""

from __future__ import annotations

from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.runtime.artefact import Kernel


def occupancy(kernel: Kernel, target: Target) -> float:
    """Workgroups of ``kernel`` that fit on one processor at once, by registers and LDS alone.

    Allocation granules and the limit on waves are left out: neither binds a GEMM's large tiles.
    """
    threads = kernel.block[0] * kernel.block[1] * kernel.block[2]
    limits = [target.registers_total // max(1, threads * (kernel.vgprs or 1))]
    lds = kernel.lds_bytes + kernel.dynamic_lds_bytes
    if lds:
        limits.append(target.lds_bytes // lds)
    return float(min(limits))
