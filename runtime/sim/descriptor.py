"""The TDM's descriptor: bits to fields (CDNA5 ISA 10.11, rocm-systems rocjitsu tensor_dma.h).

Dimension 0 is the innermost and contiguous one. Dims and strides count elements, padding dwords.
Tensor dims are what is left of the tensor from the tile's start: bounds are measured there.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Descriptor:
    """One request. `tile`, `tensor` have up to 5 dims, `strides` that of dims 1 and up.

    `pad` is (interval, amount) in dwords, None without padding; `unsupported` names a field that
    the simulator does not model, "" if there is none.
    """

    active: bool
    lds: int
    address: int
    mask: int
    element: int
    tile: tuple[int, ...]
    tensor: tuple[int, ...]
    strides: tuple[int, ...]
    pad: tuple[int, int] | None
    unsupported: str = ""

    @property
    def key(self) -> tuple[int, ...]:
        """What two requests must have in common to be one multicast."""
        return (self.address, self.element, *self.tile, *self.tensor, *self.strides)

    def rows(self) -> tuple[Array, Array]:
        """Start of each row of dimension 0, in elements from the tile's start, and if it is inside.

        Rows come in the order in which they lie in LDS.
        """
        starts = np.zeros(1, dtype=np.int64)
        inside = np.ones(1, dtype=bool)
        for extent, limit, stride in zip(self.tile[1:], self.tensor[1:], self.strides, strict=True):
            steps = np.arange(extent, dtype=np.int64)
            starts = (steps[:, None] * stride + starts).reshape(-1)
            inside = ((steps < limit)[:, None] & inside).reshape(-1)
        return starts, inside

    @property
    def columns(self) -> int:
        """Elements of a row that are inside the tensor; 0 if any of its dims is empty."""
        return 0 if 0 in self.tensor else min(self.tile[0], self.tensor[0])


def _field(words: Sequence[int], start: int, width: int) -> int:
    value = 0
    for index, word in enumerate(words):
        value |= int(word) << (32 * index)
    return (value >> start) & ((1 << width) - 1)


def parse(groups: Sequence[Sequence[int]]) -> Descriptor:
    """Fields of the four groups of 4, 8, 4 and 4 dwords."""
    g0, g1, g2, g3 = groups
    tile = (
        _field(g1, 112, 16), _field(g1, 128, 16), _field(g1, 144, 16), _field(g2, 112, 16),
        _field(g3, 80, 16),
    )  # fmt: skip
    rank = max((d + 1 for d, extent in enumerate(tile) if extent), default=0)
    tensor = (
        _field(g1, 48, 32), _field(g1, 80, 32), _field(g2, 0, 32), _field(g2, 32, 32),
        _field(g3, 48, 32),
    )  # fmt: skip
    strides = (
        _field(g1, 160, 48), _field(g1, 208, 48), _field(g2, 64, 48), _field(g3, 0, 48),
    )  # fmt: skip
    pad = None
    if _field(g1, 20, 1):
        pad = (2 << _field(g1, 22, 3), _field(g1, 25, 7) + 1)
    return Descriptor(
        active=bool(g0[0] & 3) and tile[0] != 0, lds=int(g0[1]), address=_field(g0, 64, 57),
        mask=_field(g1, 0, 16), element=1 << _field(g1, 16, 2), tile=tile[:rank],
        tensor=tensor[:rank], strides=strides[: max(rank - 1, 0)], pad=pad,
        unsupported=_unsupported(g0, g1, tile[:rank]),
    )  # fmt: skip


def _unsupported(g0: Sequence[int], g1: Sequence[int], tile: tuple[int, ...]) -> str:
    if not g0[0] & 3:
        return ""
    if g0[0] & 3 != 1:
        return f"count {g0[0] & 3} (1 is a request, 0 none)"
    if g0[0] & 0x7FC:
        return "a restore field"
    if g0[0] >> 30:
        return "gather mode"
    if _field(g0, 126, 2) != 2:
        return f"type {_field(g0, 126, 2)} (a tensor descriptor has type 2)"
    if _field(g1, 18, 1):
        return "an atomic barrier"
    if _field(g1, 19, 1):
        return "iteration"
    return "a tile with an extent of 0 below its rank" if 0 in tile[1:] else ""


@functools.lru_cache(maxsize=64)
def lds_dwords(count: int, pad: tuple[int, int] | None) -> Array:
    """Dword offsets in LDS of a packed stream of `count` dwords; padding leaves holes."""
    packed = np.arange(count, dtype=np.int64)
    if pad is None:
        return packed
    return packed + packed // pad[0] * pad[1]
