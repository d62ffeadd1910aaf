"""Products whose fragments come straight from LDS, in the shape that a warpgroup's atom takes."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.target import Atom
from gemm_ladder.dialect_defs.tile import LoadOp, MmaOp
from gemm_ladder.dialect_defs.types import FragType, LdsType
from gemm_ladder.passes.analysis.coords import split
from gemm_ladder.passes.analysis.kernel import Kernel, ancestors, constant, defining, walk
from gemm_ladder.passes.base import PassError

# Columns of 2-byte elements in a swizzled block: a descriptor starts at a block.
_BLOCK_COLS = 64
_HANDS_OFF = ("tile.arrive", "tile.barrier", "tile.wait_barrier", "tile.copy", "tile.copy_async")


@dataclass(frozen=True)
class LdsProduct:
    """Product ``mma`` of what ``a`` and ``b`` load from LDS, as ``atom`` does it.

    ``place`` is the op before which the product may read LDS itself: behind both loads, with
    nothing between them and it that hands LDS over.
    """

    mma: MmaOp
    a: LoadOp
    b: LoadOp
    atom: Atom
    place: ir.Operation


def lds_product(kernel: Kernel, mma: MmaOp) -> LdsProduct | None:
    """``mma`` with its loads; None if it reads LDS already. Raises PassError with the reason why
    it cannot: its operands, its layout, its waves, or what stands between."""
    if LdsType.of(mma.operands[0].type) is not None or LdsType.of(mma.operands[1].type) is not None:
        return None
    a, b = (_load(mma, number) for number in (0, 1))
    atom = _atom(kernel, mma)
    for load, depth_dim, what in ((a, 1, "A"), (b, 0, "B")):
        _check_layout(load, what)
        _check_depth(load, depth_dim, what)
    _check_waves(kernel, mma, atom, (a, b))
    return LdsProduct(mma, a, b, atom, _place(mma, a, b))


def _load(mma: MmaOp, number: int) -> LoadOp:
    op = defining(mma.operands[number])
    if op is None or op.name != "tile.load":
        raise PassError(
            mma,
            f"operand {'AB'[number]} is not loaded in the same iteration: run wgmma instead of"
            " register-pipeline",
        )
    load = LoadOp(op)
    if LdsType.of(load.src.type) is None:
        raise PassError(mma, f"{'AB'[number]} comes from global memory; run promote-to-lds first")
    return load


def _atom(kernel: Kernel, mma: MmaOp) -> Atom:
    """The widest atom of the warpgroup that the accumulator is made of."""
    a, acc = (FragType.of(mma.operands[i].type) for i in (0, 2))
    assert a is not None and acc is not None
    grouped = [x for x in kernel.target.atoms if x.waves > 1]
    typed = [x for x in grouped if (x.a, x.acc) == (str(a.elem), str(acc.elem))]
    if not typed:
        known = ", ".join(sorted({x.a for x in grouped}))
        raise PassError(mma, f"wgmma multiplies {known} into f32, not {a.elem} into {acc.elem}")
    rows = typed[0].m
    if acc.rows != rows:
        raise PassError(
            mma,
            f"a wave has {acc.rows} rows of the product, a warpgroup's instruction gives each of"
            f" its {typed[0].waves} waves {rows}: change shape or waves of tile-workgroup, e.g."
            " shape=128x256x64 waves=8x1",
        )
    fitting = [x for x in typed if acc.cols % x.n == 0]
    if not fitting or a.cols % typed[0].k:
        widths = sorted(x.n for x in typed)
        raise PassError(
            mma,
            f"a wave's {acc.rows}x{acc.cols}x{a.cols} is not whole instructions of {rows} rows,"
            f" {widths[0]} to {widths[-1]} columns in steps of {widths[0]} and K = {typed[0].k};"
            " change tile-workgroup's shape or waves",
        )
    return max(fitting, key=lambda x: x.n)


def _ring(load: LoadOp) -> LdsType:
    ring = LdsType.of(load.src.type)
    assert ring is not None
    return ring


def _check_layout(load: LoadOp, what: str) -> None:
    ring = _ring(load)
    width = ring.layout.block or ring.row_bytes
    if ring.layout.swizzle != 128 or width != 128:
        fix = "run swizzle-lds first"
        if ring.row_bytes % 128:
            fix = f"a row of {ring.row_bytes} has none: change tile-workgroup's shape"
        raise PassError(
            load,
            f"{what}'s ring is not laid out in swizzled blocks of 128 bytes, which is what a"
            f" warpgroup's instruction reads; {fix}",
        )


def _check_depth(load: LoadOp, depth_dim: int, what: str) -> None:
    """The whole depth of the ring is multiplied: the instruction's K walks through the tile."""
    ring, frag = _ring(load), load.frag
    in_memory = depth_dim if not load.transposed else 1 - depth_dim
    depth = (ring.rows, ring.cols)[in_memory]
    wanted = frag.cols if depth_dim == 1 else frag.rows
    start = constant(load.coords[1 + in_memory])
    if depth != wanted or start != 0:
        raise PassError(
            load,
            f"{what} is read in pieces of K = {wanted} of {depth}; run wgmma instead of"
            " register-pipeline",
        )


