"""split-epilogue: waves that own neighbouring rows of a staged tile send them when they are there.

Before: barrier(all); store(%C_LDS, 0, %wave_m); wait lds; fence; barrier(all); copy_async(%C_LDS)
After:  arrive(own, %band); wait_barrier(own, %band); store(%C_LDS, %band, %wave_m mod 64);
        wait lds; fence; arrive(own, %band); wait_barrier(own, %band);
        if (first wave of the band) copy_async(%C_LDS, %band)
Source: NVIDIA CUTLASS, Efficient GEMM in CUDA: Epilogue (warpgroups store their own rows)
Test:   lit_tests/split-epilogue
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, scf

from gemm_ladder.dialect_defs import build, build_sync
from gemm_ladder.dialect_defs.build_copies import Posting, copy_async
from gemm_ladder.dialect_defs.tile import AllocOp, CopyAsyncOp, CopyOp, StoreOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import Kernel, constant, kernels
from gemm_ladder.passes.analysis.region import extent
from gemm_ladder.passes.analysis.remarks import remark
from gemm_ladder.passes.analysis.staged_rows import StagedRows, staged_rows
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class SplitEpilogue:
    """Waves that own neighbouring rows of a staged tile send them when they are there.

    Before: all waves meet before and behind their stores to an LDS tile, which one wave posts
    After: the waves of each band of ``rows`` rows meet at a slot of their own, and the first of
        them posts the band: the others' products go on meanwhile
    Source: NVIDIA CUTLASS, Efficient GEMM in CUDA: Epilogue (warpgroups store their own rows)
    """

    name: ClassVar[str] = "split-epilogue"
    analysis: ClassVar[bool] = False

    rows: int = option(64, help="rows of a band; 64 is a warpgroup's", minimum=8)

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Split every staged tile; raises PassError where its waves do not part in bands."""
        for kernel in kernels(module, ctx):
            tiles = staged_rows(kernel, self.rows)
            if not tiles:
                text = "no output tile in LDS that one wave posts to a copy engine (stage-epilogue)"
                remark(kernel, ctx, kernel.func.location, f"split-epilogue: {text}")
            for tile in tiles:
                if not kernel.target.has("mbarrier"):
                    raise PassError(tile.alloc, f"{kernel.target.name} has no barriers with slots")
                if tile.bands > 1:
                    _split(kernel, tile)


@dataclass(frozen=True)
class _Band:
    """The band of the wave at hand: its number and the wave's row in it, as index values."""

    ring: ir.Value
    bar: ir.Value
    number: ir.Value
    row: ir.Value
    leads: ir.Value


def _split(kernel: Kernel, tile: StagedRows) -> None:
    at = build.unnamed(tile.alloc.location)
    with ir.InsertionPoint(tile.alloc), tile.alloc.location:
        ring = _band_ring(tile)
    with kernel.head(), at:
        bar = build_sync.mbarrier(tile.bands, tile.waves // tile.bands, "own")
    with ir.InsertionPoint(tile.ops[0]), build.unnamed(tile.ops[0].location):
        rows = build.index(tile.rows)
        number, row = arith.divui(tile.row, rows), arith.remui(tile.row, rows)
        leads = arith.cmpi(arith.CmpIPredicate.eq, row, build.index(0))
    band = _Band(ring, bar, number, row, leads)
    meetings = 0
    for op in tile.ops:
        with ir.InsertionPoint(op), build.unnamed(op.location):
            if op.name == "tile.store":
                _store(StoreOp(op), band)
            elif op.name == "tile.copy_async":
                _post(kernel, CopyAsyncOp(op), band, tile)
            else:
                if op.name != "tile.wait_barrier":
                    build_sync.arrive_slot(band.bar, band.number)
                if op.name != "tile.arrive":
                    build_sync.wait_slot(band.bar, band.number, build.index(meetings % 2))
                    meetings += 1
        op.erase()
    tile.alloc.erase()
    if not any(True for _ in tile.bar.results[0].uses):
        tile.bar.erase()


def _band_ring(tile: StagedRows) -> ir.Value:
    """The ring with a slot a band, at the alloc's place."""
    old = AllocOp(tile.alloc)
    ring = LdsType(tile.bands, tile.rows, old.lds.cols, old.lds.elem, old.lds.layout)
    return build.alloc(ring, old.str_attr("name", "ring"))


def _store(store: StoreOp, band: _Band) -> None:
    made = build.store(store.frag, band.ring, [band.number, band.row, store.coords[2]])
    for name in ("chain", "cols"):
        if name in store.operation.attributes:
            made.attributes[name] = store.operation.attributes[name]


def _post(kernel: Kernel, copy: CopyAsyncOp, band: _Band, tile: StagedRows) -> None:
    """The band's rows of the tile, posted by its first wave."""
    rows, whole = tile.rows, tile.rows * tile.bands
    row = arith.addi(copy.coords[0], arith.muli(band.number, build.index(rows)))
    limit = ir.MemRefType(copy.dst.type).shape[0]
    if constant(copy.extents[0]) == whole:
        count = build.index(rows)
    else:
        count = extent(row, rows, limit, kernel.sizes("known_grid_size"))
    guard = scf.IfOp(band.leads)
    with ir.InsertionPoint(guard.then_block):
        coords, counts = [row, copy.coords[1]], [count, copy.extents[1]]
        plain = build.copy(band.ring, copy.dst, band.number, coords, counts, copy.int_attr("align"))
        copy_async(CopyOp(plain), Posting(copy.str_attr("engine")))
        plain.erase()
        scf.YieldOp([])
