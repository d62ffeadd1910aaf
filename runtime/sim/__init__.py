"""A simulator of gfx1250 that executes the assembly LLVM emits."""

from __future__ import annotations

from .device import SimDevice
from .errors import SimError

__all__ = ["SimDevice", "SimError", "open_device"]


def open_device(option: str = "") -> SimDevice:
    """The simulator; `option` may name the architecture, gfx1250. SimError otherwise."""
    if option not in ("", "gfx1250"):
        raise SimError(f"unknown simulator option '{option}'; known: gfx1250")
    return SimDevice()
