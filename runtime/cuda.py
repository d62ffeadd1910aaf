"""NVIDIA GPUs through the driver API of cuda-bindings (12.9 and later, 13.x)."""

from __future__ import annotations

import ctypes
import importlib
import itertools
import time
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from .artefact import Artefact, Kernel
from .device import DeviceProperties, LaunchResult
from .errors import DeviceError, DeviceNameError
from .tensor_maps import encode

# CUDA programming guide: clusters of up to 8 are portable; 16 need an opt-in, given here.
_PORTABLE_CLUSTER, _MOST_CLUSTER = 8, 16
_PATIENCE = 60.0  # seconds until a kernel counts as hung


def open_device(option: str = "") -> CudaDevice:
    """Open GPU `option` (a number; "" is 0). DeviceError names what is missing and the cure."""
    if option and not option.isdigit():
        message = f"device 'cuda:{option}': the part after the colon is a GPU's number"
        raise DeviceNameError(message)
    return CudaDevice(_driver(), int(option or 0))


def _driver() -> Any:
    """The binding's driver module, initialised. DeviceError if package or driver is missing."""
    try:
        driver: Any = importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise DeviceError(
            f"no CUDA device: cuda-bindings is not installed ({error}); "
            "install the extra: pip install 'gemm-ladder[cuda]'"
        ) from error
    try:
        status = driver.cuInit(0)[0]
    except Exception as error:  # The binding raises several types when libcuda is missing.
        raise DeviceError(
            f"no CUDA device: the NVIDIA driver (libcuda) cannot be loaded: {error}; "
            "install the driver, or use --device sim"
        ) from error
    if status != driver.CUresult.CUDA_SUCCESS:
        raise DeviceError(
            f"no CUDA device: cuInit says {status.name}; is a GPU present, and visible "
            "(CUDA_VISIBLE_DEVICES)?"
        )
    return driver


