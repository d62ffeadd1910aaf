"""promote-to-lds: waves read fragments from LDS tiles that the workgroup copies once.

Before: for %k { %a = load(%A, m0 + wave_m, %k); ... mma }
After:  for %k { copy(%A, %A_LDS); wait; barrier; load(%A_LDS, wave_m); ... mma; wait; barrier }
Source: the Helios GEMM ladder, Level 0; padding: passes/analysis/lds_padding.py
Test:   lit_tests/promote-to-lds
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import LoadOp
from gemm_ladder.dialect_defs.types import Layout, LdsType, element_bytes
from gemm_ladder.passes.analysis.budget import check_lds
from gemm_ladder.passes.analysis.coords import Split, hoist, total
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, ops_named, ring_name
from gemm_ladder.passes.analysis.lds_padding import PIECE, conflict_free
from gemm_ladder.passes.analysis.region import TileRegion, copy_alignment, extents, group_regions
from gemm_ladder.passes.analysis.sync import check_uniform_place, workgroup_barrier
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class PromoteToLds:
    """Waves read fragments from LDS tiles that the workgroup copies once.

    Before: fragments of A and B loaded from global memory by every wave
    After: a copy a block of A and B into LDS, published by a barrier, reused after another
    Source: the Helios GEMM ladder, Level 0
    """

    name: ClassVar[str] = "promote-to-lds"
    analysis: ClassVar[bool] = False

    pad: int | None = option(
        None, help="padding bytes in every LDS bank row; auto avoids bank conflicts", minimum=0
    )

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Promote every block of global fragment loads; raises PassError if there is none."""
        found = [(k, block) for k in kernels(module, ctx) for block in _blocks_with_loads(k)]
        if not found:
            raise PassError(
                module.operation,
                "found no fragment of A or B loaded from global memory; run tile-workgroup first",
            )
        for kernel, block in found:
            self._promote(kernel, block)
            check_lds(kernel)

    def _promote(self, kernel: Kernel, block: ir.Block) -> None:
        loads = [LoadOp(op) for op in block.operations if _is_global_operand(op.operation)]
        first, at = loads[0], build.unnamed(loads[0].location)
        check_uniform_place(first.operation)
        regions = group_regions(kernel, loads)
        for term in (t for r in regions for t in (*r.row_terms, *r.col_terms)):
            hoist(term, first.operation)
        with kernel.head(), at:
            bar = workgroup_barrier(kernel)
        with ir.InsertionPoint(first), at:
            rings = [self._copy(kernel, region) for region in regions]
            build.wait("copy")
            build.barrier(bar)
        for region, ring in zip(regions, rings, strict=True):
            for load, split in zip(region.loads, region.splits, strict=True):
                _redirect(load, ring, split)
        if block.owner.operation.name == "scf.for":
            with ir.InsertionPoint.at_block_terminator(block), at:
                build.wait("lds")
                build.barrier(bar)

    def _copy(self, kernel: Kernel, region: TileRegion) -> ir.Value:
        """Allocate the ring of ``region`` and copy the tile at the insertion point."""
        memref = ir.MemRefType(region.src.type)
        elem = memref.element_type
        layout = self._layout(kernel, region, region.cols * element_bytes(elem))
        ring_type = LdsType(1, region.rows, region.cols, elem, layout)
        at = ir.Location.current
        name = ring_name(kernel, region.src)
        with kernel.head(), build.named(name, at):
            ring = build.alloc(ring_type, name)
        with build.named("start", at):
            coords = [total(list(terms)) for terms in (region.row_terms, region.col_terms)]
        with build.named("valid", at):
            counts = extents(kernel, region, coords)
        align = copy_alignment(region, coords)
        build.copy(region.src, ring, build.index(0), coords, counts, align)
        return ring

    def _layout(self, kernel: Kernel, region: TileRegion, row_bytes: int) -> Layout:
        """Padding against bank conflicts, or none where a row is not whole 16-byte pieces."""
        bank = kernel.target.lds_bank_bytes
        if self.pad == 0 or (self.pad or 0) % PIECE or row_bytes % PIECE:
            return Layout()
        if self.pad is not None:
            return Layout(pad=self.pad, interval=bank)
        # Where K does not run along the rows, fragments are transposed on their way.
        load = region.loads[0]
        along = (load.frag.role == "a") != load.transposed
        return conflict_free(region.rows, row_bytes, bank, transposes=not along)


def _is_global_operand(op: ir.Operation) -> bool:
    if op.name != "tile.load":
        return False
    load = LoadOp(op)
    return LdsType.of(load.src.type) is None and load.frag.role in ("a", "b")


def _blocks_with_loads(kernel: Kernel) -> list[ir.Block]:
    blocks: list[ir.Block] = []
    for op in ops_named(kernel.body, "tile.load"):
        if _is_global_operand(op) and op.block not in blocks:
            blocks.append(op.block)
    return blocks


def _redirect(load: LoadOp, ring: ir.Value, split: tuple[Split, Split]) -> None:
    """Load the same fragment from ``ring``, at what the wave adds to the tile's position."""
    row, col = (part.wave for part in split)
    with ir.InsertionPoint(load), load.location:
        coords = [build.index(0), total(list(row)), total(list(col))]
        value = build.load(ring, coords, load.frag, load.transposed)
    load.results[0].replace_all_uses_with(value)
    load.operation.erase()
