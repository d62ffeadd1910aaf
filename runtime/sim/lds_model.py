"""What LDS accesses cost: banks within a request, partitions between requests (CDNA5).

LDS has 64 banks of 4 bytes, and serves a ds_load_b128 in groups of 16 lanes, one bank row each:
two clocks a wave (AMD, "A Deep Dive into LDS Optimizations on MI450"; ds_load_tr16_b128 reads as
ds_load_b128 does and redistributes behind the banks). Requests of different SIMD pairs to one
64 KiB partition in one clock serialise (the same source). How narrower accesses and stores are
grouped is not published; 256 bytes a clock is assumed for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .asm import Line
from .lds_trace import Fill, LdsTrace
from .state import LANES, Array

BANKS = 64
PARTITION = 65536


@dataclass(frozen=True)
class Conflict:
    """An instruction that banks slow down: clocks of its worst wave, and without conflicts."""

    line: Line
    clocks: int
    free: int
    wave: tuple[int, int]

    def __str__(self) -> str:
        return (
            f"line {self.line.number}: `{self.line.text}`: {self.clocks} clocks instead of "
            f"{self.free}, workgroup {self.wave[0]} wave {self.wave[1]}"
        )


def bank_clocks(addresses: Array, size: int) -> Array:
    """Clocks [n] of accesses of `size` bytes at LDS bytes `addresses` [n, 32]; -1 is no lane.

    A group's clocks are the most distinct dwords that any bank has to give.
    """
    lanes = min(LANES, BANKS * 4 // size)
    dwords = max(1, size // 4)
    groups = addresses.reshape(-1, lanes)
    wanted = (groups // 4)[:, :, None] + np.arange(dwords)
    wanted = np.where(groups[:, :, None] < 0, -1, wanted).reshape(len(groups), -1)
    wanted.sort(axis=1)
    new = np.ones(wanted.shape, dtype=bool)
    new[:, 1:] = wanted[:, 1:] != wanted[:, :-1]
    new &= wanted >= 0
    rows = np.nonzero(new)[0]
    load = np.bincount(rows * BANKS + wanted[new] % BANKS, minlength=len(groups) * BANKS)
    clocks = load.reshape(len(groups), BANKS).max(axis=1)
    return np.asarray(clocks.reshape(len(addresses), -1).sum(axis=1))


def free_clocks(size: int) -> int:
    """Clocks of an access of all lanes without a conflict."""
    return max(1, LANES * size // (BANKS * 4))


def conflicts(
    trace: LdsTrace, names: Iterable[str] = ("ds_load_b128", "ds_load_tr16_b128")
) -> list[Conflict]:
    """Instructions of `names` that conflict in their worst wave, by line."""
    wanted, worst = set(names), dict[int, Conflict]()
    for access in trace.accesses:
        if access.line.mnemonic not in wanted:
            continue
        clocks, free = bank_clocks(access.addresses, access.size), free_clocks(access.size)
        at = int(np.argmax(clocks))
        known = worst.get(access.line.number)
        if clocks[at] > free and (known is None or clocks[at] > known.clocks):
            wave = (int(access.waves[at, 0]), int(access.waves[at, 1]))
            worst[access.line.number] = Conflict(access.line, int(clocks[at]), free, wave)
    return [worst[number] for number in sorted(worst)]


def partitions(fills: Iterable[Fill]) -> set[int]:
    """Numbers of the 64 KiB partitions that `fills` write."""
    return {
        number
        for fill in fills
        for number in range(fill.first // PARTITION, (fill.last - 1) // PARTITION + 1)
    }
