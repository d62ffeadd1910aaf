"""The producer's loop: wait until a stage is empty, then fill it, one block after another."""

from __future__ import annotations

from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith, scf

from gemm_ladder.dialect_defs import build, build_sync
from gemm_ladder.passes.analysis.kernel import constant, defining, is_inside
from gemm_ladder.passes.analysis.role_plan import Fill, RolePlan, is_more
from gemm_ladder.passes.base import PassError


@dataclass(frozen=True)
class Stage:
    """A position in the ring: the slot, and the parity of the phase to wait for."""

    slot: ir.Value
    phase: ir.Value

    def following(self, stages: int) -> Stage:
        """The next position, at the insertion point."""
        one, zero = build.index(1), build.index(0)
        more = arith.addi(self.slot, one)
        wraps = arith.cmpi(arith.CmpIPredicate.eq, more, build.index(stages))
        with build.named("slot_next", ir.Location.current):
            slot = arith.select(wraps, zero, more)
        flipped = arith.subi(one, self.phase)
        with build.named("phase_next", ir.Location.current):
            return Stage(slot, arith.select(wraps, flipped, self.phase))


@dataclass(frozen=True)
class Barriers:
    """``full[slot]`` is told when a stage is filled, ``empty[slot]`` when it is read."""

    full: ir.Value
    empty: ir.Value


def emit_producer(plan: RolePlan, bars: Barriers, at: ir.Location, fenced: bool) -> None:
    """The loop at the insertion point, for one wave or for all of the role.

    ``fenced``: what waves write themselves is read by the asynchronous proxy.
    """
    low, high, step = list(plan.staged.loop.operands)[:3]
    zero, one = build.index(0), build.index(1)
    with build.named("filled", at):
        loop = scf.ForOp(low, high, step, [zero, one])
    loop.body.arguments[0].set_location(build.named("k", at))
    loop.body.arguments[1].set_location(build.named("slot", at))
    loop.body.arguments[2].set_location(build.named("phase", at))
    stage = Stage(*loop.inner_iter_args)
    with ir.InsertionPoint(loop.body), at:
        build_sync.wait_slot(bars.empty, stage.slot, stage.phase)
        if plan.one_wave:
            build_sync.arrive_slot(bars.full, stage.slot, tx_bytes=plan.tx_bytes())
            _fills(plan, plan.fills, loop.induction_variable, stage, bars)
        else:
            _shared_fills(plan, loop.induction_variable, stage, bars, fenced)
        following = stage.following(plan.stages)
        scf.YieldOp([following.slot, following.phase])


def _shared_fills(
    plan: RolePlan, block: ir.Value, stage: Stage, bars: Barriers, fenced: bool
) -> None:
    """All waves of the role move what no engine can; the first one also posts what an engine can.

    Each arrives when its own part is there.
    """
    own = tuple(fill for fill in plan.fills if not fill.by_tma)
    posted = tuple(fill for fill in plan.fills if fill.by_tma)
    _fills(plan, own, block, stage, bars)
    if not posted:
        _published(bars, stage, fenced, 0)
        return
    first = arith.cmpi(arith.CmpIPredicate.eq, _wave(plan), build.index(0))
    branch = scf.IfOp(first, [], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        _fills(plan, posted, block, stage, bars)
        _published(bars, stage, fenced, plan.tx_bytes())
        scf.YieldOp([])
    with ir.InsertionPoint(branch.else_block):
        _published(bars, stage, fenced, 0)
        scf.YieldOp([])


def _published(bars: Barriers, stage: Stage, fenced: bool, tx_bytes: int) -> None:
    build.wait("copy")
    if fenced:
        build_sync.fence("async")
    build_sync.arrive_slot(bars.full, stage.slot, tx_bytes=tx_bytes)


def _wave(plan: RolePlan) -> ir.Value:
    waves = [op for op in plan.staged.kernel.body.operations if op.name == "gpu.subgroup_id"]
    return waves[0].results[0]


def _fills(
    plan: RolePlan, fills: tuple[Fill, ...], block: ir.Value, stage: Stage, bars: Barriers
) -> None:
    """The copies of ``fills`` for induction value ``block`` into ``stage``."""
    for fill in fills:
        moved = _Moved(plan, fill, block, stage.slot)
        with fill.copy.location:
            _copy(fill, moved, bars, stage)


def _copy(fill: Fill, moved: _Moved, bars: Barriers, stage: Stage) -> None:
    copy = fill.copy
    sides = [copy.src, copy.dst]
    values = [copy.slot, *copy.coords, *copy.extents]
    operands = [*sides, *(moved.value(v) for v in values)]
    predicate = fill.predicate
    optional: list[ir.Value | None] = [None if predicate is None else moved.predicate(predicate)]
    attributes = {n: copy.operation.attributes[n] for n in copy.operation.attributes}
    if copy.operation.name == "tile.copy_async":
        mask = fill.multicast
        optional.append(None if mask is None else moved.value(mask))
        told = fill.by_tma
        optional += [bars.full, stage.slot] if told else [None, None]
        attributes.pop("issuer", None)
        sizes = [1] * 7 + [int(v is not None) for v in optional]
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes)
    operands += [v for v in optional if v is not None]
    ir.Operation.create(copy.operation.name, operands=operands, attributes=attributes)


@dataclass
class _Moved:
    """Values of the loop's body for the block that ``fill`` is about, not blocks before it."""

    plan: RolePlan
    fill: Fill
    block: ir.Value
    slot: ir.Value
    made: dict[ir.Value, ir.Value] = field(default_factory=dict)

    def predicate(self, value: ir.Value) -> ir.Value | None:
        """``value``, or None where it only says that there is such a block."""
        return None if is_more(self.plan, self.fill, value) else self.value(value)

    def value(self, value: ir.Value) -> ir.Value:
        """``value``, recomputed at the insertion point where it is made in the loop."""
        if not is_inside(value, self.plan.staged.loop):
            return value
        if value not in self.made:
            known = self._known(value)
            self.made[value] = self._clone(value) if known is None else known
        return self.made[value]

    def _known(self, value: ir.Value) -> ir.Value | None:
        """The stage, or the block's induction value, by what ``value`` counts."""
        found, plan, distance = self.plan.values.of(value), self.plan, self.fill.distance
        if found is None:
            return None
        count = range(plan.values.count)
        if found == tuple((i + distance) % plan.stages for i in count):
            return self.slot
        low, _, step = (constant(v) or 0 for v in list(plan.staged.loop.operands)[:3])
        last = max(plan.trips - 1, 0)
        ahead = tuple(low + (i + distance) * step for i in count)
        clamped = tuple(low + min(i + distance, last) * step for i in count)
        return self.block if found in (ahead, clamped) else None

    def _clone(self, value: ir.Value) -> ir.Value:
        op = defining(value)
        if op is None or op.regions or not op.name.startswith(("arith.", "gpu.")):
            what = "carried from iteration to iteration" if op is None else f"made by '{op.name}'"
            raise PassError(self.fill.copy, f"the address of a fill is {what}")
        operands = [self.value(v) for v in op.operands]
        made = op.clone().operation
        for number, operand in enumerate(operands):
            made.operands[number] = operand
        self.made.update(zip(op.results, made.results, strict=True))
        return self.made[value]
