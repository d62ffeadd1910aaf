"""AMD GPUs through hip-python (10.x). Not yet run on a device; the no-device paths are tested."""

from __future__ import annotations

import ctypes
import importlib
import itertools
import time
from collections.abc import Sequence
from math import prod
from typing import Any

from .artefact import Artefact, Kernel
from .device import DeviceProperties, LaunchResult
from .errors import DeviceError, DeviceNameError

_PATIENCE = 60.0  # seconds until a kernel counts as hung


def open_device(option: str = "") -> HipDevice:
    """Open GPU `option` (a number; "" is 0). DeviceError names what is missing and the cure."""
    if option and not option.isdigit():
        message = f"device 'hip:{option}': the part after the colon is a GPU's number"
        raise DeviceNameError(message)
    return HipDevice(_binding(), int(option or 0))


def _binding() -> Any:
    """hip-python's module, initialised. DeviceError if package or driver is missing."""
    try:
        # An attribute of the package `hip`, not a module that could be imported by its path.
        hip: Any = importlib.import_module("hip").hip
    except (ImportError, AttributeError) as error:
        raise DeviceError(
            f"no HIP device: hip-python is not installed ({error}); "
            "install the extra: pip install 'gemm-ladder[hip]'"
        ) from error
    try:
        status = hip.hipInit(0)[0]
    except Exception as error:  # A missing library surfaces at the first call.
        raise DeviceError(
            f"no HIP device: the ROCm runtime (libamdhip64) cannot be loaded: {error}; "
            "install ROCm, or use --device sim"
        ) from error
    if status != hip.hipError_t.hipSuccess:
        raise DeviceError(
            f"no HIP device: hipInit says {_name(status)}; is a GPU present, and visible "
            "(HIP_VISIBLE_DEVICES, /dev/kfd)?"
        )
    return hip


