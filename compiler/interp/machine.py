"""A batch of clusters that run in step: memory, barriers, waves, landing of copies."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

import numpy as np

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.barriers import HwBarrier, MBarrierSlot
from gemm_ladder.compiler.interp.clocks import Access, Write
from gemm_ladder.compiler.interp.findings import Findings
from gemm_ladder.compiler.interp.overlay import Overlay
from gemm_ladder.compiler.interp.program import Op, Program
from gemm_ladder.compiler.interp.shadow import Shadow, make_ring
from gemm_ladder.compiler.interp.values import Array, Index
from gemm_ladder.compiler.interp.wave import Wave
from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.runtime.errors import DeviceError

Dim3: TypeAlias = tuple[int, int, int]
# Who asked a peer for a tile: the wave, its mask, coordinates and extents.
Request: TypeAlias = tuple[Wave, int, tuple[Index, ...]]


@dataclass(frozen=True)
class Settings:
    """How to run: ``landing`` is late, early or random; ``exact`` takes one cluster at a time."""

    landing: str = "late"
    seed: int = 0
    exact: bool = False


@dataclass
class Argument:
    """A kernel argument: what the kernel sees in f32, where it has written, its element type."""

    values: Array
    written: Array
    dtype: np.dtype[Any]

    def round(self, values: Array) -> Array:
        """``values`` as they come back from memory."""
        if self.dtype == np.float32:
            return values
        rounded: Array = values.astype(self.dtype).astype(np.float32)
        return rounded


@dataclass(frozen=True)
class Geometry:
    """Waves of a workgroup, workgroups of the grid and of a cluster."""

    waves: int
    grid: Dim3
    block: Dim3
    cluster: Dim3

    def clusters(self) -> list[Dim3]:
        """Coordinates of every cluster; DeviceError if the grid is not whole clusters."""
        for extent, part in zip(self.grid, self.cluster, strict=True):
            if extent % part:
                raise DeviceError(f"a grid of {self.grid} is no multiple of cluster {self.cluster}")
        x, y, z = (g // c for g, c in zip(self.grid, self.cluster, strict=True))
        return [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]


@dataclass
class Transfer:
    """The data of one tile on its way: moved once, by the part that lands last (or first)."""

    expected: int
    move: Callable[[], None]
    eager: bool
    issued: int = 0
    parts: int = 0

    def land(self) -> None:
        """One part has landed."""
        self.parts += 1
        if self.parts == (1 if self.eager else self.expected):
            self.move()


@dataclass(frozen=True)
class BarrierCopy:
    """A copy into workgroup ``rank`` that a barrier there is told of."""

    op: Op
    wave: Wave
    rank: int
    access: Access


@dataclass
class Machine:
    """State of one batch. ``values`` of waves are indexed by the program's value ids."""

    program: Program
    target: Target
    geometry: Geometry
    arguments: list[Argument]
    settings: Settings
    clusters: list[Dim3]
    findings: Findings = field(default_factory=Findings)

    def __post_init__(self) -> None:
        """Lay out clock components: waves first, then slots of mbarriers."""
        self.batch = len(self.clusters)
        self.ranks = prod(self.geometry.cluster)
        self.rng = random.Random(f"{self.settings.seed} {self.settings.landing}")
        self.agents = self.ranks * self.geometry.waves
        creates = [op for op in self.program.ops if op.name == "tile.barrier_create"]
        slots = [op.result_types[0].slots for op in creates if op.attrs["kind"] == "mbarrier"]
        self.components = self.agents + self.ranks * sum(slots)
        self._next_component = self.agents
        self.shadows = [
            Shadow(r, self.findings, Overlay(self.target.lds_align)) for r in range(self.ranks)
        ]
        self.hw: dict[tuple[int, int], HwBarrier] = {}
        self.mbarriers: dict[tuple[int, int], list[MBarrierSlot]] = {}
        # Copies that several waves share, by op, workgroup and number of execution.
        self.writes: dict[tuple[int, int, int], Write] = {}
        self.transfers: dict[tuple[int, int, int], Transfer] = {}
        self.requests: dict[tuple[int, int], dict[int, Request]] = {}
        self.in_flight: list[Callable[[], None]] = []
        self.barrier_copies: list[BarrierCopy] = []
        # Arrivals at another workgroup's barrier: op, wave, that workgroup, the wave's time.
        self.remote: list[tuple[Op, Wave, int, int]] = []
        for op in self.program.ops:
            if op.name == "tile.alloc":
                self._alloc(op)
        for op in creates:
            self._create(op)
        self.waves = [
            self._wave(rank, number)
            for rank in range(self.ranks)
            for number in range(self.geometry.waves)
        ]

    def _alloc(self, op: Op) -> None:
        name, lds = op.names.of(op.handle.results[0]), op.result_types[0]
        for shadow in self.shadows:
            shadow.add(op.results[0], make_ring(name, lds, self.batch, op))

    def _create(self, op: Op) -> None:
        """One barrier a workgroup, or one for the cluster."""
        name, number = op.names.of(op.handle.results[0]), op.results[0]
        arrivals, cluster = int(op.attrs["arrivals"]), op.attrs["scope"] == "cluster"
        if arrivals < 1:
            self.findings.add(kinds.STUCK, op, None, f"{op}: {name} of {arrivals} arrivals")
        if op.attrs["kind"] == "hw":
            made = [
                HwBarrier(name, arrivals, cluster, self.findings, self.new_clock())
                for _ in range(1 if cluster else self.ranks)
            ]
            self.hw.update({(number, r): made[0 if cluster else r] for r in range(self.ranks)})
            return
        for rank in range(self.ranks):
            self.mbarriers[number, rank] = [
                self._slot(f"{name} slot {slot}", arrivals)
                for slot in range(op.result_types[0].slots)
            ]

    def _slot(self, name: str, arrivals: int) -> MBarrierSlot:
        self._next_component += 1
        clocks = self.new_clock(), self.new_clock()
        return MBarrierSlot(name, arrivals, self._next_component - 1, self.findings, *clocks)

    def new_clock(self) -> Array:
        """A clock that has seen nothing."""
        return np.zeros(self.components, np.int64)

    def land_one(self) -> None:
        """Let one copy arrive that nobody has to wait for in any order."""
        self.in_flight.pop(self.rng.randrange(len(self.in_flight)))()

    def floor(self) -> Array:
        """What every wave that still runs has seen: nothing that comes can conflict with it."""
        running = [wave.clock for wave in self.waves if not wave.ended]
        found: Array = np.minimum.reduce(running)
        return found

    def constant(self, values: Array) -> Array:
        """``values`` [rows, cols] for the whole batch."""
        return np.broadcast_to(values, (self.batch, *values.shape))

    def _wave(self, rank: int, number: int) -> Wave:
        agent = rank * self.geometry.waves + number
        clock = self.new_clock()
        clock[agent] = 1
        values: list[object] = [None] * self.program.values
        for arg, argument in zip(self.program.body.args, self.arguments, strict=True):
            values[arg] = argument
        return Wave(self, rank, number, agent, clock, values, self._places(rank, number))

    def _places(self, rank: int, number: int) -> dict[str, Index]:
        """Values of the ops that ask where a wave is, by op and dimension."""
        places: dict[str, Index] = {"gpu.subgroup_id": number}
        within = _unflatten(rank, self.geometry.cluster)
        for i, dim in enumerate("xyz"):
            cluster = np.array([c[i] for c in self.clusters], np.int64)
            size = self.geometry.cluster[i]
            places[f"gpu.block_id {dim}"] = _plain(cluster * size + within[i])
            places[f"gpu.cluster_id {dim}"] = _plain(cluster)
            places[f"gpu.cluster_block_id {dim}"] = within[i]
            places[f"gpu.cluster_dim_blocks {dim}"] = size
            places[f"gpu.grid_dim {dim}"] = self.geometry.grid[i]
            places[f"gpu.cluster_dim {dim}"] = self.geometry.grid[i] // size
            places[f"gpu.block_dim {dim}"] = self.geometry.block[i]
        places["gpu.num_subgroups"] = self.geometry.waves
        places["gpu.subgroup_size"] = self.target.wave_size
        return places


def _unflatten(rank: int, dims: Dim3) -> Dim3:
    return rank % dims[0], rank // dims[0] % dims[1], rank // (dims[0] * dims[1])


def _plain(values: Array) -> Index:
    """One integer where the batch agrees."""
    return int(values[0]) if bool((values == values[0]).all()) else values
