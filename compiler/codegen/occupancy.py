"""How many workgroups share one processor."""

from __future__ import annotations

from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.runtime.artefact import Kernel


def occupancy(kernel: Kernel, target: Target) -> float:
    """Workgroups of ``kernel`` that fit on one processor at once: by registers, waves and LDS.

    Registers come in granules; LDS granules are left out, which no GEMM's tile is near.
    """
    threads = kernel.block[0] * kernel.block[1] * kernel.block[2]
    waves = -(-threads // target.wave_size)
    granule = target.registers_granule
    registers = -(-max(1, kernel.vgprs or 1) // granule) * granule
    per_simd = target.registers_total // target.wave_size // target.simds // registers
    limits = [min(per_simd * target.simds, target.waves_max) // waves]
    lds = kernel.lds_bytes + kernel.dynamic_lds_bytes
    if lds:
        limits.append(target.lds_bytes // lds)
    return float(min(limits))
