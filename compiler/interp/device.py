"""Device `interp`: runs tile IR of any target, after any prefix of any pipeline."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from gemm_ladder.compiler.interp.control import check_known
from gemm_ladder.compiler.interp.findings import Findings
from gemm_ladder.compiler.interp.heap import Heap
from gemm_ladder.compiler.interp.machine import Argument, Dim3, Geometry, Machine, Settings
from gemm_ladder.compiler.interp.program import Program, build_program
from gemm_ladder.compiler.interp.scheduler import run
from gemm_ladder.compiler.interp.values import Array, DivergedError
from gemm_ladder.compiler.session import Session
from gemm_ladder.compiler.targets import load_target
from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.runtime.artefact import Arg, Artefact, Kernel
from gemm_ladder.runtime.device import DeviceProperties, LaunchResult
from gemm_ladder.runtime.dtypes import ELEMENT_TYPES
from gemm_ladder.runtime.errors import DeviceError, DeviceNameError

LANDINGS = ("late", "early", "random")
# Elements of LDS and accumulators that one batch may hold.
_BATCH_ELEMENTS = 1 << 24


@dataclass(frozen=True)
class InterpProperties(DeviceProperties):
    """The interpreter takes tile IR of every target, and nothing else."""

    def accepts(self, target: str, format: str = "") -> bool:
        """Whether ``format`` is tile IR."""
        return format == "tile"


@dataclass(frozen=True)
class _Loaded:
    program: Program
    target: Target
    geometry: Geometry
    args: tuple[Arg, ...]


def open_device(option: str) -> InterpDevice:
    """`late` (the default), `early` or `random`, then `seed=N` and `exact`, joined by commas."""
    landing, seed, exact = "late", 0, False
    for part in filter(None, option.split(",")):
        found = re.fullmatch(r"seed=(\d+)", part)
        if part in LANDINGS:
            landing = part
        elif found:
            seed = int(found[1])
        elif part == "exact":
            exact = True
        else:
            known = ", ".join((*LANDINGS, "seed=N", "exact"))
            raise DeviceNameError(f"interp has no option '{part}'; known: {known}")
    return InterpDevice(Settings(landing, seed, exact))


class InterpDevice:
    """The Device protocol over the interpreter; memory is the host's, addresses are its own."""

    kind = "interp"

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.memory = Heap()
        self._loaded: dict[int, _Loaded] = {}
        self._handles = itertools.count()

    def properties(self) -> DeviceProperties:
        """No limits of its own: a kernel is held to its target's."""
        return InterpProperties(
            name="tile interpreter", arch="any target", wave_size=32, lds_bytes=1 << 30,
            max_cluster=32, detail={"timing": "none: seconds are host time"},
        )  # fmt: skip

    def alloc(self, nbytes: int) -> int:
        """Address of `nbytes` NaN-poisoned bytes."""
        return self.memory.alloc(nbytes)

    def free(self, addr: int) -> None:
        """Release an allocation."""
        self.memory.free(addr)

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Copy host bytes to `addr`."""
        raw = np.frombuffer(data, dtype=np.uint8)
        self.memory.bytes_at(addr, len(raw))[:] = raw

    def read(self, addr: int, nbytes: int) -> bytes:
        """Copy `nbytes` at `addr` to the host."""
        return self.memory.bytes_at(addr, nbytes).tobytes()

    def load(self, artefact: Artefact, kernel_name: str) -> int:
        """Parse a kernel of the artefact's tile IR; DeviceError if it cannot be interpreted."""
        if artefact.format != "tile" or artefact.asm is None:
            raise DeviceError(f"device 'interp' runs tile IR, not {artefact.format}")
        module = Session().parse(artefact.asm, "<tile IR>")
        program = build_program(module, kernel_name)
        check_known(program.ops)
        target = load_target(artefact.target)
        kernel = artefact.kernel(kernel_name)
        handle = next(self._handles)
        geometry = _geometry(kernel, program, target)
        self._loaded[handle] = _Loaded(program, target, geometry, kernel.args)
        return handle

    def unload(self, handle: int) -> None:
        """Forget a loaded kernel."""
        del self._loaded[handle]

    def launch(self, handle: int, args: Sequence[int]) -> LaunchResult:
        """Run to completion; every finding is a note. Seconds are the host's."""
        started = time.perf_counter()
        loaded, findings = self._loaded[handle], Findings()
        views = [self._view(arg, at) for arg, at in zip(loaded.args, args, strict=True)]
        arguments = [_argument(view) for view in views]
        clusters = [] if 0 in loaded.geometry.grid else loaded.geometry.clusters()
        size = 1 if self.settings.exact else _batch_size(loaded)
        pending = [clusters[i : i + size] for i in range(0, len(clusters), size)][::-1]
        with np.errstate(all="ignore"):
            while pending:
                batch = pending.pop()
                pending += self._run(loaded, arguments, batch, findings)
        for view, argument in zip(views, arguments, strict=True):
            view[argument.written] = argument.values[argument.written].astype(argument.dtype)
        seconds = time.perf_counter() - started
        return LaunchResult(seconds, findings.lines(), findings.records())

    def _run(
        self, loaded: _Loaded, arguments: list[Argument], batch: list[Dim3], findings: Findings
    ) -> list[list[Dim3]]:
        """Run one batch; the parts of it to run instead, if it diverged."""
        saved = [(a.values.copy(), a.written.copy()) for a in arguments] if len(batch) > 1 else []
        machine = Machine(
            loaded.program, loaded.target, loaded.geometry, arguments, self.settings, batch
        )
        try:
            run(machine)
        except DivergedError as apart:
            for argument, (values, written) in zip(arguments, saved, strict=True):
                argument.values[...], argument.written[...] = values, written
            return _split(batch, apart.labels)
        findings.merge(machine.findings)
        return []

    def _view(self, arg: Arg, address: int) -> Array:
        """The argument in device memory, as a writable array."""
        element = ELEMENT_TYPES[arg.dtype]
        empty = 0 in arg.shape
        reach = sum((n - 1) * s for n, s in zip(arg.shape, arg.strides, strict=True))
        raw = self.memory.bytes_at(address, 0 if empty else (1 + reach) * element.size)
        flat = raw.view(element.numpy)
        strides = tuple(s * element.size for s in arg.strides)
        return np.lib.stride_tricks.as_strided(flat, arg.shape, strides)


