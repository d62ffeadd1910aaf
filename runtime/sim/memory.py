"""Global memory, LDS and scratch as flat byte arrays with checked, vectorised access.

Every access is a gather or scatter of `size` bytes an active lane; the data travels as dwords
[..., ceil(size / 4)]. Faults come back as (lane position, reason) so that the caller can name
instruction and wave.
"""

from __future__ import annotations

import bisect
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import SimError

Array = npt.NDArray[Any]

HEAP_BASE = 0x7F40_0000_0000
REDZONE = 4096


class MemoryAccessError(Exception):
    """An access that may not happen: index of the first bad access, its address, the reason."""

    def __init__(self, index: int, address: int, reason: str) -> None:
        super().__init__(reason)
        self.index = index
        self.address = address
        self.reason = reason


class ByteArray:
    """Bytes with gathers and scatters at byte offsets; the widest common unit is used."""

    def __init__(self, nbytes: int) -> None:
        self.raw: Array = np.empty(-(-nbytes // 16) * 16, dtype=np.uint8)
        self.poison(0, len(self.raw))

    def poison(self, start: int, stop: int) -> None:
        """Fill [start, stop) (16-byte aligned) with a pattern that is NaN in every format."""
        self.raw[start:stop].view(np.uint16)[:] = 0x7FFF

    def gather(self, offsets: Array, size: int) -> Array:
        """Bytes at `offsets` [n] as dwords [n, ceil(size/4)], zero extended below 4 bytes."""
        unit, view, base, steps = self._unit(offsets, size)
        if unit == 16:
            # complex128 is numpy's only 16-byte item; moves of it copy bits.
            wide: Array = self.raw.view(np.complex128).take(base)
            return wide.view(np.uint32).reshape(-1, 4)
        parts = view[base[:, None] + steps]
        return _pack(parts, size)

    def scatter(self, offsets: Array, size: int, data: Array) -> None:
        """Write `size` bytes of each row of `data` [n, ceil(size/4)]; later rows win."""
        unit, view, base, steps = self._unit(offsets, size)
        if unit == 16:
            rows = np.ascontiguousarray(data).view(np.complex128)
            self.raw.view(np.complex128)[base] = rows[:, 0]
            return
        parts = np.ascontiguousarray(data).view(view.dtype)[:, : len(steps)]
        view[base[:, None] + steps] = parts

    def _unit(self, offsets: Array, size: int) -> tuple[int, Array, Array, Array]:
        low = (int(np.bitwise_or.reduce(offsets)) | size) & 15
        unit = 16 if low == 0 and size == 16 else min(low & -low or 4, 4)
        kind = {16: np.uint32, 4: np.uint32, 2: np.uint16, 1: np.uint8}[unit]
        shift = unit.bit_length() - 1
        return unit, self.raw.view(kind), offsets >> shift, np.arange(size // unit)


def _pack(parts: Array, size: int) -> Array:
    if parts.dtype == np.uint32:
        return parts
    dwords = -(-size // 4)
    padded = np.zeros((len(parts), dwords * 4), dtype=np.uint8)
    padded[:, :size] = np.ascontiguousarray(parts).view(np.uint8)
    return padded.view(np.uint32)


class GlobalMemory:
    """Device memory: allocations with redzones around them in one growing heap.

    Addresses are 64-bit from HEAP_BASE up and are never given out twice, so a stale pointer
    always faults.
    """

    def __init__(self) -> None:
        self.bytes = ByteArray(1 << 20)
        self.base = HEAP_BASE
        self.top = REDZONE
        self.starts: list[int] = []
        self.sizes: dict[int, int] = {}

    def alloc(self, nbytes: int) -> int:
        """Address of `nbytes` poisoned bytes, 256-byte aligned. Raises SimError below 1 byte."""
        if nbytes < 1:
            raise SimError(f"cannot allocate {nbytes} bytes")
        start = -(-self.top // 256) * 256
        stop = start + nbytes + REDZONE
        self._grow(stop)
        self.top = stop
        self.starts.append(start)
        self.sizes[start] = nbytes
        return self.base + start

    def _grow(self, stop: int) -> None:
        have = len(self.bytes.raw)
        if stop > have:
            bigger = ByteArray(max(stop, have * 2))
            bigger.raw[:have] = self.bytes.raw
            self.bytes = bigger

    def free(self, addr: int) -> None:
        """Forget an allocation; raises SimError if `addr` does not start one."""
        start = addr - self.base
        if start not in self.sizes:
            raise SimError(f"free of {addr:#x}, which is no allocation")
        del self.sizes[start]
        self.starts.remove(start)
        if not self.starts:
            # The heap starts over, at addresses nobody has seen.
            self.bytes.poison(0, len(self.bytes.raw))
            self.base += -(-self.top // 4096) * 4096
            self.top = REDZONE

    def span(self, addr: int, nbytes: int) -> slice:
        """Heap slice of a host access; raises SimError unless it lies in one allocation."""
        offset = addr - self.base
        home = self._home(offset)
        if home is None or offset + nbytes > home[1]:
            raise SimError(f"host access to {nbytes} bytes at {addr:#x} is outside any allocation")
        return slice(offset, offset + nbytes)

    def _home(self, offset: int) -> tuple[int, int] | None:
        index = bisect.bisect_right(self.starts, offset) - 1
        if index < 0:
            return None
        start = self.starts[index]
        stop = start + self.sizes[start]
        return (start, stop) if offset < stop else None

    def locate(self, addresses: Array, size: int) -> Array:
        """Heap offsets of accesses [n] of `size` bytes at 64-bit `addresses`.

        Raises MemoryAccessError for one outside every allocation, or at an odd address (wider
        than a byte). Wider alignment is not asked for: LLVM emits 16-byte accesses at any alignment
        for amdhsa (FeatureUnalignedAccessMode).
        """
        offsets = self.inside(addresses.view(np.int64), size)
        if size > 1 and (offsets & 1).any():
            index = int(np.argmax(offsets & 1))
            raise MemoryAccessError(index, int(addresses[index]), "misaligned global access")
        return offsets

    def inside(self, addresses: Array, size: int) -> Array:
        """Like locate for signed addresses, at any alignment."""
        offsets: Array = addresses - self.base
        low, high = int(offsets.min()), int(offsets.max()) + size
        home = self._home(low)
        if home is None or high > home[1]:
            self._check_each(offsets, size)
        return offsets

    def _check_each(self, offsets: Array, size: int) -> None:
        starts = np.array(self.starts, dtype=np.int64)
        stops = np.array([s + self.sizes[s] for s in self.starts], dtype=np.int64)
        where = np.searchsorted(starts, offsets, side="right") - 1
        bad = where < 0
        if len(starts):
            bad |= offsets + size > stops[np.maximum(where, 0)]
        if bad.any():
            index = int(np.argmax(bad))
            address = int(offsets[index]) + self.base
            reason = f"global access of {size} bytes outside every allocation"
            raise MemoryAccessError(index, address & (2**64 - 1), reason)


class LdsMemory:
    """LDS of every workgroup in a chunk, `nbytes` each."""

    def __init__(self, groups: int, nbytes: int) -> None:
        self.nbytes = nbytes
        self.stride = -(-nbytes // 16) * 16
        self.bytes = ByteArray(max(16, groups * self.stride))

    def locate(self, addresses: Array, groups: Array, size: int) -> Array:
        """Array offsets of accesses at LDS byte `addresses` [n] by workgroups `groups` [n].

        Raises MemoryAccessError outside the workgroup's allocation or off natural alignment (4 for
        12-byte accesses): unaligned LDS access works but costs bank conflicts, so our kernels
        promise never to do it.
        """
        align = 4 if size == 12 else size
        wide = addresses.astype(np.int64)
        bad = wide + size > self.nbytes
        if bad.any():
            index = int(np.argmax(bad))
            reason = f"LDS access of {size} bytes outside the workgroup's {self.nbytes} bytes"
            raise MemoryAccessError(index, int(wide[index]), reason)
        off = (wide & (align - 1)) != 0
        if off.any():
            index = int(np.argmax(off))
            raise MemoryAccessError(index, int(wide[index]), f"LDS access not {align}-byte aligned")
        return np.asarray(wide + groups * self.stride)


class ScratchMemory:
    """Private memory: `nbytes` for each of `lanes` work-items, laid out item by item."""

    def __init__(self, lanes: int, nbytes: int) -> None:
        self.nbytes = nbytes
        self.stride = -(-nbytes // 16) * 16
        self.bytes = ByteArray(max(16, lanes * self.stride))

    def locate(self, offsets: Array, lanes: Array, size: int) -> Array:
        """Array offsets of accesses at scratch byte `offsets` [n] of work-items `lanes` [n]."""
        bad = (offsets < 0) | (offsets + size > self.nbytes)
        if bad.any():
            index = int(np.argmax(bad))
            reason = f"scratch access of {size} bytes outside the lane's {self.nbytes} bytes"
            raise MemoryAccessError(index, int(offsets[index]), reason)
        return np.asarray(offsets + lanes * self.stride)
