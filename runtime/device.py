"""The one interface all devices satisfy, and how a device is opened by name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from .errors import DeviceError, DeviceNameError, RuntimeFault

if TYPE_CHECKING:
    from .artefact import Artefact

__all__ = [
    "KINDS",
    "Device",
    "DeviceError",
    "DeviceProperties",
    "DeviceStatus",
    "LaunchResult",
    "device_statuses",
    "open_device",
]

# kind -> (module below this package, what one device of the kind is). The module is imported only
# when a device is opened; it offers open_device(option), the option being what follows the colon.
KINDS: dict[str, tuple[str, str]] = {
    "sim": ("sim", "simulator of gfx1250, no GPU needed"),
    "cuda": ("cuda", "NVIDIA GPU through cuda-bindings (extra `cuda`)"),
    "hip": ("hip", "AMD GPU through hip-python (extra `hip`)"),
}


@dataclass(frozen=True)
class DeviceProperties:
    """What a launch must respect. Sizes in bytes; `arch` is a target's name such as sm_90.

    `lds_bytes` is the most one workgroup may use, opt-in included; `max_cluster` the most
    workgroups in a cluster (1: no clusters); `max_threads` the most threads in a workgroup.
    """

    name: str
    arch: str
    wave_size: int
    lds_bytes: int
    detail: Mapping[str, object] = field(default_factory=dict)
    max_cluster: int = 1
    max_threads: int = 1024

    def accepts(self, target: str, format: str = "") -> bool:
        """Whether code for `target` runs here.

        AMD: same processor, feature suffixes such as `:xnack-` aside. NVIDIA (CUDA programming
        guide, compute capabilities): `sm_90a` only on 9.0; plain `sm_80` as cubin on 8.x with x at
        least 0, as ptx on anything newer; `sm_100f` within its major version. Tile IR is no code.
        """
        if format == "tile":
            return False
        if not self.arch.startswith("sm_"):
            return target.split(":")[0] == self.arch.split(":")[0]
        wanted, have = _capability(target), _capability(self.arch)
        if wanted is None or have is None:
            return False
        (major, minor, suffix), (own_major, own_minor, _) = wanted, have
        if suffix == "a":
            return (major, minor) == (own_major, own_minor)
        if format == "ptx" and suffix == "":
            return (own_major, own_minor) >= (major, minor)
        return major == own_major and own_minor >= minor


def _capability(arch: str) -> tuple[int, int, str] | None:
    """(major, minor, suffix) of an NVIDIA name: sm_90a -> (9, 0, "a"), sm_120 -> (12, 0, "")."""
    found = re.fullmatch(r"sm_(\d+)(\d)([af]?)", arch)
    return (int(found[1]), int(found[2]), found[3]) if found else None


@dataclass(frozen=True)
class LaunchResult:
    """Outcome of one completed launch: device time in seconds and findings, one line each.

    A note that starts with "info:" is information; any other is a defect and fails a check.
    `findings` are the defects again, field by field, from a device that has them so.
    """

    seconds: float
    notes: tuple[str, ...] = ()
    findings: tuple[dict[str, object], ...] = ()


class Device(Protocol):
    """Memory, code and launches of one device. Addresses and handles are plain integers."""

    kind: str

    def properties(self) -> DeviceProperties:
        """Name, architecture and limits; constant for the device's life."""

    def alloc(self, nbytes: int) -> int:
        """Address of `nbytes` (at least 1) fresh bytes, 256-byte aligned or better."""

    def free(self, addr: int) -> None:
        """Release an address that alloc returned."""

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Copy host bytes to device memory at `addr`; returns when done."""

    def read(self, addr: int, nbytes: int) -> bytes:
        """Copy `nbytes` of device memory at `addr` to the host."""

    def load(self, artefact: Artefact, kernel_name: str) -> int:
        """Handle of one kernel of the artefact, ready to launch."""

    def unload(self, handle: int) -> None:
        """Release a handle that load returned; code goes with the last handle of its artefact."""

    def launch(self, handle: int, args: Sequence[int]) -> LaunchResult:
        """Run with 64-bit global pointers as arguments; returns after the kernel completed."""


@dataclass(frozen=True)
class DeviceStatus:
    """One line of `ladder devices`: `reason` says what is there, or why nothing is."""

    kind: str
    available: bool
    reason: str


def open_device(spec: str) -> Device:
    """Open `kind` or `kind:option`: sim, cuda, cuda:1, hip.

    DeviceError says what is missing, DeviceNameError what does not exist.
    """
    kind, _, option = spec.partition(":")
    if kind not in KINDS:
        raise DeviceNameError(f"unknown device '{kind}'; known: {', '.join(KINDS)}")
    try:
        module: Any = importlib.import_module(f".{KINDS[kind][0]}", __package__)
    except ImportError as error:
        raise DeviceError(f"device '{kind}' cannot be loaded: {error}") from error
    return cast(Device, module.open_device(option))


def device_statuses() -> list[DeviceStatus]:
    """Every known kind, whether one can be opened now, and its name or the cause."""
    return [_status(kind, about) for kind, (_, about) in KINDS.items()]


def _status(kind: str, about: str) -> DeviceStatus:
    try:
        found = open_device(kind).properties()
    except RuntimeFault as fault:
        return DeviceStatus(kind, False, str(fault))
    return DeviceStatus(kind, True, f"{found.name} ({found.arch}): {about}")
