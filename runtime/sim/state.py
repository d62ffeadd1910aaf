"""Registers of many waves at once, and the group of waves an instruction executes for.

Arrays: VGPRs [register, wave, lane], SGPRs [selector, wave], SCC [wave]. SGPR selectors are the
hardware's own: 0-105 SGPRs, 106/107 VCC, 108-123 TTMP, 124 NULL, 125 M0, 126/127 EXEC
(rocm-systems rocjitsu, scalar operand selectors). Wave32 only, as gfx1250 is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .barriers import Barriers
from .memory import GlobalMemory, LdsMemory, ScratchMemory

Array = npt.NDArray[Any]

LANES = 32
VCC, NULL, M0, EXEC = 106, 124, 125, 126
SELECTORS = 128
ALL = 0xFFFFFFFF
# NaN as f32, bf16, f16, fp8 and bf8, dword by dword: what nobody wrote reads as this.
POISON = 0x7FFF7FFF
LANE_IDS: Array = np.arange(LANES, dtype=np.uint32)[None, :]


def bits_to_lanes(bits: Array) -> Array:
    """Lane masks [n] as booleans [n, 32]; bit i is lane i."""
    return np.asarray(((bits[:, None] >> LANE_IDS) & np.uint32(1)).astype(bool))


def lanes_to_bits(lanes: Array) -> Array:
    """Booleans [n, 32] as lane masks [n]."""
    packed = np.packbits(lanes, axis=1, bitorder="little")
    result: Array = np.ascontiguousarray(packed).view("<u4")[:, 0]
    return result


class Machine:
    """State of one chunk of workgroups: `waves` waves, numbered workgroup by workgroup."""

    def __init__(
        self,
        waves: int,
        waves_per_group: int,
        vgprs: int,
        lds_bytes: int,
        scratch_bytes: int,
        memory: GlobalMemory,
    ) -> None:
        self.waves = waves
        self.workgroup = np.arange(waves, dtype=np.int64) // waves_per_group
        self.v: Array = np.full((vgprs, waves, LANES), POISON, dtype=np.uint32)
        self.s: Array = np.full((SELECTORS, waves), POISON, dtype=np.uint32)
        self.s[NULL] = 0
        # Writes seen by each VGPR, and matrices unpacked from VGPRs at such a count.
        self.versions = [0] * vgprs
        self.fragments: dict[tuple[int, str], tuple[tuple[int, ...], Array]] = {}
        self.scc: Array = np.zeros(waves, dtype=bool)
        self.memory = memory
        groups = waves // waves_per_group
        self.lds = LdsMemory(groups, lds_bytes)
        self.scratch = ScratchMemory(waves * LANES, scratch_bytes)
        self.barriers = Barriers(groups, waves_per_group, waves)
        self.waves_per_group = waves_per_group
        self.first_workgroup = 0
        self.grid = (groups, 1, 1)

    def touch(self, reg: int, count: int) -> None:
        """Note a write to VGPRs reg .. reg + count - 1 that write_v does not make."""
        for index in range(reg, reg + count):
            self.versions[index] += 1

    def describe(self, wave: int) -> str:
        """Name of a wave for messages: workgroup (x, y, z) wave w."""
        flat = self.first_workgroup + wave // self.waves_per_group
        x, y, _ = self.grid
        return (
            f"workgroup ({flat % x}, {flat // x % y}, {flat // (x * y)}) "
            f"wave {wave % self.waves_per_group}"
        )


class Group:
    """Waves at one PC. `sel` indexes the wave axis: a slice when it is all waves."""

    __slots__ = ("full", "index", "m", "mask", "n", "s", "sel", "v")

    def __init__(self, machine: Machine, index: Array) -> None:
        self.m = machine
        self.index = index
        self.n = len(index)
        self.sel: Any = slice(None) if self.n == machine.waves else index
        self.v = machine.v
        self.s = machine.s
        self.full = True
        self.mask: Array = np.ones((self.n, LANES), dtype=bool)
        self.refresh()

    def refresh(self) -> None:
        """Recompute the lane mask; call after a write to EXEC."""
        bits = self.s[EXEC, self.sel]
        self.full = bool((bits == ALL).all())
        self.mask = bits_to_lanes(bits)

    def write_v(self, reg: int, value: Array) -> None:
        """Write 32-bit `value` to the active lanes of VGPR `reg`."""
        self.m.versions[reg] += 1
        if self.full:
            self.v[reg, self.sel] = value
            return
        current = self.v[reg, self.sel]
        np.copyto(current, value, where=self.mask)
        if not isinstance(self.sel, slice):
            self.v[reg, self.sel] = current

    def write_s(self, reg: int, value: Array) -> None:
        """Write 32-bit `value` [n] to SGPR selector `reg`."""
        if reg == NULL:
            return
        self.s[reg, self.sel] = value
        if reg == EXEC:
            self.refresh()
