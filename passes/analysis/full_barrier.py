"""Fills that complete an mbarrier slot a stage: who expects which bytes, and who waits for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mlir import ir
from mlir.dialects import arith, scf

from gemm_ladder.dialect_defs import build, build_sync
from gemm_ladder.dialect_defs.build_copies import Posting, copy_async
from gemm_ladder.dialect_defs.tile import CopyLike
from gemm_ladder.dialect_defs.types import LdsType, element_bytes
from gemm_ladder.passes.analysis.coords import hoist
from gemm_ladder.passes.analysis.fill_blocks import exists, is_needed, unclamp
from gemm_ladder.passes.analysis.fill_waits import drain_behind, set_pending
from gemm_ladder.passes.analysis.full_plan import FullPlan
from gemm_ladder.passes.analysis.iteration import with_carried, yield_also
from gemm_ladder.passes.analysis.kernel import ops_named

# The wave that asks the engine.
_ISSUER = 0


def complete_by_barrier(plan: FullPlan) -> None:
    """Have ``plan``'s fills complete a slot of a new mbarrier, and its reads wait for that."""
    kernel, at = plan.loop.kernel, build.unnamed(plan.loop.loop.location)
    with kernel.head(), build.named(_name(plan), at):
        full = build_sync.mbarrier(plan.stages, plan.arrivals, _name(plan))
    _prologue(plan, full)
    _entry(plan, full)
    plan = _carry_phase(plan, full)
    _fills(plan, full)
    _publish(plan, full)


def _name(plan: FullPlan) -> str:
    bars = ops_named(plan.loop.kernel.body, "tile.barrier_create")
    names = [ir.StringAttr(b.attributes["name"]).value for b in bars if "name" in b.attributes]
    return f"full_{len(bars)}" if "full" in names else "full"


def _prologue(plan: FullPlan, full: ir.Value) -> None:
    """Ask for the stages that are filled before the loop, each only if there is such a block."""
    for number, group in plan.prologue.items():
        last = group[-1].operation
        with ir.InsertionPoint(last), build.unnamed(last.location):
            _when(exists(plan.loop, number), partial(_ask, plan, group, full))
        for fill in group:
            fill.operation.erase()


def _when(needed: bool | ir.Value, body: Callable[[], None]) -> None:
    """``body``'s ops at the insertion point: always, never, or where ``needed`` holds."""
    if isinstance(needed, bool):
        if needed:
            body()
        return
    branch = scf.IfOp(needed)
    with ir.InsertionPoint(branch.then_block):
        body()
        scf.YieldOp([])


def _ask(plan: FullPlan, fills: list[CopyLike], full: ir.Value) -> None:
    """Expect the bytes of ``fills``, all of one slot, and ask the engine for them."""
    slot = fills[0].slot
    total = sum(_bytes(fill) for fill in fills)
    arrive = build_sync.arrive_slot(full, slot, tx_bytes=total)
    arrive.attributes["issuer"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _ISSUER)
    for fill in fills:
        with fill.location:
            copy_async(fill, Posting(plan.engine, _ISSUER, completes=(full, slot)))


def _bytes(fill: CopyLike) -> int:
    ring = LdsType.of(fill.dst.type)
    assert ring is not None
    return ring.rows * ring.cols * element_bytes(ring.elem)


def _entry(plan: FullPlan, full: ir.Value) -> None:
    """Nobody waits for the first fills before the loop; others' waves say when theirs are in."""
    for hand_off in plan.loop.entry:
        waits = hand_off.waits("copy")
        rest = [op for op in hand_off.ops if op not in waits]
        if plan.others and waits:
            set_pending(waits[-1], plan.pending)
            with ir.InsertionPoint(hand_off.arrive or hand_off.wait), waits[-1].location:
                for slot in plan.others_entry:
                    build_sync.arrive_slot(full, slot)
        for op in () if plan.others else waits:
            op.erase()
        for op in rest if plan.entry_is_free else ():
            op.erase()


def _carry_phase(plan: FullPlan, full: ir.Value) -> FullPlan:
    """Wait for the slot before the reads, in a phase that the loop carries."""
    at = build.unnamed(plan.loop.loop.location)
    with ir.InsertionPoint(plan.loop.loop), at:
        first = build.index(0)
    number = plan.current_argument()
    made = with_carried(plan.loop.loop, [first], [build.named("phase", at)])
    plan = plan.moved_to(made, number)
    phase = list(plan.loop.body.arguments)[-1]
    place = plan.loop.within(plan.loop.reads[0])
    hoist(plan.current, place)
    with ir.InsertionPoint(place), at:
        build_sync.wait_slot(full, plan.current, phase)
    with ir.InsertionPoint.at_block_terminator(plan.loop.body), at:
        following = _phase_after(plan, phase)
    yield_also(made, [following])
    return plan


def _phase_after(plan: FullPlan, phase: ir.Value) -> ir.Value:
    """The other phase when the slots start anew."""
    at, one = ir.Location.current, build.index(1)
    if plan.stages == 1:
        with build.named("phase_next", at):
            return arith.subi(one, phase)
    with build.named("wraps", at):
        following = plan.following()
        wraps = arith.cmpi(arith.CmpIPredicate.eq, following, build.index(plan.start))
    other = arith.subi(one, phase)
    with build.named("phase_next", at):
        return arith.select(wraps, other, phase)


def _fills(plan: FullPlan, full: ir.Value) -> None:
    """Ask for a later stage, where there is such a block, before waiting for the current one."""
    fills = list(plan.fills)
    last = plan.loop.within(fills[-1].operation)
    place = plan.fill_place() or last
    for fill in fills:
        for operand in list(fill.operation.operands):
            hoist(operand, place)
    if plan.ahead and plan.predicate is None:
        unclamp(plan.loop, fills, plan.ahead)
    with ir.InsertionPoint(place), build.unnamed(fills[0].location):
        needed = plan.predicate or (is_needed(plan.loop, plan.ahead) if plan.ahead else True)
        _when(needed, partial(_ask, plan, fills, full))
    for fill in fills:
        fill.operation.erase()


def _publish(plan: FullPlan, full: ir.Value) -> None:
    """Waves wait for copies only to say that theirs landed; a barrier that published goes."""
    waits = plan.waits()
    if plan.others:
        _tell(plan, full, waits[-1])
    else:
        for op in waits:
            op.erase()
    for op in plan.publication():
        op.erase()


def _tell(plan: FullPlan, full: ir.Value, wait: ir.Operation) -> None:
    """Behind ``wait``, say that this wave's copies of the stage that is read next are in."""
    set_pending(wait, plan.pending)
    behind = plan.loop.top[plan.loop.index(wait) + 1]
    with ir.InsertionPoint(behind), wait.location:
        slot = plan.others[0].slot
        if plan.pending:
            slot = plan.following()
            hoist(slot, behind)
        build_sync.arrive_slot(full, slot)
    if plan.pending:
        drain_behind(plan.loop)
