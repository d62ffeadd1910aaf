"""stage-epilogue: the output tile is put together in LDS and leaves in whole rows.

Before: store(%C, %m, %n)
After:  wait lds; wait copy; arrive; wait_barrier; store(%C_LDS, %wave_m, %wave_n);
        wait lds; arrive; wait_barrier; copy(%C_LDS, %C)     (by the waves)
        wait lds; fence; arrive; wait_barrier; copy_async(%C_LDS, %C); wait copy   (by an engine)
        and, with `columns`, the same again for the next columns of the accumulators
Source: the Helios GEMM ladder, Level 10
Test:   lit_tests/stage-epilogue
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.build_copies import Posting, copy_async
from gemm_ladder.dialect_defs.build_sync import fence
from gemm_ladder.dialect_defs.tile import CopyOp, StoreOp, ints
from gemm_ladder.dialect_defs.types import element_bytes
from gemm_ladder.passes.analysis.budget import check_lds
from gemm_ladder.passes.analysis.coords import Split, hoist, total
from gemm_ladder.passes.analysis.dead_rings import reusable
from gemm_ladder.passes.analysis.kernel import Kernel, ancestors, constant, kernels, ring_name
from gemm_ladder.passes.analysis.output_tiles import OutputTile, output_tiles
from gemm_ladder.passes.analysis.region import TileRegion, copy_alignment, extents
from gemm_ladder.passes.analysis.remarks import remark
from gemm_ladder.passes.analysis.staging import PART, Staging, choose, equal_parts, fits
from gemm_ladder.passes.analysis.sync import check_uniform_place, workgroup_barrier
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class StageEpilogue:
    """The output tile is put together in LDS and leaves in whole rows.

    Before: every wave stores its accumulators to global memory, a few columns of many rows at once
    After: the waves store them to an LDS tile, on the bytes of rings that are not read any more
        where there are such, and the workgroup copies the tile row by row; or, where the target has
        a copy engine that takes swizzled tiles and may write the operand, one wave posts the tile;
        with ``columns``, so many at a time
    Source: the Helios GEMM ladder, Level 10
    """

    name: ClassVar[str] = "stage-epilogue"
    analysis: ClassVar[bool] = False

    alias: bool = option(True, help="use the LDS of rings that are not read any more")
    columns: int = option(
        0,
        help="most columns staged at a time, in equal parts, fewer where LDS is short; 0: all",
        minimum=0,
    )

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Stage every output tile; raises PassError if there is none.

        Or if LDS is too small for it; with ``alias`` false such a tile stays, with a remark.
        """
        found = [(k, tile) for k in kernels(module, ctx) for tile in output_tiles(k)]
        if not found:
            raise PassError(
                module.operation,
                "found no store of an accumulator to global memory; run tile-workgroup first",
            )
        for kernel, tile in found:
            self._stage(kernel, tile, ctx)
            check_lds(kernel)

    def _stage(self, kernel: Kernel, tile: OutputTile, ctx: PassContext) -> None:
        first = tile.stores[0]
        at = build.unnamed(first.location)
        check_uniform_place(first.operation)
        for term in (*tile.region.row_terms, *tile.region.col_terms):
            hoist(term, first.operation)
        region = self._round(tile)
        with ir.InsertionPoint(first), at:
            coords = _start(tile)
            align = copy_alignment(region, coords)
            region, staging = self._fitting(kernel, region, align, tile.region.cols)
        name = ring_name(kernel, region.src)
        older = self._older(kernel, staging, first)
        why_not = "" if self.alias else _no_room(kernel, staging)
        if why_not:
            remark(kernel, ctx, at, f"{name} is not staged: {why_not}")
            return
        if staging.reason:
            remark(kernel, ctx, at, f"{name} is written by the waves: {staging.reason}")
        with kernel.head(), at:
            bar = workgroup_barrier(kernel)
            with build.named(name, at):
                ring = build.alloc(staging.ring, name, older)
        stage = _Stage(kernel, tile, region, staging, ring, bar)
        with ir.InsertionPoint(first), at:
            counts = extents(kernel, region, coords)
            if older is not None or _repeats(first):
                stage.wait_for_readers()
        behind = _behind(tile.stores[-1])
        stage.write(0, tile.stores)
        with behind, at:
            stage.send(coords, counts, align)
            stage.send_rest(coords, align)
            if staging.engine is not None:
                build.wait("copy")
        for store in tile.stores:
            store.operation.erase()

    def _round(self, tile: OutputTile) -> TileRegion:
        """What is staged at a time; PassError where a store does not reach across the tile."""
        region = tile.region
        if not self.columns or self.columns >= region.cols:
            return region
        parts = equal_parts(region.cols, self.columns)
        for store in tile.stores:
            if store.cols != (0, region.cols) or not parts:
                raise PassError(
                    store,
                    f"at most {self.columns} columns at a time: a tile of {region.cols} columns, of"
                    f" which a wave stores {store.cols[1]}, has no equal parts of whole {PART}s",
                )
        return replace(region, cols=parts[-1])

    def _fitting(
        self, kernel: Kernel, region: TileRegion, align: int, whole: int
    ) -> tuple[TileRegion, Staging]:
        """``region``, or with ``columns`` the widest part of ``whole`` that LDS has room for."""
        staging = choose(kernel, region, align)
        if self.columns and not self.alias and staging.engine is not None:
            least = staging.ring.layout.block // element_bytes(staging.ring.elem)
            parts = equal_parts(whole, region.cols - 1, least)
            while parts and not fits(kernel, staging.ring):
                region = replace(region, cols=parts.pop())
                staging = choose(kernel, region, align)
        return region, staging

    def _older(self, kernel: Kernel, staging: Staging, first: StoreOp) -> ir.Value | None:
        """A ring on whose bytes the tile may lie."""
        if not self.alias:
            return None
        return reusable(kernel, staging.ring.total_bytes, first.operation)


