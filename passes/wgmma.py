"""wgmma: products read their operands straight from LDS, four waves together.

Before: load(%A_LDS) -> %a; load(%B_LDS) -> %b; %d = mma(%a, %b, %c); wait lds; arrive
After:  %d = mma(%A_LDS, %B_LDS, %c) {atom = "wgmma_.."}; wait lds; arrive
Source: PTX ISA, Asynchronous Warpgroup Level Matrix Instructions: wgmma
Test:   lit_tests/wgmma
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs import build, build_sync
from gemm_ladder.dialect_defs.tile import MmaOp
from gemm_ladder.passes.analysis.kernel import Kernel, defining, kernels, ops_named
from gemm_ladder.passes.analysis.lds_operands import LdsProduct, lds_product
from gemm_ladder.passes.base import PassContext, PassError

_HANDS_OFF = ("tile.arrive", "tile.barrier", "tile.wait_barrier")


@dataclass(frozen=True)
class Wgmma:
    """Products read their operands straight from LDS, four waves together.

    Before: fragments loaded from swizzled LDS rings and multiplied; each of four consecutive waves
        has the next 16 rows
    After: one `tile.mma` a K block with both operands in LDS and a warpgroup's atom; it runs on
        beside the waves until `tile.wait lds`, which stands before the slots are handed over
    Source: PTX ISA, Asynchronous Warpgroup Level Matrix Instructions: wgmma
    """

    name: ClassVar[str] = "wgmma"
    analysis: ClassVar[bool] = False

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Rewrite every product; raises PassError where one cannot be, or there is none."""
        found: list[tuple[Kernel, LdsProduct]] = []
        for kernel in kernels(module, ctx):
            if not kernel.target.has("wgmma"):
                raise PassError(kernel.func, f"{kernel.target.name} has no wgmma (capability)")
            mmas = [MmaOp(op) for op in ops_named(kernel.body, "tile.mma")]
            found += [(kernel, p) for m in mmas if (p := lds_product(kernel, m)) is not None]
        if not found:
            raise PassError(
                module.operation,
                "found no product of fragments from LDS; run promote-to-lds and matrix-core first",
            )
        for kernel in {id(k): k for k, _ in found}.values():
            _fence_fills(kernel, [p for k, p in found if k is kernel])
        for made in [_rewrite(product) for _, product in found]:
            _wait_before_hand_off(made)


def _rewrite(product: LdsProduct) -> ir.Operation:
    """The product where its last operand was loaded."""
    mma, at = product.mma, product.place
    with ir.InsertionPoint(at), mma.location:
        result = build_sync.mma_lds(
            product.a.src,
            product.b.src,
            mma.operands[2],
            [*product.a.coords, *product.b.coords],
            atom=product.atom.name,
            transposes=(product.a.transposed, product.b.transposed),
        )
    mma.results[0].replace_all_uses_with(result)
    mma.operation.erase()
    for load in {id(p): p for p in (product.a, product.b)}.values():
        if not any(True for _ in load.results[0].uses):
            load.operation.erase()
    made = defining(result)
    assert made is not None
    return made


def _wait_before_hand_off(mma: ir.Operation) -> None:
    """All of the product's reads are over before the next barrier, or the end of the block."""
    behind = list(mma.block.operations)
    behind = behind[[op.operation for op in behind].index(mma) + 1 :]
    for op in (view.operation for view in behind):
        if op.name == "tile.wait" and _waits_for_reads(op):
            return
        if op.name in _HANDS_OFF or op == behind[-1].operation:
            with ir.InsertionPoint(op), build.unnamed(mma.location):
                build.wait("lds")
            return


def _waits_for_reads(op: ir.Operation) -> bool:
    kind, pending = op.attributes["kind"], op.attributes["pending"]
    return bool(ir.StringAttr(kind).value == "lds" and ir.IntegerAttr(pending).value == 0)


def _fence_fills(kernel: Kernel, products: list[LdsProduct]) -> None:
    """wgmma reads LDS as an engine does: what waves wrote themselves is fenced before it is told.

    A fill by TMA needs none.
    """
    rings = [side.src for p in products for side in (p.a, p.b)]
    fills = ops_named(kernel.body, "tile.copy", "tile.copy_async")
    generic = [op for op in fills if op.operands[1] in rings and not _by_tma(op)]
    if not generic:
        return
    for wait in ops_named(kernel.body, "tile.wait"):
        kind = ir.StringAttr(wait.attributes["kind"]).value
        if kind == "copy":
            with ir.InsertionPoint.after(wait), build.unnamed(wait.location):
                build_sync.fence("async")


def _by_tma(op: ir.Operation) -> bool:
    return "engine" in op.attributes and ir.StringAttr(op.attributes["engine"]).value == "tma"
