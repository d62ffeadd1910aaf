"""Fragments of a kernel: registers that its products hold, and which lane holds what."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.dialect_defs.types import FragType
from gemm_ladder.passes.analysis.budget import fragment_registers
from gemm_ladder.passes.analysis.kernel import walk
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering.classes import FragmentClasses
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.walk import function_of


@dataclass(frozen=True)
class Registers:
    """32-bit registers of a lane in the block of products: what the IR alone says.

    ``operands`` is the most that fragments of A and B hold at once; ``budget`` what the target
    gives a lane of such a workgroup (None: its size is not known yet).
    """

    accumulators: int
    operands: int
    budget: int | None


def registers_of(module: ir.Module, target: Target) -> Registers | None:
    """Of the first product's block; None without a product."""
    products = [op for op in walk(module.body) if op.name == "tile.mma"]
    if not products:
        return None
    block = products[-1].block
    inside = [op for op in walk(block) if op.name == "tile.mma"]
    sums = {_size(op.operands[2], target) for op in inside}
    func = function_of(products[-1])
    budget = None
    if "known_block_size" in func.attributes:
        x, y, z = ir.DenseI32ArrayAttr(func.attributes["known_block_size"])
        budget = target.register_budget(x * y * z)
    return Registers(max(sums), _most_alive(block, target), budget)


def _size(value: ir.Value, target: Target) -> int:
    frag = FragType.of(value.type)
    return fragment_registers(frag, target.wave_size) if frag else 0


def _most_alive(block: ir.Block, target: Target) -> int:
    """The most registers that fragments of A and B hold at one place of ``block``."""
    ops = [op.operation for op in block.operations]
    place = {op: number for number, op in enumerate(ops)}
    change = [0] * (len(ops) + 2)
    made = [(value, -1) for value in block.arguments]
    made += [(value, place[op]) for op in ops for value in op.results]
    for value, start in made:
        frag = FragType.of(value.type)
        if frag is None or frag.role == "acc":
            continue
        uses = [_place_in(use.owner.operation, block, place) for use in value.uses]
        change[start + 1] += _size(value, target)
        change[max([start, *uses]) + 2 if uses else start + 2] -= _size(value, target)
    alive, most = 0, 0
    for step in change:
        alive += step
        most = max(most, alive)
    return most


def _place_in(op: ir.Operation, block: ir.Block, place: dict[ir.Operation, int]) -> int:
    while op.block != block:
        op = op.parent.operation
    return place[op]


@dataclass(frozen=True)
class Picture:
    """How the fragments of one role lie in lanes; ``count`` blocks make up one fragment."""

    role: str
    distribution: Distribution
    count: int


def pictures(module: ir.Module, target: Target) -> list[Picture]:
    """One for A, B and the accumulator of the last product of ``module`` (those in registers)."""
    products = [op for op in walk(module.body) if op.name == "tile.mma"]
    if not products:
        return []
    func = function_of(products[-1])
    try:
        classes = FragmentClasses.of(func, target)
        found = []
        for value in list(products[-1].operands)[:3]:
            frag = FragType.of(value.type)
            if frag is not None:
                dist = classes.distribution(value, products[-1])
                found.append(Picture(frag.role, dist, len(dist.origins())))
        return found
    except PassError:
        return []
