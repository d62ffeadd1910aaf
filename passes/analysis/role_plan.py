"""What a loop that fills and reads LDS rings gives to a producer and to its consumers."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierCreateOp,
    CopyAsyncOp,
    CopyLike,
    CopyOp,
    TileOp,
)
from gemm_ladder.dialect_defs.types import LdsType, element_bytes
from gemm_ladder.passes.analysis.index_values import IndexValues, trip_count
from gemm_ladder.passes.analysis.kernel import Kernel, ancestors, constant, defining, ops_named
from gemm_ladder.passes.analysis.staged_loop import StagedLoop, find_staged_loops, slots_read
from gemm_ladder.passes.base import PassError


@dataclass(frozen=True)
class Fill:
    """A copy into a ring, and how many iterations ahead of its readers the loop makes it."""

    copy: CopyLike
    distance: int

    @property
    def by_tma(self) -> bool:
        """Whether an engine moves the whole tile and completes a barrier."""
        return _is_async(self.copy) and self.copy.str_attr("engine") == "tma"

    @property
    def completes(self) -> ir.Value | None:
        """The barrier that the copy's end is told to."""
        found = CopyAsyncOp(self.copy.operation).completes if _is_async(self.copy) else None
        return None if found is None else found[0]

    @property
    def multicast(self) -> ir.Value | None:
        """The mask of workgroups that it fills, or None."""
        return CopyAsyncOp(self.copy.operation).multicast if _is_async(self.copy) else None

    @property
    def predicate(self) -> ir.Value | None:
        """What it depends on, or None."""
        make = CopyAsyncOp if _is_async(self.copy) else CopyOp
        return make(self.copy.operation).predicate


def _is_async(copy: CopyLike) -> bool:
    return bool(copy.operation.name == "tile.copy_async")


@dataclass(frozen=True)
class RolePlan:
    """A loop whose fills and reads can go apart.

    Iteration i of ``trips`` reads stage i mod ``stages``; ``fills`` are the loop's.
    ``full`` is the mbarrier that engines complete, ``empty`` the one that hands stages back,
    ``peers`` the workgroups it tells; None where there is none yet. ``slots`` are the carried
    values that count the stage.
    """

    staged: StagedLoop
    stages: int
    trips: int
    values: IndexValues
    fills: tuple[Fill, ...]
    full: BarrierCreateOp | None
    empty: BarrierCreateOp | None
    peers: ir.Value | None
    slots: tuple[ir.Value, ...]

    @property
    def one_wave(self) -> bool:
        """Whether one wave can do all that the producer has to do."""
        return all(fill.by_tma for fill in self.fills)

    def tx_bytes(self) -> int:
        """Bytes that engines bring into this workgroup's LDS in one stage."""
        stated = [op.int_attr("tx_bytes") for op in _arrivals(self.staged, self.full)]
        if sum(stated):
            return sum(stated)
        return sum(_tile_bytes(fill.copy) for fill in self.fills if fill.by_tma)


def find_plan(kernel: Kernel) -> RolePlan:
    """The plan of ``kernel``'s only loop over stages; raises PassError where roles cannot part."""
    if tagged := next((op for op in _ifs(kernel) if "tile.role" in op.attributes), None):
        raise PassError(tagged, "the kernel has roles already")
    loops = find_staged_loops(kernel)
    if len(loops) != 1:
        what = "found no loop that fills" if not loops else "found several loops that fill"
        raise PassError(kernel.func, f"{what} LDS rings and reads them; run multi-buffer first")
    staged = loops[0]
    if staged.loop.block != kernel.body:
        raise PassError(staged.loop, "the loop is nested: roles part at the kernel's top level")
    return _plan(staged)


def _ifs(kernel: Kernel) -> list[ir.Operation]:
    return ops_named(kernel.body, "scf.if")


def _plan(staged: StagedLoop) -> RolePlan:
    trips = trip_count(staged.loop)
    if trips is None:
        raise PassError(staged.loop, "the loop's bounds are not constants")
    most = max(ring.lds.stages for ring in staged.rings)
    values = IndexValues(staged.loop, 2 * most + 3)
    stages, slots = _counted(staged, values, most)
    fills = tuple(Fill(fill, _distance(fill, values, stages)) for fill in staged.fills)
    full, empty = _barriers(staged, fills)
    peers = _peers(staged, empty)
    plan = RolePlan(staged, stages, trips, values, fills, full, empty, peers, slots)
    _check_reads(plan)
    for fill in fills:
        _check_conditions(plan, fill)
    return plan


