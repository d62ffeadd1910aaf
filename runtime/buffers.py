"""Device arrays in an arena of NaN: what lies round an array, and between its rows, is guarded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .artefact import Arg
from .device import Device
from .dtypes import ELEMENT_TYPES, Array

_GUARD_ROWS = 256  # A workgroup's tile has at most this many rows beyond the array's edge.
_GUARD_LEAST, _GUARD_MOST = 4096, 1 << 20  # bytes on each side


@dataclass(frozen=True)
class DeviceArray:
    """What a launch is given for one argument. `strides` count elements."""

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def end(self) -> int:
        """The address behind the last element; the base of an empty array."""
        if 0 in self.shape:
            return self.address
        reach = sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))
        return self.address + (1 + reach) * ELEMENT_TYPES[self.dtype].size


class GuardedArray:
    """One argument's array on a device, its base aligned to exactly what the kernel relies on.

    The base is an *odd* multiple of the alignment: a kernel that assumes more fails its check.
    """

    def __init__(self, device: Device, arg: Arg) -> None:
        """Allocate for `arg`; contents are undefined until fill. Raises DeviceError."""
        self._device = device
        self.arg = arg
        self._type = ELEMENT_TYPES[arg.dtype]
        empty = 0 in arg.shape
        reach = sum((n - 1) * s for n, s in zip(arg.shape, arg.strides, strict=True))
        span = 0 if empty else (1 + reach) * self._type.size
        rows = _GUARD_ROWS * max(arg.strides, default=1) * self._type.size
        guard = _round_up(min(max(rows, _GUARD_LEAST), _GUARD_MOST), 256)
        align = max(arg.align, self._type.size)
        self._nbytes = _round_up(guard + 3 * align + span + guard, 256)
        self._arena = device.alloc(self._nbytes)
        self._base = _round_up(self._arena + guard, 2 * align) + align
        self._expected = np.empty(0, self._type.bits)

    @property
    def array(self) -> DeviceArray:
        """The argument to launch with."""
        return DeviceArray(self._base, self.arg.dtype, self.arg.shape, self.arg.strides)

    def fill(self, values: Array | None) -> None:
        """Write `values` (the argument's shape), or poison if None, and the guards round them."""
        image = np.full(self._nbytes // self._type.size, self._type.guard, self._type.bits)
        window = self._window(image)
        window[...] = self._type.poison if values is None else self._type.to_bits(values)
        self._expected = image
        self._device.write(self._arena, image.tobytes())

    def read(self) -> tuple[Array, str | None]:
        """(bit patterns of the array, None or one line on the first damage outside the array).

        For an argument that is only read, a change inside the array is damage too.
        """
        raw = self._device.read(self._arena, self._nbytes)
        found = np.frombuffer(raw, self._type.bits).copy()
        bits = self._window(found).copy()
        if self.arg.access != "read":
            self._window(found)[...] = self._window(self._expected)
        return bits, self._damage(found)

    def free(self) -> None:
        """Give the arena back to the device."""
        self._device.free(self._arena)

    def _window(self, image: Array) -> Array:
        """The array's elements inside an image of the arena (a writable view)."""
        first = (self._base - self._arena) // self._type.size
        strides = tuple(stride * self._type.size for stride in self.arg.strides)
        return np.lib.stride_tricks.as_strided(image[first:], self.arg.shape, strides)

    def _damage(self, found: Array) -> str | None:
        changed = np.flatnonzero(found != self._expected)
        if changed.size == 0:
            return None
        offset = int(changed[0]) * self._type.size - (self._base - self._arena)
        if self.arg.access == "read":
            what = "of a read-only argument or its surroundings"
        else:
            what = "outside the array"
        return (
            f"{self.arg.name}: {changed.size} elements {what} were overwritten, "
            f"the first at byte {offset:+d} from the base"
        )


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
