"""matrix-core: choose the matrix instruction and the operand order of every `tile.mma`.

Before: %d = mma(%a, %b, %c)
After:  %d = mma(%a, %b, %c) {atom = "wmma_f32_16x16x32_bf16", order = "ba"}
Source: the atoms of compiler/targets/*.toml
Test:   lit_tests/matrix-core
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs.target import Atom, Target
from gemm_ladder.dialect_defs.tile import MmaOp
from gemm_ladder.dialect_defs.types import FragType
from gemm_ladder.passes.analysis.kernel import kernels, ops_named
from gemm_ladder.passes.base import PassContext, PassError


@dataclass(frozen=True)
class MatrixCore:
    """Choose the matrix instruction and the operand order of every `tile.mma`.

    Before: products without an atom, which lower to FMAs
    After: `atom` names the instruction; `order` "ba" computes the transpose, so that a lane holds
        consecutive columns of row-major C. Where the target has no instruction for the element
        type (f32), the FMA path stays, with a remark.
    Source: the atoms of compiler/targets/*.toml
    """

    name: ClassVar[str] = "matrix-core"
    analysis: ClassVar[bool] = False

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Set atom and order; raises PassError if there is no mma or its fragments do not fit."""
        found = [
            (k, MmaOp(op)) for k in kernels(module, ctx) for op in ops_named(k.body, "tile.mma")
        ]
        if not found:
            raise PassError(module.operation, "found no tile.mma; run tile-workgroup first")
        for kernel, mma in found:
            if "atom" not in mma.operation.attributes:
                self._choose(kernel.target, mma, ctx)

    def _choose(self, target: Target, mma: MmaOp, ctx: PassContext) -> None:
        a, b, acc = (FragType.of(v.type) for v in list(mma.operands)[:3])
        if a is None or b is None or acc is None:
            raise PassError(
                mma, "an operand in LDS has no atom yet; run matrix-core before that pass"
            )
        elems = (str(a.elem), str(b.elem), str(acc.elem))
        typed = [x for x in target.atoms if x.waves == 1 and (x.a, x.b, x.acc) == elems]
        if not typed:
            ctx.remark(
                mma.location,
                f"matrix-core: {target.name} has no matrix instruction for {elems[0]};"
                " the product stays on FMAs",
            )
            return
        fitting = [x for x in typed if _fits(x, a, acc)]
        if not fitting:
            options = ", ".join(f"{x.m}x{x.n}x{x.k}" for x in typed)
            raise PassError(
                mma,
                f"a wave's {acc.rows}x{acc.cols}x{a.cols} is not a multiple of {target.name}'s"
                f" matrix instruction for {elems[0]} ({options}); change shape or waves of"
                " tile-workgroup",
            )
        atom = max(fitting, key=lambda x: x.m * x.n * x.k)
        mma.operation.attributes["atom"] = ir.StringAttr.get(atom.name)
        mma.operation.attributes["order"] = ir.StringAttr.get(_order(atom))


def _fits(atom: Atom, a: FragType, acc: FragType) -> bool:
    return acc.rows % atom.m == 0 and acc.cols % atom.n == 0 and a.cols % atom.k == 0


def _order(atom: Atom) -> str:
    """ "ba" where it turns a lane's consecutive rows into consecutive columns of row-major C."""
    column_wise = bool(atom.acc_map.slots) and atom.acc_map.slots[0] == (1, 0)
    return "ba" if column_wise and atom.symmetric else "ab"
