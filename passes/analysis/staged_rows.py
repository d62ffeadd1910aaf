"""Tiles of C in LDS that one wave posts to a copy engine, and the bands of rows their waves own."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import AllocOp, BarrierCreateOp, CopyAsyncOp, StoreOp
from gemm_ladder.dialect_defs.types import FragType
from gemm_ladder.passes.analysis.coords import split
from gemm_ladder.passes.analysis.kernel import Kernel, defining, ops_named
from gemm_ladder.passes.analysis.sync import reaching_waves
from gemm_ladder.passes.base import PassError

_MEETINGS = ("tile.barrier", "tile.arrive", "tile.wait_barrier")


@dataclass(frozen=True)
class StagedRows:
    """A staged tile in ``bands`` bands of ``rows`` rows, each of as many of its ``waves``.

    ``row`` is the wave's first row in the tile, by which it finds its band. ``ops`` are, in one
    block and in order, the stores and copies of the ring that ``alloc`` makes and the ops on
    ``bar``, at which the waves meet around them.
    """

    alloc: ir.Operation
    bar: ir.Operation
    ops: tuple[ir.Operation, ...]
    row: ir.Value
    rows: int
    bands: int
    waves: int


def staged_rows(kernel: Kernel, rows: int) -> list[StagedRows]:
    """Every staged tile of ``kernel``; PassError where its waves cannot part in bands."""
    found = []
    for alloc in ops_named(kernel.body, "tile.alloc"):
        uses = [use.owner.operation for use in alloc.results[0].uses]
        if any(_is_post(op) for op in uses):
            found.append(_staged(kernel, alloc, uses, rows))
    return found


def _is_post(op: ir.Operation) -> bool:
    return op.name == "tile.copy_async" and not CopyAsyncOp(op).fills_lds


def _staged(kernel: Kernel, alloc: ir.Operation, uses: list[ir.Operation], rows: int) -> StagedRows:
    stores = [op for op in uses if op.name == "tile.store"]
    posts = [op for op in uses if _is_post(op)]
    whole = all(CopyAsyncOp(op).issuer is not None for op in posts)
    if len(stores) + len(posts) != len(uses) or len(alloc.operands) or not stores or not whole:
        raise PassError(
            alloc, "a staged tile is a ring of its own, that waves store to and one wave posts"
        )
    block = posts[0].block
    bar = _barrier_around(block, uses)
    meets = [use.owner.operation for use in bar.results[0].uses]
    ops = [view.operation for view in block.operations]
    if any(op not in ops for op in (*uses, *meets)):
        raise PassError(bar, "the waves meet at this barrier elsewhere, too")
    chosen = [op for op in ops if op in uses or op in meets]
    count = sum(op.name != "tile.arrive" for op in meets)
    if block.owner.operation.name == "scf.for" and count % 2:
        raise PassError(bar, f"{count} meetings a round: phases of slots need an even number")
    lds = AllocOp(alloc).lds
    waves = reaching_waves(kernel, posts[0])
    _check(kernel, stores, waves, rows, lds.rows)
    row = StoreOp(stores[0]).coords[1]
    return StagedRows(alloc, bar, tuple(chosen), row, rows, lds.rows // rows, len(waves))


def _barrier_around(block: ir.Block, uses: list[ir.Operation]) -> ir.Operation:
    """The hardware barrier before the last post, at which the writers of the tile meet."""
    ops = [view.operation for view in block.operations]
    last = max((ops.index(op) for op in uses if op in ops), default=0)
    for op in reversed(ops[:last]):
        if op.name in _MEETINGS:
            made = defining(op.operands[0])
            assert made is not None
            bar = BarrierCreateOp(made)
            if (bar.str_attr("kind"), bar.str_attr("scope")) == ("hw", "workgroup"):
                return made
    raise PassError(uses[0], "no barrier of the workgroup stands before the tile is posted")


def _check(
    kernel: Kernel, stores: list[ir.Operation], waves: list[int], rows: int, height: int
) -> None:
    """PassError unless each wave stores in one band, each band's waves are as many, one leads."""
    bands: dict[int, list[int]] = {}
    for store in stores:
        frag = FragType.of(StoreOp(store).frag.type)
        assert frag is not None
        found = split(StoreOp(store).coords[1], kernel.waves())
        offsets = [] if found is None or found.uniform else [found.offsets[w] for w in waves]
        inside = [at // rows == (at + frag.rows - 1) // rows for at in offsets]
        if not offsets or not all(inside) or height % rows:
            raise PassError(store, f"a wave's rows do not lie in one band of {rows}")
        bands = bands or _by_band(waves, offsets, rows)
        leaders = [at for at in offsets if at % rows == 0]
        same = len({len(members) for members in bands.values()}) == 1
        if bands != _by_band(waves, offsets, rows) or not same or len(leaders) != height // rows:
            raise PassError(store, f"the waves do not part evenly in bands of {rows} rows")


def _by_band(waves: list[int], offsets: list[int], rows: int) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for wave, at in zip(waves, offsets, strict=True):
        found.setdefault(at // rows, []).append(wave)
    return found
