"""Values of a loop as they are in another iteration, or before the first."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, scf

from gemm_ladder.passes.analysis.kernel import defining, is_inside
from gemm_ladder.passes.base import PassError

# Ops besides arithmetic that give one value wherever they stand in a kernel.
_FIXED = ("gpu.subgroup_id", "gpu.lane_id", "gpu.thread_id", "gpu.block_id", "tile.block_coord")


def first_iteration(loop: ir.Operation) -> dict[ir.Value, ir.Value]:
    """What the arguments of ``loop``'s body are in its first iteration."""
    arguments = list(loop.regions[0].blocks[0].arguments)
    low, inits = loop.operands[0], list(loop.operands)[3:]
    return dict(zip(arguments, [low, *inits], strict=True))


def next_iteration(loop: ir.Operation) -> dict[ir.Value, ir.Value]:
    """What they are in the next iteration, but for the counter: that is made when it is needed.

    Arguments that nothing is yielded for yet are left out.
    """
    body = loop.regions[0].blocks[0]
    yielded = list(list(body.operations)[-1].operands)
    return dict(zip(list(body.arguments)[1 : len(yielded) + 1], yielded, strict=True))


def in_iteration(
    value: ir.Value, loop: ir.Operation, arguments: dict[ir.Value, ir.Value]
) -> ir.Value:
    """``value`` of ``loop``'s body, with the body's ``arguments``, at the insertion point.

    Raises PassError where something other than arithmetic makes it.
    """
    if value in arguments:
        return arguments[value]
    if not is_inside(value, loop):
        return value
    op = defining(value)
    if op is None:
        if value != loop.regions[0].blocks[0].arguments[0]:
            raise PassError(loop, "an address depends on a loop inside this one")
        arguments[value] = arith.addi(value, loop.operands[2])
        return arguments[value]
    if not op.name.startswith("arith.") and op.name not in _FIXED:
        raise PassError(op, f"'{op.name}' makes an address, and cannot be asked for it earlier")
    operands = [in_iteration(v, loop, arguments) for v in op.operands]
    if operands == list(op.operands) and _is_here(loop):
        return value
    made = op.clone().operation
    for number, operand in enumerate(operands):
        made.operands[number] = operand
    arguments.update(zip(op.results, made.results, strict=True))
    return arguments[value]


def _is_here(loop: ir.Operation) -> bool:
    """Whether the insertion point is in the body, where what does not vary can be used as it is."""
    here = ir.InsertionPoint.current.block
    return bool(here == loop.regions[0].blocks[0])


def with_carried(
    loop: ir.Operation, inits: list[ir.Value], locations: list[ir.Location]
) -> ir.Operation:
    """``loop`` with more carried values, which start as ``inits``; the caller has to yield them."""
    count = len(list(loop.operands)) - 3
    with ir.InsertionPoint(loop), loop.location:
        bounds, old_inits = list(loop.operands)[:3], list(loop.operands)[3:]
        made = scf.ForOp(*bounds, [*old_inits, *inits])
    for name in loop.attributes:
        made.operation.attributes[name] = loop.attributes[name]
    source = loop.regions[0].blocks[0]
    arguments = list(made.body.arguments)
    for before, after in zip(source.arguments, arguments[: count + 1], strict=True):
        after.set_location(before.location)
        before.replace_all_uses_with(after)
    for argument, at in zip(arguments[count + 1 :], locations, strict=True):
        argument.set_location(at)
    for op in list(source.operations):
        made.body.append(op)
    for before, after in zip(loop.results, list(made.results)[:count], strict=True):
        before.replace_all_uses_with(after)
    loop.erase()
    return made.operation


def yield_also(loop: ir.Operation, values: list[ir.Value]) -> None:
    """Yield ``values`` behind what ``loop``'s body yields."""
    end = list(loop.regions[0].blocks[0].operations)[-1].operation
    with ir.InsertionPoint(end), end.location:
        scf.YieldOp([*end.operands, *values])
    end.erase()
