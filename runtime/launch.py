"""Launch a kernel, after everything that can be known to be wrong has been refused."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import permutations
from math import prod

from .artefact import Arg, Artefact, Kernel
from .buffers import DeviceArray
from .device import Device, DeviceProperties, LaunchResult
from .errors import DeviceError, LaunchError

# CUDA programming guide, technical specifications; HIP documents the same grid.
_MOST_GRID = (2**31 - 1, 65535, 65535)
# hipModuleLaunchKernel's reference: no launch of 2^32 work-items or more.
_MOST_HIP_WORK_ITEMS = 2**32 - 1


def launch_kernel(
    device: Device, artefact: Artefact, kernel_name: str, args: Sequence[DeviceArray]
) -> LaunchResult:
    """Check, load and run one kernel; returns when it completed.

    Raises LaunchError before anything runs if the launch is wrong, DeviceError if the device
    refuses. An empty grid (M = 0 or N = 0) launches nothing and succeeds.
    """
    launch = prepare(device, artefact, kernel_name, args)
    try:
        return launch.run()
    finally:
        launch.release()


class PreparedLaunch:
    """A checked launch of a loaded kernel that can be repeated."""

    def __init__(self, device: Device, handle: int | None, addresses: tuple[int, ...]) -> None:
        self._device, self._handle, self._addresses = device, handle, addresses

    def run(self) -> LaunchResult:
        """Run once; returns when the kernel completed. Raises DeviceError."""
        if self._handle is None:
            return LaunchResult(0.0, ("info: the grid is empty, nothing was launched",))
        return self._device.launch(self._handle, self._addresses)

    def release(self) -> None:
        """Give the kernel's code back; the launch cannot run any more. Once is enough.

        A device that was lost cannot unload and has said so already.
        """
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(DeviceError):
                self._device.unload(handle)


def prepare(
    device: Device, artefact: Artefact, kernel_name: str, args: Sequence[DeviceArray]
) -> PreparedLaunch:
    """Check a launch and load its kernel. Raises LaunchError, ArtefactError or DeviceError."""
    kernel = artefact.kernel(kernel_name)
    check_target(device, artefact)
    check_arguments(kernel, args)
    check_limits(device.properties(), kernel)
    addresses = tuple(arg.address for arg in args)
    empty = prod(kernel.grid) == 0
    handle = None if empty else device.load(artefact, kernel_name)
    return PreparedLaunch(device, handle, addresses)


def check_target(device: Device, artefact: Artefact) -> None:
    """LaunchError unless the device runs code for the artefact's target."""
    found = device.properties()
    if not found.accepts(artefact.target, artefact.format):
        raise LaunchError(
            f"the artefact is {artefact.format} for {artefact.target}, device '{device.kind}' "
            f"is {found.arch} ({found.name}); compile with a fitting --target"
        )


def check_arguments(kernel: Kernel, args: Sequence[DeviceArray]) -> None:
    """LaunchError on a wrong number, dtype, shape, strides, base alignment, or on overlap.

    Code is generated for operands that do not overlap what the kernel writes.
    """
    if len(args) != len(kernel.args):
        names = ", ".join(arg.name for arg in kernel.args)
        raise LaunchError(
            f"kernel {kernel.name} takes {len(kernel.args)} arguments ({names}), got {len(args)}"
        )
    for index, (want, have) in enumerate(zip(kernel.args, args, strict=True)):
        _check_argument(f"kernel {kernel.name}, argument {index} ({want.name})", want, have)
    for (written, one), (other, two) in permutations(zip(kernel.args, args, strict=True), 2):
        if written.access != "read" and _overlap(one, two):
            raise LaunchError(
                f"kernel {kernel.name}: argument {written.name}, which is written, overlaps "
                f"{other.name}"
            )


def _check_argument(where: str, want: Arg, have: DeviceArray) -> None:
    for aspect in ("dtype", "shape", "strides"):
        expected, found = getattr(want, aspect), getattr(have, aspect)
        if aspect == "strides":
            expected, found = _that_matter(want.shape, expected), _that_matter(want.shape, found)
        if expected != found:
            shown = (getattr(want, aspect), getattr(have, aspect))
            raise LaunchError(f"{where}: {aspect} must be {shown[0]}, got {shown[1]}")
    if have.address % want.align:
        largest = have.address & -have.address
        raise LaunchError(
            f"{where}: base address {have.address:#x} is aligned to {largest} bytes, "
            f"the kernel relies on {want.align}"
        )


def _overlap(one: DeviceArray, two: DeviceArray) -> bool:
    return max(one.address, two.address) < min(one.end, two.end)


def _that_matter(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of extents above 1: no other stride is ever multiplied by anything but 0."""
    if 0 in shape:
        return ()
    return tuple(s for n, s in zip(shape, strides, strict=True) if n > 1)


def check_limits(found: DeviceProperties, kernel: Kernel) -> None:
    """LaunchError if grid, block, cluster or LDS exceed what the device can launch."""
    where = f"kernel {kernel.name}"
    for axis, count, most in zip("xyz", kernel.grid, _MOST_GRID, strict=True):
        if count > most:
            raise LaunchError(f"{where}: grid {axis} is {count:,}, the limit is {most:,}")
    threads = prod(kernel.block)
    if threads > found.max_threads:
        raise LaunchError(
            f"{where}: a workgroup of {threads:,} threads, "
            f"{found.arch} allows {found.max_threads:,}"
        )
    work_items = threads * prod(kernel.grid)
    if not found.arch.startswith("sm_") and work_items > _MOST_HIP_WORK_ITEMS:
        raise LaunchError(f"{where}: {work_items:,} work-items, HIP allows fewer than 2^32")
    _check_cluster(found, kernel)
    lds = kernel.lds_bytes + kernel.dynamic_lds_bytes
    if lds > found.lds_bytes:
        raise LaunchError(
            f"{where}: needs {lds:,} B of LDS, "
            f"{found.arch} allows {found.lds_bytes:,} B a workgroup"
        )


def _check_cluster(found: DeviceProperties, kernel: Kernel) -> None:
    """A cluster kernel runs clustered or not at all."""
    size = prod(kernel.cluster)
    if size > found.max_cluster:
        can = f"at most {found.max_cluster}" if found.max_cluster > 1 else "no clusters"
        raise LaunchError(
            f"kernel {kernel.name}: clusters of {size} workgroups, device {found.name} allows {can}"
        )
    for axis, count, part in zip("xyz", kernel.grid, kernel.cluster, strict=True):
        if count % part:
            raise LaunchError(
                f"kernel {kernel.name}: grid {axis} = {count} is no multiple of cluster {part}"
            )