class CudaDevice:
    """One GPU, on its primary context (shared with other CUDA libraries in the process)."""

    kind = "cuda"

    def __init__(self, driver: Any, index: int) -> None:
        """Retain the primary context of GPU `index` and make it current."""
        self._driver = driver
        self._hung = ""
        count = self._call("cuDeviceGetCount")
        if index >= count:
            raise DeviceError(f"no CUDA device {index}: {count} are visible, counted from 0")
        self._device = self._call("cuDeviceGet", index)
        context = self._call("cuDevicePrimaryCtxRetain", self._device)
        self._call("cuCtxSetCurrent", context)
        self._start = self._call("cuEventCreate", 0)
        self._stop = self._call("cuEventCreate", 0)
        self._kernels: dict[int, tuple[Kernel, Any, str]] = {}
        self._handles = itertools.count()
        self._modules: dict[str, Any] = {}
        self._flush: tuple[int, int] | None = None
        self._properties = self._query()

    def properties(self) -> DeviceProperties:
        """Name, arch (sm_90) and limits as the driver reports them."""
        return self._properties

    def alloc(self, nbytes: int) -> int:
        """Device memory (cuMemAlloc aligns to at least 256 bytes)."""
        return int(self._call("cuMemAlloc", max(nbytes, 1)))

    def free(self, addr: int) -> None:
        """Release memory that alloc returned."""
        self._call("cuMemFree", addr)

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Copy to the device; the copy is complete on return."""
        host = (ctypes.c_char * len(data)).from_buffer_copy(data)
        if len(data):
            self._call("cuMemcpyHtoD", addr, ctypes.addressof(host), len(data))

    def read(self, addr: int, nbytes: int) -> bytes:
        """Copy from the device."""
        host = ctypes.create_string_buffer(max(nbytes, 1))
        if nbytes:
            self._call("cuMemcpyDtoH", ctypes.addressof(host), addr, nbytes)
        return host.raw[:nbytes]

    def load(self, artefact: Artefact, kernel_name: str) -> int:
        """Load the cubin, or PTX through the driver's JIT, and prepare the kernel's function."""
        kernel = artefact.kernel(kernel_name)
        if artefact.format not in ("cubin", "ptx"):
            raise DeviceError(f"device 'cuda' cannot load {artefact.format}")
        if artefact.sha256 not in self._modules:
            # create_string_buffer ends it in the zero byte that PTX needs.
            code = ctypes.create_string_buffer(artefact.code)
            module = self._call("cuModuleLoadData", ctypes.addressof(code))
            self._modules[artefact.sha256] = module
        module = self._modules[artefact.sha256]
        function = self._call("cuModuleGetFunction", module, kernel_name.encode())
        self._prepare(kernel, function)
        handle = next(self._handles)
        self._kernels[handle] = (kernel, function, artefact.sha256)
        return handle

    def unload(self, handle: int) -> None:
        """Forget the kernel; unload its module if no other kernel of it is loaded."""
        _, _, sha = self._kernels.pop(handle)
        if all(sha != other for _, _, other in self._kernels.values()):
            self._call("cuModuleUnload", self._modules.pop(sha))

    def launch(self, handle: int, args: Sequence[int]) -> LaunchResult:
        """Run and wait; seconds between events round the kernel. DeviceError after a minute."""
        return LaunchResult(self.timed(self.launcher(handle, args), self._kernels[handle][0].name))

    def timed(self, enqueue: Callable[[], None], name: str) -> float:
        """Device seconds of what ``enqueue`` queues, waiting for it; ``name`` is for errors."""
        self._call("cuEventRecord", self._start, 0)
        enqueue()
        self._call("cuEventRecord", self._stop, 0)
        self._wait(name)
        return 1e-3 * float(self._call("cuEventElapsedTime", self._start, self._stop))

    def launcher(self, handle: int, args: Sequence[int]) -> Callable[[], None]:
        """What puts one launch on the default stream and returns at once, all else prepared.

        A benchmark calls it between events of its own, so that the GPU never waits for Python.
        """
        kernel, function, _ = self._kernels[handle]
        values = [ctypes.c_uint64(address) for address in args]
        maps = [
            encode(self._driver, self._call, kernel, tensor_map, args[tensor_map.arg])
            for tensor_map in kernel.tensor_maps
        ]
        places = [*map(ctypes.addressof, values), *(int(made.getPtr()) for made in maps)]
        pointers = (ctypes.c_void_p * max(len(places), 1))(*places)
        config, address = self._config(kernel), ctypes.addressof(pointers)

        def enqueue(keep: object = (values, maps, pointers)) -> None:
            self._call("cuLaunchKernelEx", config, function, address, 0)

        return enqueue

    def flush_cache(self) -> None:
        """Evict L2: overwrite a buffer of twice its size."""
        if self._flush is None:
            size = 2 * max(int(str(self._properties.detail["l2_bytes"])), 1)
            self._flush = (self.alloc(size), size)
        self._call("cuMemsetD8", self._flush[0], 0, self._flush[1])

    def _config(self, kernel: Kernel) -> Any:
        config = self._driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = kernel.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = kernel.block
        config.sharedMemBytes = kernel.dynamic_lds_bytes
        config.hStream = 0
        config.numAttrs = 0
        if prod(kernel.cluster) > 1:
            attribute = self._driver.CUlaunchAttribute()
            identity = self._driver.CUlaunchAttributeID
            attribute.id = identity.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            size = attribute.value.clusterDim
            size.x, size.y, size.z = kernel.cluster
            config.attrs, config.numAttrs = [attribute], 1
        return config

    def _prepare(self, kernel: Kernel, function: Any) -> None:
        """Opt in to what the kernel needs; DeviceError if binary and description disagree."""
        attributes = self._driver.CUfunction_attribute
        prefix = "CU_FUNC_ATTRIBUTE_"

        def get(name: str) -> int:
            return int(
                self._call("cuFuncGetAttribute", getattr(attributes, prefix + name), function)
            )

        def set_to(name: str, value: int) -> None:
            self._call("cuFuncSetAttribute", function, getattr(attributes, prefix + name), value)

        if self._properties.max_cluster > 1:
            parts = ("WIDTH", "HEIGHT", "DEPTH")
            compiled = tuple(max(get(f"REQUIRED_CLUSTER_{part}"), 1) for part in parts)
            if compiled not in ((1, 1, 1), kernel.cluster):
                raise DeviceError(
                    f"kernel {kernel.name} was compiled for clusters of {compiled}, "
                    f"its description says {kernel.cluster}"
                )
        if prod(kernel.block) > get("MAX_THREADS_PER_BLOCK"):
            raise DeviceError(
                f"kernel {kernel.name}: {prod(kernel.block)} threads a workgroup, its code "
                f"allows {get('MAX_THREADS_PER_BLOCK')}"
            )
        if kernel.dynamic_lds_bytes:
            set_to("MAX_DYNAMIC_SHARED_SIZE_BYTES", kernel.dynamic_lds_bytes)
        if prod(kernel.cluster) > _PORTABLE_CLUSTER:
            set_to("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)

    def _query(self) -> DeviceProperties:
        attributes = self._driver.CUdevice_attribute

        def get(name: str) -> int:
            attribute = getattr(attributes, f"CU_DEVICE_ATTRIBUTE_{name}")
            return int(self._call("cuDeviceGetAttribute", attribute, self._device))

        major, minor = get("COMPUTE_CAPABILITY_MAJOR"), get("COMPUTE_CAPABILITY_MINOR")
        name = bytes(self._call("cuDeviceGetName", 256, self._device))
        return DeviceProperties(
            name=name.split(b"\0")[0].decode(errors="replace").strip(),
            arch=f"sm_{major}{minor}",
            wave_size=get("WARP_SIZE"),
            lds_bytes=get("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            detail={
                "driver": self._call("cuDriverGetVersion"),
                "multiprocessors": get("MULTIPROCESSOR_COUNT"),
                "l2_bytes": get("L2_CACHE_SIZE"),
            },
            max_cluster=_MOST_CLUSTER if get("CLUSTER_LAUNCH") else 1,
            max_threads=get("MAX_THREADS_PER_BLOCK"),
        )

    def _wait(self, name: str) -> None:
        """Until the stop event: first by spinning, as most kernels are short."""
        deadline = time.monotonic() + _PATIENCE
        pending = self._driver.CUresult.CUDA_ERROR_NOT_READY
        while (status := self._driver.cuEventQuery(self._stop)[0]) == pending:
            if time.monotonic() > deadline:
                self._hung = name
                raise DeviceError(f"kernel {name} did not finish in {_PATIENCE:.0f} s (hung?)")
        if status != self._driver.CUresult.CUDA_SUCCESS:
            raise DeviceError(f"kernel {name} failed on the device: {status.name}")

    def _call(self, function: str, *args: Any) -> Any:
        """Call the driver; its single result, or DeviceError with the error's name."""
        if self._hung:  # Most calls would wait for the kernel for ever.
            raise DeviceError(f"{function}: the device is lost, kernel {self._hung} hangs")
        try:
            status, *results = getattr(self._driver, function)(*args)
        except (RuntimeError, TypeError, ValueError, AttributeError) as error:
            raise DeviceError(f"cuda-bindings: {function}: {error}") from error
        if status != self._driver.CUresult.CUDA_SUCCESS:
            raise DeviceError(f"{function} says {status.name}")
        return results[0] if results else None
