"""Device memory of the interpreter: NaN-filled allocations at addresses that are never reused."""

from __future__ import annotations

import bisect

import numpy as np

from gemm_ladder.compiler.interp.values import Array
from gemm_ladder.runtime.errors import DeviceError

_FIRST = 0x1000_0000
_ALIGN = 256


class Heap:
    """Allocations by start address."""

    def __init__(self) -> None:
        self._top = _FIRST
        self._starts: list[int] = []
        self._blocks: dict[int, Array] = {}

    def alloc(self, nbytes: int) -> int:
        """Address of ``nbytes`` bytes, 256-byte aligned; DeviceError below one byte."""
        if nbytes < 1:
            raise DeviceError(f"cannot allocate {nbytes} bytes")
        start = self._top
        self._top += -(-nbytes // _ALIGN + 1) * _ALIGN
        self._starts.append(start)
        # 0x7fff is a NaN as bf16, f16 and, twice, as f32.
        self._blocks[start] = np.full(-(-nbytes // 2), 0x7FFF, np.uint16).view(np.uint8)[:nbytes]
        return start

    def free(self, address: int) -> None:
        """Release an allocation; DeviceError if ``address`` does not start one."""
        if self._blocks.pop(address, None) is None:
            raise DeviceError(f"free of {address:#x}, which is no allocation")
        self._starts.remove(address)

    def bytes_at(self, address: int, nbytes: int) -> Array:
        """The bytes themselves; DeviceError outside an allocation."""
        number = bisect.bisect_right(self._starts, address) - 1
        if number >= 0:
            start = self._starts[number]
            block = self._blocks[start]
            if address - start + nbytes <= len(block):
                return block[address - start : address - start + nbytes]
        raise DeviceError(f"{nbytes} bytes at {address:#x} are not allocated")
