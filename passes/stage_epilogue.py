"""stage-epilogue: the output tile is put together in LDS and leaves in whole rows.

Before: store(%C, %m, %n)
After:  wait lds; wait copy; arrive; wait_barrier; store(%C_LDS, %wave_m, %wave_n);
        wait lds; arrive; wait_barrier; copy(%C_LDS, %C)
Source: the Helios GEMM ladder, Level 10
Test:   lit_tests/stage-epilogue
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import StoreOp
from gemm_ladder.dialect_defs.types import Layout, LdsType, element_bytes
from gemm_ladder.passes.analysis.budget import check_lds
from gemm_ladder.passes.analysis.coords import Split, hoist, total
from gemm_ladder.passes.analysis.dead_rings import reusable
from gemm_ladder.passes.analysis.kernel import Kernel, ancestors, constant, kernels, ring_name
from gemm_ladder.passes.analysis.output_tiles import OutputTile, output_tiles
from gemm_ladder.passes.analysis.region import TileRegion, copy_alignment, extents
from gemm_ladder.passes.analysis.sync import check_uniform_place, workgroup_barrier
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option

# The widest access of LDS by a lane, and so the piece that padding must not cut.
_CHUNK = 16


@dataclass(frozen=True)
class StageEpilogue:
    """The output tile is put together in LDS and leaves in whole rows.

    Before: every wave stores its accumulators to global memory, a few columns of many rows at once
    After: the waves store them to an LDS tile, on the bytes of rings that are not read any more
        where there are such, and the workgroup copies the tile row by row
    Source: the Helios GEMM ladder, Level 10
    """

    name: ClassVar[str] = "stage-epilogue"
    analysis: ClassVar[bool] = False

    alias: bool = option(True, help="use the LDS of rings that are not read any more")

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Stage every output tile; raises PassError if there is none, or LDS is too small."""
        found = [(k, tile) for k in kernels(module, ctx) for tile in output_tiles(k)]
        if not found:
            raise PassError(
                module.operation,
                "found no store of an accumulator to global memory; run tile-workgroup first",
            )
        for kernel, tile in found:
            self._stage(kernel, tile)
            check_lds(kernel)

    def _stage(self, kernel: Kernel, tile: OutputTile) -> None:
        region, first, last = tile.region, tile.stores[0], tile.stores[-1]
        at = build.unnamed(first.location)
        check_uniform_place(first.operation)
        for term in (*region.row_terms, *region.col_terms):
            hoist(term, first.operation)
        ring_type = _ring_type(region)
        older = reusable(kernel, ring_type.total_bytes, first.operation) if self.alias else None
        name = ring_name(kernel, region.src)
        with kernel.head(), at:
            bar = workgroup_barrier(kernel)
            with build.named(name, at):
                ring = build.alloc(ring_type, name, older)
        with ir.InsertionPoint(first), at:
            coords = [
                total([*terms, build.index(start)] if start else list(terms))
                for terms, start in zip(
                    (region.row_terms, region.col_terms), tile.origin, strict=True
                )
            ]
            counts = extents(kernel, region, coords)
            if older is not None or _repeats(first):
                build.wait("lds")
                build.wait("copy")
                _hand_off(bar)
        behind = _behind(last)
        for store, split in zip(tile.stores, region.splits, strict=True):
            _redirect(store, ring, split, tile.origin)
        with behind, at:
            build.wait("lds")
            _hand_off(bar)
            align = copy_alignment(region, coords)
            build.copy(ring, region.src, build.index(0), coords, counts, align)


def _ring_type(region: TileRegion) -> LdsType:
    """A ring for the tile whose rows start an odd number of 16-byte pieces apart.

    So 8 or 16 lanes that each write 16 bytes of one column of rows meet no bank twice.
    """
    elem = ir.MemRefType(region.src.type).element_type
    row_bytes = region.cols * element_bytes(elem)
    even = row_bytes % _CHUNK == 0 and row_bytes // _CHUNK % 2 == 0
    layout = Layout(pad=_CHUNK, interval=row_bytes) if even else Layout()
    return LdsType(1, region.rows, region.cols, elem, layout)


def _within(part: Split, start: int) -> ir.Value:
    """What the wave adds, counted from ``start``."""
    fixed = sum(c for v in part.wave if (c := constant(v)) is not None) - start
    moving = [v for v in part.wave if constant(v) is None]
    if fixed < 0:
        return arith.subi(total(moving), build.index(-fixed))
    return total([*moving, build.index(fixed)] if fixed or not moving else moving)


def _repeats(op: StoreOp) -> bool:
    """Whether a loop brings the waves back, while the tile before may still be read."""
    return any(around.name == "scf.for" for around in ancestors(op.operation))


def _hand_off(bar: ir.Value) -> None:
    build.arrive(bar)
    build.wait_barrier(bar)


def _behind(op: StoreOp) -> ir.InsertionPoint:
    ops = [view.operation for view in op.operation.block.operations]
    return ir.InsertionPoint(ops[ops.index(op.operation) + 1])


def _redirect(
    store: StoreOp, ring: ir.Value, where: tuple[Split, Split], origin: tuple[int, int]
) -> None:
    """Store the same accumulator in ``ring``, where the wave's part lies in the tile."""
    with ir.InsertionPoint(store), build.unnamed(store.location):
        coords = [_within(part, start) for part, start in zip(where, origin, strict=True)]
        made = build.store(store.frag, ring, [build.index(0), *coords])
    if "chain" in store.operation.attributes:
        made.attributes["chain"] = store.operation.attributes["chain"]
    store.operation.erase()
