"""tile.mma: by the target's matrix instruction, or by FMA in K order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, llvm, scf

from gemm_ladder.dialect_defs.tile import LoadOp, MmaOp
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit, fragments
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.fragments import Element, Place
from gemm_ladder.passes.lowering.loads import complete, load_tile
from gemm_ladder.passes.lowering.memory import Addresses
from gemm_ladder.passes.lowering.state import State

_K_STEP = 8  # most k of one trip of the FMA path's loop: 16 bytes of a 16-bit row

_ROLLED = "#llvm.loop_annotation<unroll = <disable = true>>"

# A row (operand a) or column (operand b) of the fragment, and k, to the element there.
Fetch = Callable[[int, int], ir.Value]


def lower(state: State, op: MmaOp) -> list[ir.Value]:
    """The new accumulator's vectors."""
    a, b, acc = list(op.operation.operands)[:3]
    dists = distributions(state, op)
    vectors = list(state.values[acc])
    if dists[2].atom is None:
        if op.ints_attr("atoms"):
            raise PassError(op, "atoms = [...] selects blocks of an atom; this product has none")
        return _fma(state, op, dists, vectors)
    return multiply(state, op, dists, (state.values[a], state.values[b]), vectors)


def distributions(state: State, op: MmaOp) -> list[Distribution]:
    """How a, b and the accumulator lie over the lanes; PassError if their shapes do not match."""
    values = list(op.operation.operands)[:3]
    dists = [state.classes.distribution(value, op.operation) for value in values]
    _check_shapes(op, dists)
    return dists


def _check_shapes(op: MmaOp, dists: Sequence[Distribution]) -> None:
    a, b, acc = (dist.frag for dist in dists)
    if (a.rows, b.cols, a.cols) != (acc.rows, acc.cols, b.rows):
        message = f"shapes {a.rows}x{a.cols} * {b.rows}x{b.cols} do not give {acc.rows}x{acc.cols}"
        raise PassError(op, message)


def multiply(
    state: State,
    op: MmaOp,
    dists: Sequence[Distribution],
    factors: tuple[Sequence[ir.Value], Sequence[ir.Value]],
    acc: list[ir.Value],
) -> list[ir.Value]:
    """``acc`` plus the product of the vectors ``factors`` of a and b, atom by atom."""
    atom = dists[2].atom
    assert atom is not None
    for dist, elem in zip(dists, (atom.a, atom.b, atom.acc), strict=True):
        if str(dist.frag.elem) != elem:
            message = f"atom {atom.name} takes {elem}, the fragment holds {dist.frag.elem}"
            raise PassError(op, message)
    a, b = factors
    (_, inner), (_, cols) = dists[0].grid, dists[2].grid
    first, count = op.ints_attr("atoms") or (0, len(acc))
    if not 0 <= first <= first + count <= len(acc):
        raise PassError(op, f"atoms [{first}, {count}] of {len(acc)}")
    swapped = op.str_attr("order", "ab") == "ba"
    for number in range(first, first + count):
        i, j = divmod(number, cols)
        for k in range(inner):
            left, right = a[i * inner + k], b[k * cols + j]
            if swapped:
                left, right = right, left
            acc[number] = state.backend.mma(atom, left, right, acc[number])
    return acc


@dataclass(frozen=True)
class Operand:
    """One factor of a plain product: in registers (``vectors``), or still in memory (``load``)."""

    dist: Distribution
    vectors: Sequence[ir.Value]
    load: ir.Operation | None

    @property
    def along(self) -> int:
        """Which coordinate is not k: 0 in role a, 1 in role b."""
        return 0 if self.dist.frag.role == "a" else 1


def _operand(state: State, value: ir.Value, dist: Distribution) -> Operand:
    load = state.deferred.get(value)
    return Operand(dist, [] if load else state.values[value], load)


