"""The first operands of a stage, loaded at the end of the iteration before it."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import CopyLike, LoadOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.iteration import (
    first_iteration,
    in_iteration,
    next_iteration,
    with_carried,
    yield_also,
)
from gemm_ladder.passes.analysis.kernel import Kernel, walk
from gemm_ladder.passes.analysis.products import BARRIERS, Product, cut_load
from gemm_ladder.passes.analysis.slots import slot_of
from gemm_ladder.passes.base import PassError


@dataclass(frozen=True)
class CarriedLoads:
    """Operands of a product's first steps as carried values of ``loop``.

    ``arguments`` are (a, b) of each of them in the loop's body.
    """

    loop: ir.Operation
    product: Product
    arguments: list[tuple[ir.Value, ...]]

    def load_next(self) -> None:
        """Load the next iteration's at the end of the body, and yield them."""
        end = list(self.loop.regions[0].blocks[0].operations)[-1]
        with ir.InsertionPoint(end):
            pieces = _pieces(
                self.product, self.loop, next_iteration(self.loop), len(self.arguments)
            )
        yield_also(self.loop, [value for piece in pieces for value in piece])


def carry_loads(kernel: Kernel, product: Product, count: int) -> CarriedLoads:
    """Load ``count`` steps of ``product`` before its loop and carry them; call load_next after.

    Raises PassError where the next stage cannot be read at the end of an iteration.
    """
    loop = product.mma.operation.block.owner.operation
    _check(product, loop)
    with ir.InsertionPoint(loop):
        pieces = _pieces(product, loop, first_iteration(loop), count)
    inits = [value for piece in pieces for value in piece]
    loop = with_carried(loop, inits, [value.location for value in inits])
    carried = list(loop.regions[0].blocks[0].arguments)[-len(inits) :]
    pairs = [tuple(carried[i : i + 2]) for i in range(0, len(carried), 2)]
    return CarriedLoads(loop, product, pairs)


def _pieces(
    product: Product,
    loop: ir.Operation,
    arguments: dict[ir.Value, ir.Value],
    count: int,
) -> list[tuple[ir.Value, ...]]:
    """Operands of the first ``count`` steps in the iteration that ``arguments`` describe."""
    pieces = []
    for step in range(count):
        piece = []
        for load in product.loads:
            with build.unnamed(load.location):
                coords = [in_iteration(v, loop, arguments) for v in load.coords]
            piece.append(cut_load(load, product.atom.k, step, coords, step))
        pieces.append(tuple(piece))
    return pieces


def _check(product: Product, loop: ir.Operation) -> None:
    """Raise PassError unless the next stage is filled and handed over in the iteration before."""
    mma = product.mma
    if loop.name != "scf.for":
        raise PassError(mma, "carry=true needs a product in a loop over K")
    ops = [view.operation for view in loop.regions[0].blocks[0].operations]
    behind = ops[ops.index(mma.operation) + 1 :]
    if not any(op.name in BARRIERS and op.name != "tile.arrive" for op in behind):
        raise PassError(
            mma, "carry=true needs a barrier behind the product that hands the next stage over"
        )
    for op in walk(loop.regions[0].blocks[0]):
        if op.name in ("tile.copy", "tile.copy_async") and CopyLike(op).fills_lds:
            for load in product.loads:
                _check_fill(CopyLike(op), load)


def _check_fill(copy: CopyLike, load: LoadOp) -> None:
    ring = LdsType.of(load.src.type)
    if ring is None or copy.ring != load.src:
        return
    if slot_of(copy.slot, ring.stages).may_equal(slot_of(load.coords[0], ring.stages)):
        raise PassError(
            copy,
            "carry=true needs stages that are filled an iteration ahead; run multi-buffer first",
            [(load.location, "the stage is read here")],
        )
