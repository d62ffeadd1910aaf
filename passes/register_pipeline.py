"""register-pipeline: load the operands of later K steps while the waves multiply the current one.

Before: %a = load(%A_LDS[current]); %b = load(%B_LDS[current]); ...; mma(%a, %b)
After:  %a0, %b0 = load(step 0); ...; load(step 1); wait lds; mma(step 0); load(step 2); ...
Source: the Helios GEMM ladder, Levels 5, 11 and 12
Test:   lit_tests/register-pipeline
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import MmaOp
from gemm_ladder.dialect_defs.types import FragType
from gemm_ladder.passes.analysis.budget import fragment_registers
from gemm_ladder.passes.analysis.carry import CarriedLoads, carry_loads
from gemm_ladder.passes.analysis.interleave import even
from gemm_ladder.passes.analysis.kernel import Kernel, defining, kernels, ops_named
from gemm_ladder.passes.analysis.products import (
    Product,
    cut_load,
    product_of,
    read_count,
    slice_of,
)
from gemm_ladder.passes.analysis.ring_flow import check_rings
from gemm_ladder.passes.analysis.waits import drains_before, erase_idle_lds_waits
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class RegisterPipeline:
    """Load the operands of later K steps while the waves multiply the current one.

    Before: fragments as deep as an LDS stage, loaded whole and then multiplied
    After: the product is cut along K into steps one matrix instruction deep; operands of
        ``slots`` - 1 steps are in flight or in registers ahead of it, and scheduling groups ask
        for their reads between the instructions. With ``carry`` the first steps of the next stage
        are loaded behind the hand-off and carried into the next iteration.
    Source: the Helios GEMM ladder, Levels 5, 11 and 12
    """

    name: ClassVar[str] = "register-pipeline"
    analysis: ClassVar[bool] = False

    slots: int = option(2, help="steps whose operands have registers at once", minimum=2)
    carry: bool = option(False, help="load the next stage's first steps behind the hand-off")

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Cut every product; raises PassError if there is none, or one cannot be cut."""
        found = [(k, op) for k in kernels(module, ctx) for op in ops_named(k.body, "tile.mma")]
        if not found:
            raise PassError(module.operation, "found no tile.mma; run tile-workgroup first")
        for kernel, op in found:
            if _stays_on_fmas(kernel, MmaOp(op)):
                ctx.remark(op.location, f"{self.name}: a product on FMAs has no K steps; it stays")
                continue
            product = product_of(kernel, MmaOp(op))
            self._check(kernel, product)
            self._rewrite(kernel, product)
            if self.carry:
                check_rings(kernel)

    def _check(self, kernel: Kernel, product: Product) -> None:
        """Raise PassError if K has too few steps, or the registers do not suffice."""
        mma, atom = product.mma, product.atom
        if product.steps < self.slots:
            raise PassError(
                mma,
                f"slots={self.slots} needs as many K steps, and K of {product.steps * atom.k} is"
                f" {product.steps} x {atom.k}; try a deeper shape in tile-workgroup",
            )
        block = kernel.sizes("known_block_size") or (kernel.target.wave_size, 1, 1)
        budget = kernel.target.register_budget(math.prod(block))
        accumulators = _accumulator_registers(kernel, mma.operation.block)
        step = sum(
            fragment_registers(load.frag, kernel.target.wave_size) // product.steps
            for load in product.loads
        )
        need = accumulators + self.slots * step
        if need > budget:
            raise PassError(
                mma,
                f"needs {need} registers a lane, {kernel.target.name} has {budget} at"
                f" {math.prod(block)} threads: accumulators {accumulators} + {self.slots} slots x"
                f" operands {step}; try fewer slots, or smaller tiles of a wave",
            )

    def _rewrite(self, kernel: Kernel, product: Product) -> None:
        lead = self.slots - 1
        old = [load.operation for load in product.loads]
        waits = drains_before(product.mma.operation)
        pieces: list[tuple[ir.Value, ...]] = []
        carried: CarriedLoads | None = None
        if self.carry:
            carried = carry_loads(kernel, product, lead)
            pieces += carried.arguments
        else:
            with ir.InsertionPoint(product.first):
                pieces += [_operands(product, step, self.slots) for step in range(lead)]
                with build.unnamed(product.mma.location):
                    # Together, or the first of the groups below would ask for these.
                    build.sched_group("lds_read", lead * _reads(kernel, product), 1)
        result = self._steps(kernel, product, pieces)
        if carried is not None:
            carried.load_next()
        product.mma.results[0].replace_all_uses_with(result)
        for op in (product.mma.operation, *waits, *old):
            if not any(True for r in op.results for _ in r.uses):
                op.erase()
        erase_idle_lds_waits(result.owner.operation.block)

    def _steps(
        self, kernel: Kernel, product: Product, pieces: list[tuple[ir.Value, ...]]
    ) -> ir.Value:
        """The product as one mma a step, in front of it; ``pieces`` are the first operands."""
        mma, lead, wave = product.mma, self.slots - 1, kernel.target.wave_size
        reads = sum(read_count(slice_of(load.frag, product.atom.k), wave) for load in product.loads)
        acc = mma.operands[2]
        with ir.InsertionPoint(mma):
            for step in range(product.steps):
                ahead = step + lead
                if ahead < product.steps:
                    pieces.append(_operands(product, ahead, self.slots))
                with build.unnamed(mma.location):
                    build.wait("lds", 2 * min(lead, product.steps - 1 - step))
                made = mma.operation.clone().operation
                for number, value in enumerate((*pieces[step], acc)):
                    made.operands[number] = value
                acc = made.results[0]
                if ahead < product.steps:
                    with build.unnamed(mma.location):
                        even(reads, product.atoms).emit()
        return acc


def _operands(product: Product, step: int, slots: int) -> tuple[ir.Value, ...]:
    """Both operands of ``step``, loaded at the insertion point and named after their slot."""
    depth = product.atom.k
    return tuple(cut_load(op, depth, step, op.coords, step % slots) for op in product.loads)


def _reads(kernel: Kernel, product: Product) -> int:
    """LDS reads for the operands of one step."""
    parts = [slice_of(load.frag, product.atom.k) for load in product.loads]
    return sum(read_count(part, kernel.target.wave_size) for part in parts)


def _stays_on_fmas(kernel: Kernel, mma: MmaOp) -> bool:
    """Whether ``mma`` has no atom because the target has none for its element types."""
    if mma.str_attr("atom"):
        return False
    frags = [FragType.of(v.type) for v in list(mma.operands)[:3]]
    elems = tuple(str(f.elem) for f in frags if f is not None)
    return elems not in [(x.a, x.b, x.acc) for x in kernel.target.atoms] and len(elems) == 3


def _accumulator_registers(kernel: Kernel, block: ir.Block) -> int:
    """Registers a lane for the accumulators of ``block``'s products, each chain counted once."""
    roots: list[ir.Value] = []
    for op in [v.operation for v in block.operations if v.operation.name == "tile.mma"]:
        acc = op.operands[2]
        maker = defining(acc)
        chained = maker is not None and maker.name == "tile.mma" and maker.block == block
        if not chained and acc not in roots:
            roots.append(acc)
    frags = [FragType.of(root.type) for root in roots]
    return sum(fragment_registers(f, kernel.target.wave_size) for f in frags if f is not None)
