"""Products of fragments that are loaded from LDS: their matrix instruction, loads and K steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.target import Atom
from gemm_ladder.dialect_defs.tile import LoadOp, MmaOp
from gemm_ladder.dialect_defs.types import FragType, LdsType
from gemm_ladder.passes.analysis.budget import fragment_registers
from gemm_ladder.passes.analysis.kernel import Kernel, constant, defining, walk
from gemm_ladder.passes.base import PassError

BARRIERS = ("tile.barrier", "tile.arrive", "tile.wait_barrier")


@dataclass(frozen=True)
class Product:
    """A `tile.mma` by ``atom`` of fragments that loads in its block read from LDS.

    ``steps`` is how many atoms deep its K is.
    """

    mma: MmaOp
    atom: Atom
    loads: tuple[LoadOp, LoadOp]
    steps: int

    @property
    def first(self) -> ir.Operation:
        """The load behind which both operands' addresses are known."""
        a, b = (load.operation for load in self.loads)
        return b if a.is_before_in_block(b) else a

    @property
    def atoms(self) -> int:
        """Atoms of the accumulator."""
        return atom_count(self.mma, self.atom)


def atom_count(mma: MmaOp, atom: Atom) -> int:
    """Matrix instructions by ``atom`` that cover the accumulator once."""
    acc = FragType.of(mma.operands[2].type)
    assert acc is not None
    return (acc.rows // atom.m) * (acc.cols // atom.n)


def product_of(kernel: Kernel, mma: MmaOp) -> Product:
    """``mma`` as a product of LDS loads; raises PassError saying what it is not."""
    atom = kernel.target.atom(mma.str_attr("atom"))
    if atom is None:
        raise PassError(mma, "the product has no matrix instruction yet; run matrix-core first")
    if mma.ints_attr("atoms"):
        raise PassError(
            mma, "the product is cut into atoms already: it comes before split-barriers"
        )
    a, b = (_load_of(mma, mma.operands[i], "ab"[i]) for i in range(2))
    depth = a.frag.cols
    if depth % atom.k:
        raise PassError(mma, f"K of {depth} is not a multiple of {atom.name}'s {atom.k}")
    _check_between(a, mma)
    _check_between(b, mma)
    return Product(mma, atom, (a, b), depth // atom.k)


def _load_of(mma: MmaOp, value: ir.Value, operand: str) -> LoadOp:
    if LdsType.of(value.type) is not None:
        raise PassError(mma, f"operand {operand} stays in LDS: it has no registers to pipeline")
    op = defining(value)
    if op is None or op.name != "tile.load":
        made = "a loop's argument" if op is None else f"'{op.name}'"
        raise PassError(mma, f"operand {operand} is {made}: only a load can be cut along K")
    if LdsType.of(op.operands[0].type) is None:
        raise PassError(op, "the fragment comes from global memory; run promote-to-lds first")
    if op.block != mma.operation.block:
        raise PassError(op, "the fragment is loaded outside of the block that multiplies it")
    return LoadOp(op)


def _check_between(load: LoadOp, mma: MmaOp) -> None:
    """Raise PassError where a part of ``load`` could not be moved down to ``mma``."""
    for op in between(load.operation, mma.operation):
        for inner in (op, *nested(op)):
            if inner.name in BARRIERS:
                note = (load.location, "the fragment that would be loaded later")
                text = "a barrier between a load and its product: it comes before split-barriers"
                raise PassError(inner, text, [note])
            if inner.name == "tile.store" and LdsType.of(inner.operands[1].type) is not None:
                raise PassError(inner, "a store to LDS between a load and its product")


def between(first: ir.Operation, last: ir.Operation) -> list[ir.Operation]:
    """The ops of one block behind ``first`` and before ``last``."""
    ops = [view.operation for view in first.block.operations]
    return ops[ops.index(first) + 1 : ops.index(last)]


def nested(op: ir.Operation) -> Iterator[ir.Operation]:
    """Every op inside the regions of ``op``."""
    for region in op.regions:
        for block in region.blocks:
            yield from walk(block)


def cut_load(load: LoadOp, depth: int, step: int, coords: list[ir.Value], slot: int) -> ir.Value:
    """At the insertion point, the part of ``load`` at K = ``step`` * ``depth``, ``depth`` deep.

    ``coords`` are the load's own, as they read at the insertion point; the value bears the load's
    name with the register ``slot``.
    """
    axis = 1 if (load.frag.role == "b") != load.transposed else 2
    place = list(coords)
    with load.location:
        place[axis] = _further(coords[axis], step * depth)
    at, name = load.location, value_name(load.operation)
    with build.named(f"{name}{slot}", build.unnamed(at)) if name else at:
        return build.load(load.src, place, slice_of(load.frag, depth), load.transposed)


def slice_of(frag: FragType, depth: int) -> FragType:
    """An operand like ``frag`` of which K is ``depth``."""
    return replace(frag, rows=depth) if frag.role == "b" else replace(frag, cols=depth)


def _further(start: ir.Value, distance: int) -> ir.Value:
    fixed = constant(start)
    if fixed is not None:
        return build.index(fixed + distance)
    return start if distance == 0 else arith.addi(start, build.index(distance))


def value_name(op: ir.Operation) -> str:
    """What ``op``'s result is called, "" if it has no name."""
    at = op.location
    return str(at.name_str) if at.is_a_name() else ""


def read_count(frag: FragType, wave_size: int) -> int:
    """LDS reads of 16 bytes a lane that fetch ``frag``."""
    return max(1, fragment_registers(frag, wave_size) // 4)
