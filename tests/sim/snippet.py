"""Run a few instructions on one wave with chosen registers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gemm_ladder.runtime.sim.asm import parse_kernel
from gemm_ladder.runtime.sim.executor import Scheduler, decode
from gemm_ladder.runtime.sim.findings import Findings
from gemm_ladder.runtime.sim.memory import GlobalMemory
from gemm_ladder.runtime.sim.pending import Options
from gemm_ladder.runtime.sim.state import EXEC, Machine

HEADER = """
.amdhsa_kernel k
 .amdhsa_group_segment_fixed_size {lds}
.end_amdhsa_kernel
.amdgpu_metadata
.end_amdgpu_metadata
k:
"""
FULL = 0xFFFFFFFF


def bits(value: Any) -> Any:
    """A register's bits: ints as they are, floats as f32."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return array.astype(np.float32).view(np.uint32)
    return (array.astype(np.int64) & FULL).astype(np.uint32)


def execute(
    text: str,
    v: Mapping[int, Any] | None = None,
    s: Mapping[int, Any] | None = None,
    *,
    scc: bool = False,
    exec_mask: int = FULL,
    waves: int = 1,
    waves_per_group: int = 0,
    lds: int = 1024,
    memory: GlobalMemory | None = None,
    options: Options | None = None,
    cluster: int = 1,
) -> Machine:
    """The machine after running `text` (one instruction a line, s_endpgm added)."""
    kernel = parse_kernel(HEADER.format(lds=lds) + text + "\ns_endpgm\n", "k")
    code = decode(kernel)
    group = waves_per_group or waves
    options = options or Options()
    machine = Machine(
        waves, group, 600, lds, 64, memory or GlobalMemory(), kernel, options, Findings()
    )
    machine.cluster_size = cluster
    machine.barriers.form_clusters(cluster)
    machine.s[EXEC] = exec_mask
    machine.scc[:] = scc
    for reg, value in (v or {}).items():
        machine.v[reg] = bits(value)
        machine.validity.know_v(reg)
    for reg, value in (s or {}).items():
        machine.s[reg] = bits(value)
        machine.validity.know_s(reg)
    machine.validity.know_s(EXEC)
    machine.validity.know_s(128)
    with np.errstate(all="ignore"):
        Scheduler(machine, kernel, code, options).run()
    return machine


def vgpr(machine: Machine, reg: int, kind: Any = np.uint32) -> Any:
    """VGPR of wave 0, all lanes, as `kind`."""
    return machine.v[reg, 0].view(kind)


def f32(value: float) -> int:
    """Bits of an f32."""
    return int(np.float32(value).view(np.uint32))


def f16(value: float) -> int:
    """Bits of an f16."""
    return int(np.float16(value).view(np.uint16))
