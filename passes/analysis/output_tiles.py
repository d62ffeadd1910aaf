"""The tiles of global memory that all waves' stores of accumulators write together."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import StoreOp
from gemm_ladder.dialect_defs.types import FragType, LdsType
from gemm_ladder.passes.analysis.coords import Split, split
from gemm_ladder.passes.analysis.kernel import Kernel, ops_named
from gemm_ladder.passes.analysis.region import TileRegion
from gemm_ladder.passes.base import PassError

Rect = tuple[int, int, int, int]


@dataclass(frozen=True)
class OutputTile:
    """A tile of global memory and the ``stores``, in program order in one block, that fill it.

    It starts ``origin`` (row, col) beyond the sum of ``region``'s uniform terms; what a wave adds
    (``region.splits``) counts from these terms, too.
    """

    region: TileRegion
    origin: tuple[int, int]
    stores: tuple[StoreOp, ...]


def output_tiles(kernel: Kernel) -> list[OutputTile]:
    """Tiles of accumulators stored to global memory.

    A tile is what is stored at one uniform position of one operand. Raises PassError where the
    waves' parts are unknown, overlap, or leave a hole in the tile.
    """
    waves = kernel.waves()
    groups: list[list[tuple[StoreOp, tuple[Split, Split]]]] = []
    for op in ops_named(kernel.body, "tile.store"):
        store = StoreOp(op)
        if LdsType.of(store.dst.type) is not None:
            continue
        row, col = (_split(store, value, waves) for value in store.coords)
        for group in groups:
            other, (r, c) = group[0]
            same = other.dst == store.dst and other.operation.block == op.block
            if same and r.uniform == row.uniform and c.uniform == col.uniform:
                group.append((store, (row, col)))
                break
        else:
            groups.append([(store, (row, col))])
    return [_tile(group) for group in groups]


def _split(store: StoreOp, value: ir.Value, waves: int) -> Split:
    found = split(value, waves)
    if found is None:
        raise PassError(
            store, "cannot tell which elements each wave stores: a coordinate mixes the wave"
        )
    return found


def _tile(group: list[tuple[StoreOp, tuple[Split, Split]]]) -> OutputTile:
    rects = [rect for store, where in group for rect in _rects(store, where)]
    top, left = (min(r[i] for r in rects) for i in (0, 2))
    rows, cols = max(r[1] for r in rects) - top, max(r[3] for r in rects) - left
    first, (row, col) = group[0]
    if not _disjoint(rects) or sum((r[1] - r[0]) * (r[3] - r[2]) for r in rects) != rows * cols:
        raise PassError(
            first, f"the waves' stores do not fill a tile of {rows}x{cols} exactly, each once"
        )
    region = TileRegion(
        first.dst, rows, cols, row.uniform, col.uniform, (), tuple(where for _, where in group)
    )
    return OutputTile(region, (top, left), tuple(store for store, _ in group))


def _rects(store: StoreOp, where: tuple[Split, Split]) -> list[Rect]:
    """The rows and columns, [first, behind the last), that each wave stores."""
    frag = FragType.of(store.frag.type)
    assert frag is not None
    return [
        (r, r + frag.rows, c, c + frag.cols)
        for r, c in zip(where[0].offsets, where[1].offsets, strict=True)
    ]


def _disjoint(rects: list[Rect]) -> bool:
    return not any(
        a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
        for number, a in enumerate(rects)
        for b in rects[:number]
    )
