"""Blocks, loops and branches of a wave, as steps between which other waves may act."""

from __future__ import annotations

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.program import Block, Op
from gemm_ladder.compiler.interp.steps import HANDLERS
from gemm_ladder.compiler.interp.values import uniform
from gemm_ladder.compiler.interp.wave import Steps, Wave
from gemm_ladder.runtime.errors import DeviceError

_CONTROL = ("scf.for", "scf.if", "scf.while", "scf.execute_region")


def check_known(ops: list[Op]) -> None:
    """DeviceError at the first op that has no meaning for a whole wave."""
    for op in ops:
        if op.name not in HANDLERS and op.name not in _CONTROL and not _nested_end(op):
            raise DeviceError(f"interp: {op}: this op has no meaning for a whole wave")


def _nested_end(op: Op) -> bool:
    return op.name in ("scf.yield", "scf.condition", "gpu.return")


def run_block(wave: Wave, block: Block) -> Steps:
    """Execute ``block``."""
    for op in block.ops:
        if op.event:
            yield
        handler = HANDLERS.get(op.name, _control)
        try:
            steps = handler(wave, op)
        except (ValueError, IndexError) as error:
            # Shapes that do not fit: IR that verify-tile refuses.
            raise DeviceError(f"interp: {op}: {error}") from error
        if steps is not None:
            yield from steps


def _control(wave: Wave, op: Op) -> Steps:
    if op.name == "scf.for":
        return _for(wave, op)
    if op.name == "scf.if":
        return _if(wave, op)
    if op.name == "scf.while":
        return _while(wave, op)
    return _region(wave, op)


def _for(wave: Wave, op: Op) -> Steps:
    values, body = wave.values, op.blocks[0]
    low, high, step = (values[v] for v in op.operands[:3])
    width = uniform(step)
    trips = uniform(-((low - high) // width)) if width > 0 else 0
    carried = [values[v] for v in op.operands[3:]]
    for trip in range(trips):
        values[body.args[0]] = low + trip * width
        for arg, value in zip(body.args[1:], carried, strict=True):
            values[arg] = value
        yield from run_block(wave, body)
        carried = [values[v] for v in body.results]
    for result, value in zip(op.results, carried, strict=True):
        values[result] = value


def _if(wave: Wave, op: Op) -> Steps:
    taken = bool(uniform(wave.values[op.operands[0]]))
    _check_role(wave, op, taken)
    number = 0 if taken else 1
    if number < len(op.blocks):
        yield from _region(wave, op, number)


def _region(wave: Wave, op: Op, number: int = 0) -> Steps:
    block = op.blocks[number]
    yield from run_block(wave, block)
    for result, value in zip(op.results, block.results, strict=True):
        wave.values[result] = wave.values[value]


def _check_role(wave: Wave, op: Op, taken: bool) -> None:
    tagged = op.attrs.get("tile.waves")
    if tagged is None:
        return
    first, count = tagged
    if taken != (first <= wave.number < first + count):
        role = op.attrs.get("tile.role", "role")
        verb = "takes" if taken else "does not take"
        text = f"{op} by {wave}: it {verb} the branch of {role}, whose waves are [{first}, {count}]"
        wave.machine.findings.add(kinds.SHAPE, op, None, text)


def _while(wave: Wave, op: Op) -> Steps:
    values, (before, after) = wave.values, op.blocks
    carried = [values[v] for v in op.operands]
    while True:
        for arg, value in zip(before.args, carried, strict=True):
            values[arg] = value
        yield from run_block(wave, before)
        going, *rest = (values[v] for v in before.results)
        if not uniform(going):
            break
        for arg, value in zip(after.args, rest, strict=True):
            values[arg] = value
        yield from run_block(wave, after)
        carried = [values[v] for v in after.results]
    for result, value in zip(op.results, rest, strict=True):
        values[result] = value
