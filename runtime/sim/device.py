"""SimDevice: gfx1250 on the CPU, executing the assembly of an artefact."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..device import DeviceProperties, LaunchResult
from .asm import KernelAsm, parse_kernel
from .errors import SimError
from .executor import Scheduler, decode
from .launch import Dim3, chunks, kernarg_bytes, prepare
from .memory import GlobalMemory
from .table import Handler

if TYPE_CHECKING:
    from ..artefact import Artefact

LDS_BYTES = 327_680  # 5 of 6 partitions of 64 KiB (AMD, LDS optimisations on MI450)
PROGRESS_AFTER = 2.0


@dataclass(frozen=True)
class Loaded:
    """A decoded kernel and the launch shape its artefact states."""

    kernel: KernelAsm
    code: list[Handler]
    grid: Dim3
    block: Dim3
    dynamic_lds: int


class SimDevice:
    """The Device protocol over the simulator; memory is the host's, addresses are its own."""

    kind = "sim"

    def __init__(self) -> None:
        self.memory = GlobalMemory()
        self.wave_instructions = 0
        self._loaded: list[Loaded] = []

    def properties(self) -> DeviceProperties:
        """Limits of gfx1250 as the simulator enforces them."""
        return DeviceProperties(
            name="gemm-ladder simulator", arch="gfx1250", wave_size=32, lds_bytes=LDS_BYTES,
            detail={"timing": "none: seconds are host time"},
        )  # fmt: skip

    def alloc(self, nbytes: int) -> int:
        """Address of `nbytes` NaN-poisoned bytes, NaN redzones around them."""
        return self.memory.alloc(nbytes)

    def free(self, addr: int) -> None:
        """Release an allocation; later accesses to it fault."""
        self.memory.free(addr)

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Copy host bytes to `addr`; SimError outside an allocation."""
        raw = np.frombuffer(data, dtype=np.uint8)
        self.memory.bytes.raw[self.memory.span(addr, len(raw))] = raw

    def read(self, addr: int, nbytes: int) -> bytes:
        """Copy `nbytes` at `addr` to the host; SimError outside an allocation."""
        return self.memory.bytes.raw[self.memory.span(addr, nbytes)].tobytes()

    def load(self, artefact: Artefact, kernel_name: str) -> int:
        """Decode a kernel of the artefact's assembly; SimError on any unknown instruction."""
        if artefact.target.split(":")[0] != "gfx1250":
            raise SimError(f"the simulator runs gfx1250 code, not {artefact.target}")
        if artefact.asm is None:
            raise SimError("the artefact carries no assembly for the simulator to run")
        for kernel in artefact.kernels:
            if kernel.name == kernel_name:
                return self.load_asm(
                    artefact.asm, kernel_name, kernel.grid, kernel.block, kernel.dynamic_lds_bytes
                )
        raise SimError(f"the artefact has no kernel named {kernel_name}")

    def load_asm(self, text: str, name: str, grid: Dim3, block: Dim3, dynamic_lds: int = 0) -> int:
        """Decode kernel `name` of assembly `text`, to be launched as grid x block work-items."""
        kernel = parse_kernel(text, name)
        _check_shape(kernel, grid, block, dynamic_lds)
        self._loaded.append(Loaded(kernel, decode(kernel), grid, block, dynamic_lds))
        return len(self._loaded) - 1

    def launch(self, handle: int, args: Sequence[int]) -> LaunchResult:
        """Run to completion; `args` are 64-bit addresses. Seconds are the host's."""
        started = time.perf_counter()
        loaded = self._loaded[handle]
        if 0 not in loaded.grid:
            self._run(loaded, args)
        return LaunchResult(time.perf_counter() - started, ())

    def _run(self, loaded: Loaded, args: Sequence[int]) -> None:
        data = kernarg_bytes(loaded.kernel, args, loaded.grid, loaded.block)
        kernarg = self.memory.alloc(max(len(data), 4))
        try:
            self.write(kernarg, data)
            progress = Progress(loaded.grid[0] * loaded.grid[1] * loaded.grid[2])
            with np.errstate(all="ignore"):
                for span in chunks(loaded.kernel, loaded.grid, loaded.block):
                    machine = prepare(
                        loaded.kernel, self.memory, kernarg, span, loaded.grid, loaded.block,
                        loaded.dynamic_lds,
                    )  # fmt: skip
                    scheduler = Scheduler(machine, loaded.kernel, loaded.code)
                    self.wave_instructions += scheduler.run(
                        progress.tick if progress.active else None
                    )
                    progress.done(span[1])
        finally:
            self.memory.free(kernarg)


class Progress:
    """A line on stderr for runs over two seconds, when it is a terminal."""

    def __init__(self, workgroups: int) -> None:
        self.workgroups = workgroups
        self.finished = 0
        self.started = self.shown = time.perf_counter()
        self.active = sys.stderr.isatty()

    def tick(self, instructions: int) -> None:
        """Called while a chunk runs, with its wave instructions so far."""
        now = time.perf_counter()
        if self.active and now - self.started > PROGRESS_AFTER and now - self.shown > 0.5:
            self.shown = now
            print(
                f"\rsim: {self.finished}/{self.workgroups} workgroups, "
                f"{instructions} wave instructions in this chunk",
                end="", file=sys.stderr, flush=True,
            )  # fmt: skip

    def done(self, workgroups: int) -> None:
        """Called when a chunk ended; clears the line after the last one."""
        self.finished = workgroups
        if self.active and self.shown > self.started and workgroups == self.workgroups:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _check_shape(kernel: KernelAsm, grid: Dim3, block: Dim3, dynamic_lds: int) -> None:
    items = block[0] * block[1] * block[2]
    if not 1 <= items <= 1024:
        raise SimError(f"a workgroup of {items} work-items; gfx1250 runs 1 to 1024")
    if kernel.cluster != (1, 1, 1):
        raise SimError(f"kernel {kernel.name} needs clusters, which are not simulated yet")
    lds = kernel.directives.get("group_segment_fixed_size", 0) + dynamic_lds
    if lds > LDS_BYTES:
        raise SimError(f"kernel {kernel.name} needs {lds} B of LDS, gfx1250 has {LDS_BYTES} B")
    if min(grid) < 0:
        raise SimError(f"negative grid {grid}")
