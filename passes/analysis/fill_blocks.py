"""Which block of K a fill of a pipelined loop brings, and whether there is such a block."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import CopyLike
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.index_values import trip_count
from gemm_ladder.passes.analysis.kernel import constant, defining, is_inside
from gemm_ladder.passes.analysis.staged_loop import StagedLoop, precedes, slots_read


def may_skip(loop: StagedLoop, fill: CopyLike) -> bool:
    """Whether ``fill`` may be left out where no later iteration multiplies what it brings.

    It is in the loop's body, at a distance that its slots tell, nothing behind the loop reads its
    ring, and what is read earlier than by then (the next iteration's first operands) only goes
    into that iteration.
    """
    found = loop.distances(fill)
    if not found or fill.operation.block != loop.body:
        return False
    if not all(precedes(op, loop.loop) for op in other_reads(loop, fill.dst)):
        return False
    last = max(distance for _, distance in found)
    early = [op for op, distance in found if distance < last]
    if early and (trip_count(loop.loop) or 0) < stages_of(fill):
        # The last iteration would read ahead in a stage that nobody has ever filled.
        return False
    return last > 0 and all(_only_carried(loop, op) for op in early)


def stages_of(fill: CopyLike) -> int:
    """Stages of the ring that ``fill`` fills."""
    ring = LdsType.of(fill.dst.type)
    assert ring is not None
    return ring.stages


def other_reads(loop: StagedLoop, ring: ir.Value) -> list[ir.Operation]:
    """The ops that read ``ring`` but are not ``loop``'s reads."""
    users = [use.owner.operation for use in ring.uses]
    return [op for op in users if slots_read(op, ring) and op not in loop.reads]


def _only_carried(loop: StagedLoop, op: ir.Operation) -> bool:
    """Whether what ``op`` loads is used by the next iteration only."""
    if op.name != "tile.load":
        return False
    for use in op.results[0].uses:
        end = use.owner.operation
        if end.name != "scf.yield" or end.block != loop.body:
            return False
        if any(True for _ in loop.loop.results[use.operand_number].uses):
            return False
    return True


def is_needed(loop: StagedLoop, ahead: int) -> ir.Value:
    """Whether the iteration ``ahead`` of the current one exists, at the insertion point.

    The insertion point is in the body, behind what the fills' addresses are made of.
    """
    _, high, step = list(loop.loop.operands)[:3]
    with build.named("more", build.unnamed(ir.Location.current)):
        block = _block_ahead(loop, ahead)
        if block is None:
            block = arith.addi(loop.induction, scaled(step, ahead))
        return arith.cmpi(arith.CmpIPredicate.slt, block, high)


def _block_ahead(loop: StagedLoop, ahead: int) -> ir.Value | None:
    """The sum of the induction variable and ``ahead`` steps, if a fill's address has it."""
    step = constant(loop.loop.operands[2])
    for fill in loop.fills if step is not None else ():
        for op in _arithmetic(loop, list(fill.operation.operands)[3:7]):
            if step and _is_sum(op.results[0], loop.induction, ahead * step):
                return op.results[0]
    return None


def exists(loop: StagedLoop, number: int) -> bool | ir.Value:
    """Whether ``loop`` has an iteration ``number``: known, or computed at the insertion point."""
    low, high, step = list(loop.loop.operands)[:3]
    numbers = [constant(v) for v in (low, high, step)]
    if None not in numbers:
        first, end, by = (n for n in numbers if n is not None)
        return first + number * by < end
    with build.named("more", build.unnamed(ir.Location.current)):
        block = arith.addi(low, scaled(step, number)) if number else low
        return arith.cmpi(arith.CmpIPredicate.slt, block, high)


def scaled(step: ir.Value, factor: int) -> ir.Value:
    """``step`` * ``factor`` at the insertion point."""
    number = constant(step)
    if number is not None:
        return build.index(number * factor)
    return step if factor == 1 else arith.muli(step, build.index(factor))


def unclamp(loop: StagedLoop, fills: list[CopyLike], ahead: int) -> None:
    """Let ``fills``, which are only made where their block exists, name it without a bound.

    Replaces min(k + ahead * step, last) in their addresses by the sum, where the bound is a
    constant that such a block is not beyond, and nothing else needs it.
    """
    low, high, step = (constant(v) for v in list(loop.loop.operands)[:3])
    if low is None or high is None or not step:
        return
    last = low + max(0, -(-(high - low) // step) - 1) * step
    addresses = [v for fill in fills for v in list(fill.operation.operands)[3:7]]
    ops = [fill.operation for fill in fills]
    for op in _arithmetic(loop, addresses):
        if op.name not in ("arith.minsi", "arith.minui") or not _only_for(op, ops):
            continue
        for value, bound in (op.operands, reversed(list(op.operands))):
            enough = (constant(bound) or 0) >= last and constant(bound) is not None
            if enough and _is_sum(value, loop.induction, ahead * step):
                op.results[0].replace_all_uses_with(value)
                op.erase()
                break


def _only_for(op: ir.Operation, ops: list[ir.Operation]) -> bool:
    """Whether what ``op`` makes goes into ``ops`` alone, through arithmetic."""
    users = [use.owner.operation for result in op.results for use in result.uses]
    return all(user in ops or (_is_arith(user) and _only_for(user, ops)) for user in users)


def _is_arith(op: ir.Operation) -> bool:
    return bool(op.name.startswith("arith."))


def _arithmetic(loop: StagedLoop, values: list[ir.Value]) -> list[ir.Operation]:
    """The arith ops of the body that make ``values``, each once."""
    found: list[ir.Operation] = []
    todo = list(values)
    while todo:
        op = defining(todo.pop())
        if op is None or op in found or not _is_arith(op):
            continue
        if is_inside(op.results[0], loop.loop):
            found.append(op)
            todo += list(op.operands)
    return found


def _is_sum(value: ir.Value, term: ir.Value, distance: int) -> bool:
    op = defining(value)
    if op is None or op.name != "arith.addi":
        return False
    first, second = op.operands
    pairs = ((first, second), (second, first))
    return any(one == term and constant(other) == distance for one, other in pairs)