def _check_waves(kernel: Kernel, mma: MmaOp, atom: Atom, loads: tuple[LoadOp, LoadOp]) -> None:
    """Waves of a warpgroup: the atom's rows of A one after another, and the same columns of B."""
    (a, b), group = loads, atom.waves
    waves = _reaching(kernel, mma.operation)
    if len(waves) % group or waves[0] % group:
        raise PassError(mma, f"{len(waves)} waves come here, not whole warpgroups of {group}")
    row = _offsets(kernel, a, 2 if a.transposed else 1, "A")
    col = _offsets(kernel, b, 1 if b.transposed else 2, "B")
    for first in range(waves[0], waves[-1] + 1, group):
        rows = [row[first + i] - row[first] for i in range(group)]
        if rows != [atom.m * i for i in range(group)] or row[first] % (atom.m * group):
            raise PassError(
                mma,
                f"waves {first} to {first + group - 1} have rows {row[first : first + group]} of A;"
                f" the waves of a warpgroup take {atom.m} rows after {atom.m}, from a multiple of"
                f" {atom.m * group} on: give tile-workgroup waves along M only",
            )
        if len(set(col[first : first + group])) != 1 or col[first] % _BLOCK_COLS:
            raise PassError(
                mma,
                f"waves {first} to {first + group - 1} have columns {col[first : first + group]} of"
                f" B; the waves of a warpgroup share theirs, from a multiple of {_BLOCK_COLS} on",
            )


def _offsets(kernel: Kernel, load: LoadOp, coord: int, what: str) -> list[int]:
    """What each wave of the workgroup adds to the coordinate."""
    found = split(load.coords[coord], kernel.waves())
    if found is None or found.uniform:
        raise PassError(load, f"cannot tell which rows or columns of {what} each wave reads")
    return list(found.offsets)


def _reaching(kernel: Kernel, op: ir.Operation) -> list[int]:
    """Waves that come to ``op``, by the tags of the roles around it."""
    waves = list(range(kernel.waves()))
    inner = op
    for around in ancestors(op):
        if "tile.waves" in around.attributes:
            first, count = (
                ir.IntegerAttr(x).value for x in ir.ArrayAttr(around.attributes["tile.waves"])
            )
            chosen = set(range(first, first + count))
            taken = _in_region(inner, around, 0)
            waves = [w for w in waves if (w in chosen) == taken]
        inner = around
    return waves


def _in_region(op: ir.Operation, around: ir.Operation, number: int) -> bool:
    return any(op.block == block for block in around.regions[number].blocks)


def _place(mma: MmaOp, a: LoadOp, b: LoadOp) -> ir.Operation:
    """Right behind the later of the loads, or behind the accumulator's maker if that is later."""
    block = mma.operation.block
    ops = [view.operation for view in block.operations]
    makers = [defining(mma.operands[2]), a.operation, b.operation]
    for load in (a, b):
        if load.operation.block != block:
            raise PassError(mma, "its operands are loaded in another block of the program")
    last = max(ops.index(m) for m in makers if m is not None and m.block == block)
    first = min(ops.index(a.operation), ops.index(b.operation))
    for op in ops[first:last]:
        for inner in (op, *_nested(op)):
            if inner.name in _HANDS_OFF:
                raise PassError(
                    mma,
                    f"'{inner.name}' stands between the loads of its operands: the product cannot"
                    " read both in place",
                    [(inner.location, "here")],
                )
    return ops[last + 1]


def _nested(op: ir.Operation) -> list[ir.Operation]:
    return [x for region in op.regions for block in region.blocks for x in walk(block)]