def _fma(
    state: State, op: MmaOp, dists: Sequence[Distribution], acc: list[ir.Value]
) -> list[ir.Value]:
    a, b = (
        _operand(state, value, dist)
        for value, dist in zip(list(op.operation.operands)[:2], dists[:2], strict=True)
    )
    depth = dists[0].frag.cols
    if a.load is None or b.load is None:
        zero = emit.index(0)
        return _steps(state, (a, b), dists[2], acc, zero, 0, depth)
    # Guarded elements have an address and a condition each: those of several k at once, or of an
    # unrolled loop, do not fit into 255 registers.
    whole = all(complete(state, LoadOp(x.load), x.dist) for x in (a, b) if x.load is not None)
    step = math.gcd(depth, _K_STEP) if whole else 1
    loop = scf.ForOp(emit.index(0), emit.index(depth), emit.index(step), acc)
    if not whole:
        loop.operation.attributes["loop_annotation"] = ir.Attribute.parse(_ROLLED)
    with ir.InsertionPoint(loop.body):
        inner = list(loop.inner_iter_args)
        k = loop.induction_variable
        scf.YieldOp(_steps(state, (a, b), dists[2], inner, k, depth - step, step))
    return list(loop.results)


def _steps(
    state: State,
    factors: tuple[Operand, Operand],
    dist: Distribution,
    acc: list[ir.Value],
    k: ir.Value,
    k_max: int,
    count: int,
) -> list[ir.Value]:
    """``count`` rank-1 updates from index ``k`` (at most ``k_max``, a multiple of count) on."""
    places = fragments.block_places(dist)
    rows = sorted({row for block in places for row, _ in block})
    cols = sorted({col for block in places for _, col in block})
    elem = dist.frag.elem
    left = _fetch(state, factors[0], rows, (k, k_max, count), elem)
    right = _fetch(state, factors[1], cols, (k, k_max, count), elem)
    updated = []
    for vector, block in zip(acc, places, strict=True):
        scalars = [fragments.scalar(Element(vector, slot)) for slot in range(len(block))]
        for step in range(count):
            for slot, (row, col) in enumerate(block):
                scalars[slot] = llvm.intr_fma(left(row, step), right(col, step), scalars[slot])
        updated.append(fragments.from_scalars(scalars, elem))
    return updated


def _fetch(
    state: State,
    operand: Operand,
    lines: Sequence[int],
    steps: tuple[ir.Value, int, int],
    elem: ir.Type,
) -> Fetch:
    """Access to ``lines`` x ``steps`` of an operand, as scalars of ``elem``, each made once."""
    if operand.load is None:
        found = _in_registers(operand)
    else:
        places = [_place(operand, line, step) for line in lines for step in range(steps[2])]
        found = _in_memory(state, operand, operand.load, places, steps, elem)
    scalars: dict[Place, ir.Value] = {}

    def fetch(line: int, step: int) -> ir.Value:
        place = _place(operand, line, step)
        if place not in scalars:
            value = fragments.scalar(found[place])
            scalars[place] = value if value.type == elem else arith.extf(elem, value)
        return scalars[place]

    return fetch


def _place(operand: Operand, line: int, step: int) -> Place:
    return (line, step) if operand.along == 0 else (step, line)


def _in_registers(operand: Operand) -> dict[Place, Element]:
    blocks = fragments.block_places(operand.dist)
    return {
        place: Element(vector, slot)
        for vector, block in zip(operand.vectors, blocks, strict=True)
        for slot, place in enumerate(block)
    }


def _in_memory(
    state: State,
    operand: Operand,
    load: ir.Operation,
    places: Sequence[Place],
    steps: tuple[ir.Value, int, int],
    elem: ir.Type,
) -> dict[Place, Element]:
    tile = load_tile(state, LoadOp(load), operand.dist, steps)
    if tile is None:
        zero = emit.zeros(emit.vector(1, elem))
        return {place: Element(zero, 0) for place in places}
    lanes = fragments.lanes_of(operand.dist, state.lane, state.target.wave_size)
    return fragments.gather(Addresses(tile, lanes), places, elem)
