"""Asynchronous copies between global memory and LDS, with and without a cluster's multicast.

global_load_async_to_lds_*, cluster_load_async_to_lds_*, global_store_async_from_lds_*: an LDS byte
address a lane, a global address as of other global accesses. The immediate offset is added to both
(LLVM, llvm.amdgcn.global.load.async.to.lds; CDNA5 ISA 10.8). Lanes that EXEC masks copy nothing.
"""

from __future__ import annotations

import re

import numpy as np

from .asm import KernelAsm, Line
from .multicast import check_masks
from .operands import check_bank, parse_operand, reader
from .pending import Op
from .state import M0, Array, Group
from .table import Handler
from .vmem import CACHE, flat_address, locator, resolve

_NAME = re.compile(r"(global|cluster)_(load_async_to|store_async_from)_lds_b(8|32|64|128)")


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of an asynchronous copy, None when it is not one."""
    match = _NAME.fullmatch(line.mnemonic)
    if not match:
        return None
    load, size = match[2].startswith("load"), int(match[3]) // 8
    for name in line.modifiers:
        if name not in {"offset", "scale_offset", *CACHE}:
            raise line.fail(f"unknown modifier {name}")
    offset = int(line.modifiers.get("offset", "0"), 0)
    operands = list(line.operands)
    lds_text = operands.pop(0 if load else 1)
    # The LDS address is the destination field of a load, the data field of a store.
    lds_operand = parse_operand(lds_text, line, kernel)
    check_bank(lds_operand, 3 if load else 1, line)
    line.uses.v_write.clear()
    base = reader(lds_operand, "u32", line)
    to_global = flat_address(size, operands, offset, line, kernel)
    if match[1] == "cluster":
        line.uses.s_read.add(M0)
    line.uses.require()
    places = locator("global", size), locator("ds", size)

    def handler(g: Group) -> None:
        _, far = resolve(g, to_global, places[0], line)
        _, near = resolve(g, lambda g: base(g).astype(np.int64) + offset, places[1], line)
        if match[1] == "cluster":
            _check_cluster(g, line, far)
        if len(far):
            g.m.pending.issue((ToLds if load else FromLds)(g, line, size, near, far))

    return handler


def _check_cluster(g: Group, line: Line, far: Array) -> None:
    """M0: mask of the workgroups in 15:0, early timeout in 16 (CDNA5 ISA)."""
    word = g.s[M0, g.sel]
    first = np.zeros(g.n, np.int64)
    owner = g.owners()
    first[owner[::-1]] = far[::-1]
    check_masks(g, line, word & np.uint32(0xFFFF), [(int(x),) for x in first])
    if (word >> np.uint32(17)).any():
        raise line.fail("M0 has bits above the mask and the early timeout")


class ToLds(Op):
    """A copy into LDS: lands as a whole, and nobody may touch its bytes until its wait."""

    def __init__(self, g: Group, line: Line, size: int, near: Array, far: Array) -> None:
        super().__init__(g, line, "asynccnt")
        self.size, self.near, self.far = size, near, far

    def restrict(self, rows: Array, items: Array) -> None:
        """Keep the addresses of the picked lanes."""
        self.near, self.far = self.near[items], self.far[items]

    def start(self) -> None:
        """The bytes are under way."""
        shadow = self.machine.shadow
        shadow.start_write(self, *shadow.rows(self.near, self.size))

    def land(self) -> None:
        """Copy."""
        words = self.machine.memory.bytes.gather(self.far, self.size)
        self.machine.lds.bytes.scatter(self.near, self.size, words)

    def finish(self) -> None:
        """The bytes are there."""
        shadow = self.machine.shadow
        shadow.finish_copy(self, *shadow.rows(self.near, self.size))
        rows, width = shadow.valid_rows(self.near, self.size)
        shadow.invalid.reshape(-1, width)[rows] = False


class FromLds(Op):
    """A copy from LDS to global memory."""

    def __init__(self, g: Group, line: Line, size: int, near: Array, far: Array) -> None:
        super().__init__(g, line, "asynccnt")
        self.size, self.near, self.far = size, near, far

    restrict = ToLds.restrict

    def land(self) -> None:
        """Copy; what nobody wrote must not reach global memory."""
        words = self.machine.lds.bytes.gather(self.near, self.size)
        self.machine.memory.bytes.scatter(self.far, self.size, words)
        if self.machine.checks:
            shadow = self.machine.shadow
            rows, width = shadow.valid_rows(self.near, self.size)
            bad = np.asarray(shadow.invalid.reshape(-1, width).take(rows, axis=0).any(axis=1))
            if bad.any():
                first = int(np.argmax(bad)) * len(self.owner) // len(bad)
                wave = int(self.waves[self.owner[first]])
                self.machine.findings.add(
                    "uninitialised", self.line, "stores LDS bytes that nobody wrote",
                    self.machine, wave,
                    address=int(self.near[first]) - self.machine.lds_base(wave),
                )  # fmt: skip

    def finish(self) -> None:
        """Note the reads, and the writes they raced with."""
        shadow = self.machine.shadow
        shadow.finish_read(self, *shadow.rows(self.near, self.size))