@dataclass(frozen=True)
class _Stage:
    """``tile`` on its way through ``ring``, ``region`` of it at a time; ``bar`` is of all waves."""

    kernel: Kernel
    tile: OutputTile
    region: TileRegion
    staging: Staging
    ring: ir.Value
    bar: ir.Value

    def wait_for_readers(self) -> None:
        """Until nobody reads what lies in the ring's bytes."""
        build.wait("lds")
        build.wait("copy")
        _hand_off(self.bar)

    def write(self, start: int, places: Sequence[StoreOp]) -> None:
        """Store the columns from ``start`` on, at ``places``, else at the insertion point."""
        whole = self.region.cols == self.tile.region.cols
        for number, store in enumerate(self.tile.stores):
            there = ir.InsertionPoint(places[number]) if places else nullcontext()
            with there, build.unnamed(store.location):
                made = self._store(store, self.tile.region.splits[number])
            if not whole:
                made.attributes["cols"] = ints([start, self.region.cols])

    def _store(self, store: StoreOp, where: tuple[Split, Split]) -> ir.Operation:
        """Store the same accumulator in the ring, where the wave's part lies in the tile."""
        starts = zip(where, self.tile.origin, strict=True)
        coords = [_within(part, start) for part, start in starts]
        made = build.store(store.frag, self.ring, [build.index(0), *coords])
        if "chain" in store.operation.attributes:
            made.attributes["chain"] = store.operation.attributes["chain"]
        return made

    def send(self, coords: list[ir.Value], counts: tuple[ir.Value, ir.Value], align: int) -> None:
        """Copy what is in the ring to global memory, when all waves have written."""
        engine = self.staging.engine
        build.wait("lds")
        if engine is not None:
            fence("async")
        _hand_off(self.bar)
        copy = build.copy(self.ring, self.region.src, build.index(0), coords, counts, align)
        if engine is not None:
            copy_async(CopyOp(copy), Posting(engine.name, issuer=0))
            copy.erase()

    def send_rest(self, coords: list[ir.Value], align: int) -> None:
        """The columns behind the first ones, each part when the one before has left."""
        for start in range(self.region.cols, self.tile.region.cols, self.region.cols):
            build.wait("copy")
            _hand_off(self.bar)
            self.write(start, ())
            there = [coords[0], arith.addi(coords[1], build.index(start))]
            self.send(there, extents(self.kernel, self.region, there), align)


def _no_room(kernel: Kernel, staging: Staging) -> str:
    """Why the ring has no place behind the others; "" if it has."""
    if fits(kernel, staging.ring):
        return ""
    size, most = staging.ring.total_bytes, kernel.target.lds_bytes
    return f"{size:,} B beside the other rings are more than {most:,} B of LDS"


def _start(tile: OutputTile) -> list[ir.Value]:
    """(row, col) of the tile in global memory."""
    region = tile.region
    return [
        total([*terms, build.index(start)] if start else list(terms))
        for terms, start in zip((region.row_terms, region.col_terms), tile.origin, strict=True)
    ]


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