class HipDevice:
    """One AMD GPU. Clusters are refused: no launch path for them has been tried."""

    kind = "hip"

    def __init__(self, hip: Any, index: int) -> None:
        """Make GPU `index` current for this thread."""
        self._hip = hip
        self._hung = ""
        count = int(self._call("hipGetDeviceCount"))
        if index >= count:
            raise DeviceError(f"no HIP device {index}: {count} are visible, counted from 0")
        self._call("hipSetDevice", index)
        self._start = self._call("hipEventCreate")
        self._stop = self._call("hipEventCreate")
        self._kernels: dict[int, tuple[Kernel, Any, str]] = {}
        self._handles = itertools.count()
        # The code's buffer lives as long as its module.
        self._modules: dict[str, tuple[Any, Any]] = {}
        self._memory: dict[int, Any] = {}
        self._flush: tuple[int, int] | None = None
        self._properties = self._query(index)

    def properties(self) -> DeviceProperties:
        """Name, arch (gfx1250) and limits as the runtime reports them."""
        return self._properties

    def alloc(self, nbytes: int) -> int:
        """Device memory (hipMalloc aligns to at least 256 bytes)."""
        memory = self._call("hipMalloc", max(nbytes, 1))
        address = int(memory)
        self._memory[address] = memory
        return address

    def free(self, addr: int) -> None:
        """Release memory that alloc returned."""
        self._call("hipFree", self._memory.pop(addr, addr))

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Copy to the device; the copy is complete on return."""
        if len(data):
            host = (ctypes.c_char * len(data)).from_buffer_copy(data)
            kind = self._hip.hipMemcpyKind.hipMemcpyHostToDevice
            self._call("hipMemcpy", addr, ctypes.addressof(host), len(data), kind)

    def read(self, addr: int, nbytes: int) -> bytes:
        """Copy from the device."""
        host = ctypes.create_string_buffer(max(nbytes, 1))
        if nbytes:
            kind = self._hip.hipMemcpyKind.hipMemcpyDeviceToHost
            self._call("hipMemcpy", ctypes.addressof(host), addr, nbytes, kind)
        return host.raw[:nbytes]

    def load(self, artefact: Artefact, kernel_name: str) -> int:
        """Load the code object and look the kernel up."""
        kernel = artefact.kernel(kernel_name)
        if artefact.format != "hsaco" or artefact.binary is None:
            raise DeviceError(
                "device 'hip' needs a linked code object (.hsaco); this artefact has none: "
                "compile again with an ld.lld at hand"
            )
        if artefact.sha256 not in self._modules:
            code = ctypes.create_string_buffer(artefact.binary, len(artefact.binary))
            module = self._call("hipModuleLoadData", ctypes.addressof(code))
            self._modules[artefact.sha256] = (module, code)
        module = self._modules[artefact.sha256][0]
        function = self._call("hipModuleGetFunction", module, kernel_name.encode())
        handle = next(self._handles)
        self._kernels[handle] = (kernel, function, artefact.sha256)
        return handle

    def unload(self, handle: int) -> None:
        """Forget the kernel; unload its module if no other kernel of it is loaded."""
        _, _, sha = self._kernels.pop(handle)
        if all(sha != other for _, _, other in self._kernels.values()):
            self._call("hipModuleUnload", self._modules.pop(sha)[0])

    def launch(self, handle: int, args: Sequence[int]) -> LaunchResult:
        """Run and wait; seconds between events round the kernel. DeviceError after a minute."""
        kernel, function, _ = self._kernels[handle]
        if prod(kernel.cluster) > 1:
            raise DeviceError(f"kernel {kernel.name}: device 'hip' does not launch clusters yet")
        values = [ctypes.c_uint64(address) for address in args]
        pointers = (ctypes.c_void_p * max(len(values), 1))(*map(ctypes.addressof, values))
        self._call("hipEventRecord", self._start, None)
        self._call(
            "hipModuleLaunchKernel",
            function,
            *kernel.grid,
            *kernel.block,
            kernel.dynamic_lds_bytes,
            None,
            ctypes.addressof(pointers),
            None,
        )
        self._call("hipEventRecord", self._stop, None)
        self._wait(kernel.name)
        return LaunchResult(
            1e-3 * float(self._call("hipEventElapsedTime", self._start, self._stop))
        )

    def flush_cache(self) -> None:
        """Evict the caches: overwrite 512 MiB, twice the largest Infinity Cache (MI300X)."""
        if self._flush is None:
            self._flush = (self.alloc(1 << 29), 1 << 29)
        self._call("hipMemset", self._flush[0], 0, self._flush[1])

    def _query(self, index: int) -> DeviceProperties:
        found = self._call("hipGetDeviceProperties", index)
        return DeviceProperties(
            name=_text(found.name),
            arch=_text(found.gcnArchName).split(":")[0],
            wave_size=int(found.warpSize),
            lds_bytes=int(found.sharedMemPerBlock),
            detail={"multiprocessors": int(found.multiProcessorCount)},
            max_threads=int(found.maxThreadsPerBlock),
        )

    def _wait(self, name: str) -> None:
        """Until the stop event, or DeviceError."""
        deadline = time.monotonic() + _PATIENCE
        pending = self._hip.hipError_t.hipErrorNotReady
        while (status := self._hip.hipEventQuery(self._stop)[0]) == pending:
            if time.monotonic() > deadline:
                self._hung = name
                raise DeviceError(f"kernel {name} did not finish in {_PATIENCE:.0f} s (hung?)")
        if status != self._hip.hipError_t.hipSuccess:
            raise DeviceError(f"kernel {name} failed on the device: {_name(status)}")

    def _call(self, function: str, *args: Any) -> Any:
        """Call the runtime; its single result, or DeviceError with the error's name."""
        if self._hung:  # Most calls would wait for the kernel for ever.
            raise DeviceError(f"{function}: the device is lost, kernel {self._hung} hangs")
        try:
            status, *results = getattr(self._hip, function)(*args)
        except (RuntimeError, TypeError, ValueError, AttributeError) as error:
            raise DeviceError(f"hip-python: {function}: {error}") from error
        self._raise(function, status)
        return results[0] if results else None

    def _raise(self, function: str, status: Any) -> None:
        if status != self._hip.hipError_t.hipSuccess:
            raise DeviceError(f"{function} says {_name(status)}")


def _name(status: Any) -> str:
    return str(getattr(status, "name", status))


def _text(value: Any) -> str:
    raw = value.split(b"\0")[0].decode() if isinstance(value, bytes) else str(value)
    return raw.strip()
