"""Registers of many waves at once, and the group of waves an instruction executes for.

Arrays: VGPRs [register, wave, lane], SGPRs [selector, wave], SCC [wave]. SGPR selectors are the
hardware's own: 0-105 SGPRs, 106/107 VCC, 108-123 TTMP, 124 NULL, 125 M0, 126/127 EXEC
(rocm-systems rocjitsu, scalar operand selectors). Wave32 only, as gfx1250 is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .asm import KernelAsm
from .barriers import Barriers
from .clocks import Clocks
from .findings import Findings
from .ledger import Ledger
from .memory import GlobalMemory, LdsMemory, ScratchMemory
from .pending import Op, Options, Pending
from .shadow import LdsShadow
from .validity import Validity

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
    """State of one chunk of workgroups: `waves` waves, numbered workgroup by workgroup.

    `watch` sees every memory operation at its issue (lds_trace.py).
    """

    watch: Callable[[Op], None] | None = None

    def __init__(
        self,
        waves: int,
        waves_per_group: int,
        vgprs: int,
        lds_bytes: int,
        scratch_bytes: int,
        memory: GlobalMemory,
        kernel: KernelAsm,
        options: Options,
        findings: Findings,
    ) -> None:
        self.kernel = kernel
        self.checks = options.check
        self.findings = findings
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
        self.waves_per_group = waves_per_group
        self.clocks = Clocks(waves, waves_per_group)
        self.ids: Array = np.stack([np.arange(groups)] + [np.zeros(groups, np.int64)] * 2, axis=1)
        self.cluster_size = 1
        self.multicast = Ledger()
        self.ib_sts2: Array = np.zeros(waves, dtype=np.uint32)
        self.barriers = Barriers(self)
        self.pending = Pending(self, options)
        if options.check:
            self.validity = Validity(self, vgprs)
            self.shadow = LdsShadow(len(self.lds.bytes.raw), kernel.lds_unit)

    def touch(self, reg: int, count: int) -> None:
        """Note a write to VGPRs reg .. reg + count - 1 that write_v does not make."""
        for index in range(reg, reg + count):
            self.versions[index] += 1

    def workgroup_id(self, wave: int) -> tuple[int, int, int]:
        """Id (x, y, z) of the workgroup of machine wave `wave`."""
        x, y, z = self.ids[wave // self.waves_per_group].tolist()
        return x, y, z

    def lds_base(self, wave: int) -> int:
        """Offset of the LDS of a wave's workgroup in the chunk's LDS."""
        return wave // self.waves_per_group * self.lds.stride

    def describe(self, wave: int) -> str:
        """Name of a wave for messages: workgroup (x, y, z) wave w."""
        return f"workgroup {self.workgroup_id(wave)} wave {wave % self.waves_per_group}"

    def everyone(self) -> Group:
        """The group of all waves."""
        return Group(self, np.arange(self.waves))


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

    def freeze(self) -> Group:
        """The group as it is now, for an operation that outlives this instruction."""
        twin: Group = Group.__new__(Group)
        for name in Group.__slots__:
            setattr(twin, name, getattr(self, name))
        return twin

    def subset(self, rows: Array) -> Group:
        """The waves picked by `rows` (booleans), lane masks kept."""
        part = self.freeze()
        part.index, part.mask = self.index[rows], self.mask[rows]
        part.n = len(part.index)
        part.sel = slice(None) if part.n == self.m.waves else part.index
        return part

    def owners(self) -> Array:
        """Row in the group of each active lane, in row-major order."""
        if self.full:
            return np.repeat(np.arange(self.n), LANES)
        return np.nonzero(self.mask)[0]

    def lane_mask(self, reg: int) -> Array:
        """SGPR `reg` as lanes: booleans [n, 32]."""
        return bits_to_lanes(self.s[reg, self.sel])