def _argument(view: Array) -> Argument:
    return Argument(view.astype(np.float32), np.zeros(view.shape, bool), view.dtype)


def _split(batch: list[Dim3], labels: Array) -> list[list[Dim3]]:
    """The clusters of ``batch`` by label, in reverse order of first appearance."""
    groups: dict[int, list[Dim3]] = {}
    for cluster, label in zip(batch, labels, strict=True):
        groups.setdefault(int(label), []).append(cluster)
    return list(groups.values())[::-1]


def _batch_size(loaded: _Loaded) -> int:
    lds = [t for op in loaded.program.ops for t in op.result_types if isinstance(t, LdsType)]
    elements = sum(ring.stages * ring.rows * ring.cols for ring in lds)
    most = prod(loaded.geometry.cluster) * max(1 << 14, 2 * elements)
    return max(1, _BATCH_ELEMENTS // most)


def _geometry(kernel: Kernel, program: Program, target: Target) -> Geometry:
    """A contraction is one step of one wave; other kernels are launched as they say."""
    if any(op.name == "tile.contract" for op in program.ops):
        return Geometry(1, (1, 1, 1), (target.wave_size, 1, 1), (1, 1, 1))
    waves = max(1, prod(kernel.block) // target.wave_size)
    lds = sum(
        t.total_bytes
        for op in program.ops
        for t in op.result_types
        if isinstance(t, LdsType) and not op.operands
    )
    if lds > target.lds_bytes:
        have = f"{target.name} has {target.lds_bytes:,} B"
        raise DeviceError(f"kernel {kernel.name} needs {lds:,} B of LDS, {have}")
    return Geometry(waves, kernel.grid, kernel.block, kernel.cluster)
