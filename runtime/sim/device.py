"""SimDevice: gfx1250 on the CPU, executing the assembly of an artefact."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..device import DeviceProperties, LaunchResult
from .asm import KernelAsm, parse_kernel
from .errors import SimError
from .executor import Scheduler, decode
from .findings import Finding, Findings
from .launch import Dim3, Shape, chunks, kernarg_bytes, prepare
from .memory import GlobalMemory
from .pending import Op, Options
from .table import Handler

if TYPE_CHECKING:
    from ..artefact import Artefact

LDS_BYTES = 327_680  # 5 of 6 partitions of 64 KiB (AMD, LDS optimisations on MI450)
MAX_CLUSTER = 16  # CDNA5 ISA, workgroup clusters
PROGRESS_AFTER = 2.0


@dataclass(frozen=True)
class Loaded:
    """A decoded kernel and the launch shape its artefact states."""

    kernel: KernelAsm
    code: list[Handler]
    shape: Shape


class SimDevice:
    """The Device protocol over the simulator; memory is the host's, addresses are its own.

    `watch` sees every memory operation of later launches at its issue.
    """

    kind = "sim"

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.memory = GlobalMemory()
        self.wave_instructions = 0
        self.findings: list[Finding] = []
        self.watch: Callable[[Op], None] | None = None
        self._loaded: dict[int, Loaded] = {}
        self._handles = itertools.count()

    def properties(self) -> DeviceProperties:
        """Limits of gfx1250 as the simulator enforces them."""
        return DeviceProperties(
            name="gemm-ladder simulator", arch="gfx1250", wave_size=32, lds_bytes=LDS_BYTES,
            detail={"timing": "none: seconds are host time"}, max_cluster=MAX_CLUSTER,
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
        handle = next(self._handles)
        code = decode(kernel, self.options.check)
        self._loaded[handle] = Loaded(kernel, code, Shape(grid, block, dynamic_lds))
        return handle

    def unload(self, handle: int) -> None:
        """Forget a loaded kernel."""
        del self._loaded[handle]

    def launch(self, handle: int, args: Sequence[int]) -> LaunchResult:
        """Run to completion; `args` are 64-bit addresses. Seconds are the host's.

        Findings are in `findings` afterwards, of this launch only, and are the result's notes. A
        fault that ends the launch raises SimError and is the last finding.
        """
        started = time.perf_counter()
        loaded = self._loaded[handle]
        found = Findings()
        try:
            if 0 not in loaded.shape.grid:
                self._run(loaded, args, found)
        except SimError as error:
            error.findings = tuple(finding.to_json() for finding in found.all())
            raise
        finally:
            self.findings = found.all()
        notes = [str(finding) for finding in self.findings]
        if found.dropped:
            notes.append(f"{found.dropped} more findings")
        records = tuple(finding.to_json() for finding in self.findings)
        return LaunchResult(time.perf_counter() - started, tuple(notes), records)

    def _run(self, loaded: Loaded, args: Sequence[int], found: Findings) -> None:
        kernel, shape, options = loaded.kernel, loaded.shape, self.options
        data = kernarg_bytes(kernel, args, shape.grid, shape.block)
        kernarg = self.memory.alloc(max(len(data), 4))
        try:
            self.write(kernarg, data)
            progress = Progress(shape.grid[0] * shape.grid[1] * shape.grid[2])
            with np.errstate(all="ignore"):
                for ids in chunks(kernel, shape.grid, shape.block, options, shape.dynamic_lds):
                    machine = prepare(kernel, self.memory, kernarg, ids, shape, options, found)
                    machine.watch = self.watch
                    scheduler = Scheduler(machine, kernel, loaded.code, options)
                    self.wave_instructions += scheduler.run(
                        progress.tick if progress.active else None
                    )
                    progress.done(len(ids))
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
        """Called when a chunk of that many ended; clears the line after the last one."""
        self.finished += workgroups
        if self.active and self.shown > self.started and self.finished == self.workgroups:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _check_shape(kernel: KernelAsm, grid: Dim3, block: Dim3, dynamic_lds: int) -> None:
    items = block[0] * block[1] * block[2]
    if not 1 <= items <= 1024:
        raise SimError(f"a workgroup of {items} work-items; gfx1250 runs 1 to 1024")
    size = kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2]
    if size > MAX_CLUSTER:
        raise SimError(f"a cluster of {size} workgroups; gfx1250 runs at most {MAX_CLUSTER}")
    if any(n % c for n, c in zip(grid, kernel.cluster, strict=True)):
        raise SimError(f"grid {grid} is no multiple of the cluster {kernel.cluster}")
    lds = kernel.directives.get("group_segment_fixed_size", 0) + dynamic_lds
    if lds > LDS_BYTES:
        raise SimError(f"kernel {kernel.name} needs {lds} B of LDS, gfx1250 has {LDS_BYTES} B")
    if min(grid) < 0:
        raise SimError(f"negative grid {grid}")
