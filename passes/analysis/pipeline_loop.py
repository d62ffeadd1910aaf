"""Software-pipeline a loop that fills LDS rings: prologue, ring slots, one hand-off."""

from __future__ import annotations

import dataclasses

from mlir import ir
from mlir.dialects import arith, scf

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import AllocOp, CopyOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.coords import erase_unused
from gemm_ladder.passes.analysis.fill_loop import FillLoop
from gemm_ladder.passes.analysis.iteration import with_carried
from gemm_ladder.passes.analysis.kernel import constant, defining, is_inside
from gemm_ladder.passes.base import PassError


def pipeline(fill: FillLoop, stages: int) -> None:
    """Rewrite ``fill`` to rings of ``stages`` >= 2; raises PassError if its copies cannot move."""
    at = build.unnamed(fill.loop.location)
    for ring in fill.rings:
        _resize(ring, stages)
    bar = fill.hand_off[0].operands[0]
    with ir.InsertionPoint(fill.loop), at:
        last = _last_block(fill.loop)
        for stage in range(stages - 1):
            block = _block(fill.loop, stage, last)
            for copy in fill.copies:
                _copy_for(copy, fill, block, build.index(stage))
        build.wait("copy")
        _hand_off(bar)
    loop = _with_slot(fill.loop, at)
    fill = dataclasses.replace(fill, loop=loop.operation)
    _fill_ahead(fill, loop, stages, last, at)
    _replace_sync(fill, bar, at)


def _resize(ring: ir.Operation, stages: int) -> None:
    old = AllocOp(ring).lds
    new = LdsType(stages, old.rows, old.cols, old.elem, old.layout)
    ring.results[0].set_type(new.get())


def _last_block(loop: ir.Operation) -> ir.Value:
    """The induction variable's value in the last iteration (meaningless if there is none)."""
    low, high, step = list(loop.operands)[:3]
    numbers = [constant(v) for v in (low, high, step)]
    if None not in numbers:
        lo, hi, by = (n for n in numbers if n is not None)
        return build.index(max(lo, lo + (hi - lo - 1) // by * by))
    one = build.index(1)
    blocks = arith.divsi(arith.subi(arith.subi(high, one), low), step)
    with build.named("last", ir.Location.current):
        return arith.maxsi(arith.addi(low, arith.muli(blocks, step)), low)


def _block(loop: ir.Operation, stage: int, last: ir.Value) -> ir.Value:
    """Induction value of iteration ``stage``, at most ``last``."""
    low, _, step = list(loop.operands)[:3]
    if stage == 0:
        return low
    numbers = [constant(v) for v in (low, step, last)]
    if None not in numbers:
        lo, by, end = (n for n in numbers if n is not None)
        return build.index(min(lo + stage * by, end))
    return arith.minsi(arith.addi(low, _scaled(step, stage)), last)


def _copy_for(copy: CopyOp, fill: FillLoop, block: ir.Value, slot: ir.Value) -> None:
    """The same copy for induction value ``block`` into ``slot``, at the insertion point."""
    operands = _operands_for(copy, fill, block, slot)
    _set_operands(copy.operation.clone().operation, operands)


def _operands_for(copy: CopyOp, fill: FillLoop, block: ir.Value, slot: ir.Value) -> list[ir.Value]:
    """Operands of ``copy`` at induction value ``block``, with ``slot``."""
    mapping = {fill.body.arguments[0]: block}
    operands = [_clone(v, fill, mapping, copy) for v in copy.operands]
    operands[2] = slot
    return operands


def _set_operands(op: ir.Operation, operands: list[ir.Value]) -> None:
    for number, operand in enumerate(operands):
        op.operands[number] = operand


def _clone(
    value: ir.Value, fill: FillLoop, mapping: dict[ir.Value, ir.Value], copy: CopyOp
) -> ir.Value:
    """``value`` recomputed with the induction variable replaced, at the insertion point."""
    if value in mapping:
        return mapping[value]
    op = defining(value)
    if op is None:
        if ir.BlockArgument(value).owner == fill.body:
            raise PassError(copy, "the address of a fill is carried from iteration to iteration")
        return value
    if not is_inside(value, fill.loop) or (_here(fill) and not _varies(value, fill)):
        return value
    if not op.name.startswith("arith."):
        raise PassError(copy, f"the address of a fill is made by '{op.name}' inside the loop")
    operands = [_clone(v, fill, mapping, copy) for v in op.operands]
    made = op.clone()
    _set_operands(made.operation, operands)
    mapping.update(zip(op.results, made.operation.results, strict=True))
    return mapping[value]


def _here(fill: FillLoop) -> bool:
    """Whether the insertion point is in the loop, where what does not vary can be used as it is."""
    block = ir.InsertionPoint.current.block
    return bool(block == fill.body)


def _varies(value: ir.Value, fill: FillLoop) -> bool:
    """Whether ``value`` depends on anything that the loop's body receives."""
    op = defining(value)
    if op is None:
        return bool(ir.BlockArgument(value).owner == fill.body)
    return any(_varies(v, fill) for v in op.operands)


def _hand_off(bar: ir.Value) -> None:
    build.arrive(bar)
    build.wait_barrier(bar)


def _with_slot(old: ir.Operation, at: ir.Location) -> scf.ForOp:
    """The loop with one more carried value, the current slot, starting at 0."""
    with ir.InsertionPoint(old), at:
        start = build.index(0)
    return with_carried(old, [start], [build.named("current", at)]).opview


def _fill_ahead(
    fill: FillLoop, loop: scf.ForOp, stages: int, last: ir.Value, at: ir.Location
) -> None:
    """Fill slot current + stages - 1 from that many blocks ahead, and read the current slot."""
    current = list(loop.body.arguments)[-1]
    with ir.InsertionPoint.at_block_begin(loop.body), at:
        with build.named("next", at):
            target = _slot_after(current, stages - 1, stages)
        following = target if stages == 2 else _slot_after(current, 1, stages)
        with build.named("k_next", at):
            distance = _scaled(loop.operation.operands[2], stages - 1)
            block = arith.minsi(arith.addi(loop.induction_variable, distance), last)
    for copy in fill.copies:
        with ir.InsertionPoint(copy), copy.location:
            before = list(copy.operands)
            _set_operands(copy.operation, _operands_for(copy, fill, block, target))
            erase_unused(before)
    for load in fill.loads:
        load.operands[1] = current
    end = list(loop.body.operations)[-1]
    with ir.InsertionPoint(end), end.location:
        scf.YieldOp([*end.operands, following])
    end.operation.erase()


def _slot_after(slot: ir.Value, distance: int, stages: int) -> ir.Value:
    return arith.remui(arith.addi(slot, build.index(distance)), build.index(stages))


def _scaled(step: ir.Value, factor: int) -> ir.Value:
    number = constant(step)
    if number is not None:
        return build.index(number * factor)
    return step if factor == 1 else arith.muli(step, build.index(factor))


def _replace_sync(fill: FillLoop, bar: ir.Value, at: ir.Location) -> None:
    with ir.InsertionPoint(fill.hand_off[0]), at:
        build.wait("copy")
        _hand_off(bar)
    for op in (*fill.publish, *fill.hand_off):
        op.erase()
