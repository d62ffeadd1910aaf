"""A wave: its place, its clock, its values, and its operations in flight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from gemm_ladder.compiler.interp.clocks import OPEN, Access, Clock
from gemm_ladder.compiler.interp.values import Array, Index

if TYPE_CHECKING:
    from gemm_ladder.compiler.interp.machine import Machine
    from gemm_ladder.compiler.interp.program import Op

Steps: TypeAlias = Iterator[None]
_PRUNE = 64


@dataclass
class Fragment:
    """A wave-wide matrix ``data`` [batch, rows, cols] in f32, and the reads that bring it."""

    data: Array
    reads: tuple[Access, ...] = ()


@dataclass
class Flight:
    """A tile op of a wave that waits count: ``kinds`` are those of tile.wait that wait for it."""

    kinds: tuple[str, ...]
    op: Op
    accesses: tuple[Access, ...]
    land: Callable[[], None] | None = None
    over: bool = False

    def arrive(self) -> None:
        """Bring the data, if it is not there yet; nobody knows of it."""
        if self.land is not None:
            self.land()
            self.land = None

    def finish(self) -> None:
        """Bring the data, and let the wave know that it is there."""
        self.arrive()
        for access in self.accesses:
            access.complete()
        self.over = True

    @property
    def open(self) -> bool:
        """Whether the wave does not know yet that the op is over."""
        return not self.over and (
            not self.accesses or any(access.time == OPEN for access in self.accesses)
        )


@dataclass
class Blocked:
    """What a wave waits for: ``ready`` says whether it may go on, ``state`` how far that is."""

    op: Op
    ready: Callable[[], bool]
    state: Callable[[], str]


@dataclass(eq=False)
class Wave:
    """Wave ``number`` of workgroup ``rank`` of a cluster; ``agent`` is its component of clocks."""

    machine: Machine
    rank: int
    number: int
    agent: int
    clock: Clock
    values: list[Any]
    places: dict[str, Index]
    flights: list[Flight] = field(default_factory=list)
    # Own writes to LDS since the last tile.fence.
    written: list[Access] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)
    blocked: Blocked | None = None
    ended: bool = False
    steps: Steps = field(default_factory=lambda: iter(()))

    def tick(self) -> None:
        """What follows is not covered by what this wave has released so far."""
        self.clock[self.agent] += 1

    def count(self, op: Op) -> int:
        """How often this wave has executed ``op`` before."""
        number = self.counts.get(op.uid, 0)
        self.counts[op.uid] = number + 1
        return number

    def launch(self, flight: Flight) -> None:
        """Remember an operation that runs on."""
        if len(self.flights) > _PRUNE:
            self.flights = [f for f in self.flights if f.open]
        self.flights.append(flight)

    def wait(self, kind: str, pending: int) -> None:
        """Finish the oldest operations of ``kind`` until at most ``pending`` are in flight."""
        found = [f for f in self.flights if kind in f.kinds and f.open]
        for flight in found[: max(0, len(found) - pending)]:
            flight.finish()
        self.flights = [f for f in self.flights if f.open]

    def use(self, value: Fragment) -> Array:
        """The data of a fragment; whoever uses it has waited for the reads that bring it."""
        for access in value.reads:
            access.complete()
        return value.data

    def __str__(self) -> str:
        if self.machine.ranks == 1:
            return f"wave {self.number}"
        return f"wave {self.number} of workgroup {self.rank}"
