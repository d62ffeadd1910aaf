"""Happens-before: vector clocks of waves and barriers, and accesses with their completion.

Every wave has a component of the clock, and so has every slot of an mbarrier, whose time counts
completed phases. An access is ordered before a point of a wave if the wave's clock there has
reached the access's time in the access's component. Only waits and barriers move clocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from gemm_ladder.compiler.interp.values import Array

if TYPE_CHECKING:
    from gemm_ladder.compiler.interp.program import Op
    from gemm_ladder.compiler.interp.wave import Wave

# The time of an access that is still under way: no clock reaches it.
OPEN = 1 << 60

Clock: TypeAlias = Array
# Rows and columns of a tile, half open: (row, row end, col, col end).
Rect: TypeAlias = tuple[int, int, int, int]


@dataclass
class Access:
    """One wave's part of a read or write of LDS.

    ``engine`` says that it runs beside the wave. A ``generic`` write goes through the wave's own
    memory path and counts as ``fenced`` once a tile.fence has followed it.
    """

    op: Op
    wave: Wave
    component: int
    rect: Rect
    engine: bool = False
    time: int = OPEN
    fenced: bool = False

    @property
    def generic(self) -> bool:
        """Whether it takes the waves' path to memory, on which NVIDIA's cp.async is, too."""
        return not self.engine or self.op.attrs.get("engine") == "async"

    @property
    def by_proxy(self) -> bool:
        """Whether it takes the asynchronous proxy's path: TMA's, or that of a product in LDS."""
        return self.op.attrs.get("engine") == "tma" or self.op.name == "tile.mma"

    def before(self, clock: Clock) -> bool:
        """Whether the access is over for whoever has reached ``clock``."""
        return bool(self.time <= clock[self.component])

    def complete(self) -> None:
        """The wave itself knows that the access is over."""
        if self.time == OPEN:
            self.time = int(self.wave.clock[self.component])


@dataclass
class Write:
    """A write of one tile by ``expected`` waves (all of a workgroup, or one and an engine)."""

    op: Op
    ring: int
    slot: int
    rect: Rect
    expected: int
    parts: list[Access] = field(default_factory=list)
    replaced: tuple[Write, ...] = ()

    def before(self, clock: Clock) -> bool:
        """Whether all of it is over for whoever has reached ``clock``."""
        return len(self.parts) == self.expected and all(p.before(clock) for p in self.parts)

    def in_order(self, access: Access) -> bool:
        """Whether the wave of ``access`` made all of it by its own path, which keeps its order."""
        own = (p.wave is access.wave and not p.engine for p in self.parts)
        return not access.engine and self.expected == 1 and all(own)

    def culprit(self, clock: Clock) -> Access:
        """A part that is not over at ``clock``; the first part where only others are missing."""
        return next((p for p in self.parts if not p.before(clock)), self.parts[0])


def overlap(a: Rect, b: Rect) -> bool:
    """Whether two rectangles share an element."""
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def meeting(a: Rect, b: Rect) -> tuple[int, int]:
    """(row, col) of the first element in both."""
    return max(a[0], b[0]), max(a[2], b[2])
