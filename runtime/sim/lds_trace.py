"""The addresses that a launch uses in LDS, instruction by instruction: opt-in, for what costs.

    trace, addresses = trace_launch(artefact)
    for access in trace.accesses: ...

Without a watch a memory operation pays one comparison for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ..artefact import Artefact
from ..dtypes import ELEMENT_TYPES
from .asm import Line
from .copies import FromLds, ToLds
from .device import SimDevice
from .memops import LdsLoad, LdsStore
from .pending import Op, Options
from .state import LANES, Array
from .tdm import TdmLoad


@dataclass(frozen=True)
class LdsAccess:
    """One LDS instruction of some waves: a load or store, or a copy's side in LDS.

    `addresses` are LDS bytes [waves, 32], -1 where a lane is inactive; every lane moves `size`
    bytes. `waves` are [waves, 2]: workgroup in the launch's order of a chunk, wave in it.
    """

    line: Line
    kind: str
    size: int
    waves: Array
    addresses: Array


@dataclass(frozen=True)
class Fill:
    """A part of LDS that one wave's copy fills: bytes [first, last) of its workgroup's LDS.

    `source` is the lowest global address that it reads; `engine` is "async" or "tdm".
    """

    line: Line
    engine: str
    workgroup: int
    wave: int
    source: int
    first: int
    last: int


@dataclass
class LdsTrace:
    """What one launch did, in the order of issue of each wave."""

    accesses: list[LdsAccess] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)

    def __call__(self, op: Op) -> None:
        """Note a memory operation at its issue."""
        if isinstance(op, LdsLoad):
            for offsets in op.offsets:
                self._access(op, "load", op.access.size, offsets)
        elif isinstance(op, LdsStore):
            for offsets, _ in op.parts:
                self._access(op, "store", op.access.size, offsets)
        elif isinstance(op, (ToLds, FromLds)):
            self._access(op, "copy", op.size, op.near)
            if isinstance(op, ToLds):
                self._async(op)
        elif isinstance(op, TdmLoad):
            self._tdm(op)

    def _access(self, op: Op, kind: str, size: int, offsets: Array) -> None:
        mask = op.group.mask
        addresses = np.full((len(op.waves), LANES), -1, dtype=np.int64)
        addresses[mask] = offsets
        addresses[mask] %= op.machine.lds.stride
        waves = np.stack(np.divmod(op.waves, op.machine.waves_per_group), axis=1)
        self.accesses.append(LdsAccess(op.line, kind, size, waves, addresses))

    def _async(self, op: ToLds) -> None:
        base = op.machine.memory.base
        for row, wave in enumerate(op.waves.tolist()):
            mine = op.owner == row
            if mine.any():
                near = op.near[mine] % op.machine.lds.stride
                source = int(op.far[mine].min()) + base
                self._fill(op, "async", wave, source, int(near.min()), int(near.max()) + op.size)

    def _tdm(self, op: TdmLoad) -> None:
        for row, source in op.sources.items():
            near = op.near[op.owner == row] * 4 % op.machine.lds.stride
            wave = int(op.waves[row])
            self._fill(op, "tdm", wave, source, int(near.min()), int(near.max()) + 4)

    def _fill(self, op: Op, engine: str, wave: int, source: int, first: int, last: int) -> None:
        workgroup, inside = divmod(wave, op.machine.waves_per_group)
        self.fills.append(Fill(op.line, engine, workgroup, inside, source, first, last))


def trace_launch(artefact: Artefact) -> tuple[LdsTrace, list[int]]:
    """What one launch of the only kernel does to LDS, on operands of no values, and where they lie.

    The addresses are those of the operands, in order.
    """
    device = SimDevice(Options("late", check=False))
    trace = device.watch = LdsTrace()
    (kernel,) = artefact.kernels
    sizes = [math.prod(arg.shape) * ELEMENT_TYPES[arg.dtype].size for arg in kernel.args]
    addresses = [device.alloc(size) for size in sizes]
    device.launch(device.load(artefact, kernel.name), addresses)
    return trace, addresses
