"""Every device by name: those of the runtime, and the interpreter, which needs MLIR."""

from __future__ import annotations

from gemm_ladder.runtime.device import KINDS as RUNTIME_KINDS
from gemm_ladder.runtime.device import Device, DeviceStatus, device_statuses
from gemm_ladder.runtime.device import open_device as open_runtime_device

INTERP = "interp"
_ABOUT = "interpreter of tile IR, no GPU needed; interp:random,seed=3"
KINDS = (INTERP, *RUNTIME_KINDS)


def open_device(spec: str) -> Device:
    """Open `kind` or `kind:option`; DeviceError says what is missing."""
    kind, _, option = spec.partition(":")
    if kind != INTERP:
        return open_runtime_device(spec)
    from gemm_ladder.compiler.interp.device import open_device as open_interp

    return open_interp(option)


def statuses() -> list[DeviceStatus]:
    """Every known kind, whether one can be opened now, and its name or the cause."""
    return [DeviceStatus(INTERP, True, _ABOUT), *device_statuses()]