def _counted(
    staged: StagedLoop, values: IndexValues, most: int
) -> tuple[int, tuple[ir.Value, ...]]:
    """How many stages the loop goes round, and the carried values that count them from 0."""
    for stages in range(most, 1, -1):
        wanted = tuple(i % stages for i in range(values.count))
        carried = list(staged.body.arguments)[1:]
        found = tuple(v for v in carried if values.of(v) == wanted)
        if found:
            return stages, found
    raise PassError(
        staged.loop, "the loop does not go round two or more stages; run multi-buffer first"
    )


def _distance(fill: CopyLike, values: IndexValues, stages: int) -> int:
    """How many iterations ahead ``fill`` works, from its slot."""
    todo = [fill.slot]
    while todo:
        value = todo.pop()
        found = values.of(value)
        for distance in range(stages):
            if found == tuple((i + distance) % stages for i in range(values.count)):
                return distance
        op = defining(value)
        todo += list(op.operands) if op is not None and op.name.startswith("arith.") else []
    raise PassError(fill, "cannot tell which stage this fills: its slot does not count iterations")


def _check_reads(plan: RolePlan) -> None:
    """Every read is of the stage that the iteration is about."""
    wanted = tuple(i % plan.stages for i in range(plan.values.count))
    for op in plan.staged.reads:
        for ring in plan.staged.rings:
            for value in slots_read(op, ring.results[0]):
                found = plan.values.of(value)
                parts = ring.lds.stages // plan.stages
                if found is not None and tuple(v // parts for v in found) != wanted:
                    raise PassError(
                        op,
                        "reads another stage than the iteration's own: run warp-specialize without"
                        " operands carried from stage to stage",
                    )


def _barriers(
    staged: StagedLoop, fills: tuple[Fill, ...]
) -> tuple[BarrierCreateOp | None, BarrierCreateOp | None]:
    """The mbarriers that fills complete, and that waves arrive at when they have read."""
    told = [bar for fill in fills if (bar := fill.completes) is not None]
    if any(bar != told[0] for bar in told):
        raise PassError(staged.loop, "the loop's fills complete different barriers")
    arrived = [op.operands[0] for op in ops_named(staged.body, "tile.arrive")]
    others = [_creator(bar) for bar in arrived if not told or bar != told[0]]
    empty = [c for c in others if c is not None and c.str_attr("kind") == "mbarrier"]
    return _creator(told[0]) if told else None, empty[0] if empty else None


def _creator(bar: ir.Value) -> BarrierCreateOp | None:
    op = defining(bar)
    return BarrierCreateOp(op) if op is not None and op.name == "tile.barrier_create" else None


def _arrivals(staged: StagedLoop, bar: BarrierCreateOp | None) -> list[TileOp]:
    if bar is None:
        return []
    ops = ops_named(staged.body, "tile.arrive")
    return [TileOp(op) for op in ops if op.operands[0] == bar.results[0]]


def _peers(staged: StagedLoop, empty: BarrierCreateOp | None) -> ir.Value | None:
    for op in _arrivals(staged, empty):
        return ArriveOp(op.operation).peers
    return None


def _tile_bytes(fill: CopyLike) -> int:
    ring = LdsType.of(fill.dst.type)
    assert ring is not None
    return ring.rows * ring.cols * element_bytes(ring.elem)


def _check_conditions(plan: RolePlan, fill: Fill) -> None:
    """A fill may depend on the wave that issues it, and on there being a block ahead."""
    for around in ancestors(fill.copy.operation):
        if around == plan.staged.loop:
            return
        condition = around.operands[0] if around.name == "scf.if" else None
        if condition is None or not (is_more(plan, fill, condition) or _is_one_wave(condition)):
            raise PassError(
                fill.copy, f"fills under '{around.name}', which the producer cannot keep"
            )


def is_more(plan: RolePlan, fill: Fill, condition: ir.Value) -> bool:
    """Whether ``condition`` says that the block that ``fill`` is for exists."""
    wanted = tuple(int(i + fill.distance < plan.trips) for i in range(plan.values.count))
    found = plan.values.of(condition)
    return found is not None and found[: plan.trips] == wanted[: plan.trips]


def _is_one_wave(condition: ir.Value) -> bool:
    op = defining(condition)
    if op is None or op.name != "arith.cmpi" or ir.IntegerAttr(op.attributes["predicate"]).value:
        return False
    makers = [defining(v) for v in op.operands]
    waves = [m for m in makers if m is not None and m.name == "gpu.subgroup_id"]
    return len(waves) == 1 and any(constant(v) is not None for v in op.operands)
