"""A product whose operands do not fit into registers, read and multiplied atom by atom of K."""

from __future__ import annotations

from dataclasses import replace

from mlir import ir

from gemm_ladder.dialect_defs.tile import LoadOp, MmaOp
from gemm_ladder.passes.lowering import loads, products
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.state import State


def product(state: State, op: MmaOp, a: LoadOp, b: LoadOp) -> list[ir.Value]:
    """The new accumulator's vectors, summed in the order of the whole product.

    ``a`` and ``b`` are the loads from LDS of its operands, which have an atom.
    """
    left, right, sums = products.distributions(state, op)
    assert sums.atom is not None
    depth = sums.atom.k
    acc = list(state.values[op.operation.operands[2]])
    for k in range(0, left.frag.cols, depth):
        parts = [
            replace(left, frag=replace(left.frag, cols=depth)),
            replace(right, frag=replace(right.frag, rows=depth)),
        ]
        factors = _read(state, a, parts[0], (0, k)), _read(state, b, parts[1], (k, 0))
        acc = products.multiply(state, op, [*parts, sums], factors, acc)
    return acc


def _read(state: State, op: LoadOp, part: Distribution, place: tuple[int, int]) -> list[ir.Value]:
    """The vectors of ``part`` of a fragment from ``place`` (row, col) on."""
    tile = loads.load_tile(state, op, part)
    assert tile is not None
    row, col = place[::-1] if tile.transposed else place
    tile = replace(tile, shift=(tile.shift[0] + row, tile.shift[1] + col))
    return loads.read_lds(state, tile, part)
