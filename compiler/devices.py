"""Every device by name: those of the runtime, and the interpreter, which needs MLIR."""

from __future__ import annotations

from gemm_ladder.compiler.errors import UsageError
from gemm_ladder.compiler.targets import target_names, target_of_arch
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


def target_for(device: Device, wanted: str | None = None) -> str:
    """The target whose code ``device`` runs; UsageError if there is none, or not ``wanted``."""
    found = device.properties()
    target = target_of_arch(found.arch)
    if target is None:
        known = ", ".join(target_names())
        raise UsageError(
            f"error: {found.name} is {found.arch}, and there is no target for it: {known}"
        )
    if wanted not in (None, target):
        raise UsageError(
            f"error: {found.name} runs {target} code, not {wanted}; name another --device "
            f"({INTERP} runs the tile IR of any target)"
        )
    return target
