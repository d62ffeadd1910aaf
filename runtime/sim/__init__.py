"""A simulator of gfx1250 that executes the assembly LLVM emits."""

from __future__ import annotations

from .device import SimDevice
from .errors import SimError
from .findings import Finding
from .pending import Options

__all__ = ["Finding", "Options", "SimDevice", "SimError", "open_device"]


def open_device(option: str = "") -> SimDevice:
    """The simulator: late, early or random, then seed=N, separated by commas; else DeviceNameError.

    "no-check" as one of the words turns the checks off.
    """
    words = option.split(",")
    check = "no-check" not in words
    return SimDevice(Options.parse(",".join(w for w in words if w != "no-check"), check))
