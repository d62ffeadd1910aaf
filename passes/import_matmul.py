"""import-matmul: turn each linalg contraction into a GPU kernel of one `tile.contract`.

Before: linalg.matmul ins(%A, %B) outs(%C) in a func.func, on tensors or memrefs
After:  gpu.func @mm(%A, %B, %C: memref) kernel { "tile.contract"(%A, %B, %C) }
Source: linalg contraction semantics: MLIR, linalg dialect
Test:   lit_tests/import-matmul
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import gpu, linalg

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import ints
from gemm_ladder.passes.analysis.linalg_gemm import Gemm, recognise
from gemm_ladder.passes.base import PassContext, PassError

_PURE = {"arith.constant", "tensor.empty"}
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class ImportMatmul:
    """Turn each linalg contraction into a GPU kernel of one `tile.contract`.

    Before: linalg.matmul or an equivalent linalg.generic in a func.func, tensors or memrefs
    After: gpu.func with (A, B, C) in global memory and one `tile.contract`, a kernel a matmul
    Source: linalg contraction semantics: MLIR, linalg dialect
    """

    name: ClassVar[str] = "import-matmul"
    analysis: ClassVar[bool] = False

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Replace every function that holds contractions; raises PassError if there is none."""
        found = [(f, _gemms(f)) for f in module.body.operations if _is_function(f)]
        found = [(f, gemms) for f, gemms in found if gemms]
        if not found:
            raise PassError(
                module.operation, "found no linalg.matmul, nor a linalg.generic that is one"
            )
        _check_names(found)
        holder = _kernel_module(module, ctx.default_target)
        for function, gemms in found:
            for name, gemm in zip(_names(function, gemms), gemms, strict=True):
                _make_kernel(holder, name, gemm)
        for function, _ in found:
            function.operation.erase()


def _names(function: ir.OpView, gemms: list[Gemm]) -> list[str]:
    base = str(ir.StringAttr(function.operation.attributes["sym_name"]).value)
    return [base] if len(gemms) == 1 else [f"{base}_{i}" for i in range(len(gemms))]


def _check_names(found: list[tuple[ir.OpView, list[Gemm]]]) -> None:
    """Refuse kernel names that assemblers do not take, or that come out twice."""
    taken: set[str] = set()
    for function, gemms in found:
        for name in _names(function, gemms):
            if not _NAME.fullmatch(name):
                raise PassError(
                    function,
                    f"'{name}' cannot name a kernel: use letters, digits and _, no digit first",
                )
            if name in taken:
                raise PassError(
                    function, f"two kernels would be called '{name}': rename a function"
                )
            taken.add(name)


def _is_function(op: ir.OpView) -> bool:
    return bool(op.operation.name == "func.func") and len(op.regions[0].blocks) > 0


def _gemms(function: ir.OpView) -> list[Gemm]:
    blocks = list(function.regions[0].blocks)
    candidates = [op for b in blocks for op in b.operations if _has_linalg(op)]
    if not candidates:
        return []
    if len(blocks) > 1:
        raise PassError(function, "a function with matmuls must be straight-line code")
    gemms = [recognise(op) for op in blocks[0].operations if linalg.isa_contraction_op(op)]
    if gemms:
        _refuse_leftovers(blocks[0], gemms)
        _refuse_shared(gemms)
    elif any(op.operation.name == "linalg.generic" for op in candidates):
        _refuse_leftovers(blocks[0], [])
    return gemms


def _has_linalg(op: ir.OpView) -> bool:
    return bool(op.operation.name.startswith("linalg."))


def _refuse_leftovers(block: ir.Block, gemms: list[Gemm]) -> None:
    """Nothing that the function computes may be lost: name the first op that no kernel covers."""
    covered = [op for gemm in gemms for op in gemm.covers]
    for op in block.operations:
        if op.operation.name in _PURE or any(op.operation == c for c in covered):
            continue
        if op.operation.name == "func.return":
            _refuse_other_results(op, gemms)
            continue
        if op.operation.name == "linalg.fill":
            raise PassError(op, "this fill is not what a matmul of the function starts from")
        raise PassError(
            op,
            f"'{op.operation.name}' is not part of a GEMM: a function to import holds contractions"
            " (mul-add, f32 accumulation), linalg.fill and a final truncf only",
        )


def _refuse_other_results(op: ir.OpView, gemms: list[Gemm]) -> None:
    results = [r for gemm in gemms for done in gemm.covers for r in done.results]
    for value in op.operands:
        if value not in results:
            raise PassError(op, "returns a value that no matmul of the function computes")


def _refuse_shared(gemms: list[Gemm]) -> None:
    """Kernels take pointers of their own: what one writes in memory no other may touch."""
    for one in gemms:
        if not isinstance(one.operands[2].type, ir.MemRefType):
            continue
        for two in gemms:
            touched = two.operands if two is not one else two.operands[:2]
            if one.operands[2] in touched:
                raise PassError(
                    two.contraction,
                    "a matmul of this function writes an operand of this one: put each matmul into"
                    " a function of its own, with operands that do not overlap",
                    [(one.contraction.location, "written here")],
                )


def _kernel_module(module: ir.Module, target: str) -> ir.Block:
    taken = {
        ir.StringAttr(op.operation.attributes["sym_name"]).value
        for op in module.body.operations
        if "sym_name" in op.operation.attributes
    }
    name = next(
        n for n in ["kernels", *(f"kernels_{i}" for i in range(len(taken)))] if n not in taken
    )
    with ir.InsertionPoint(module.body), module.operation.location:
        made = gpu.GPUModuleOp(ir.StringAttr.get(name))
    made.operation.attributes["tile.target"] = ir.StringAttr.get(target)
    return made.regions[0].blocks.append()


def _make_kernel(holder: ir.Block, name: str, gemm: Gemm) -> None:
    location = gemm.contraction.location
    types = [gemm.a, gemm.b, gemm.c]
    names = ["A", "B", "C"]
    with ir.InsertionPoint(holder), location:
        func = gpu.GPUFuncOp(ir.FunctionType.get(types, []), name, kernel=True)
        arg_locs = [build.named(n, location) for n in names]
        body = func.body.blocks.append(*types, arg_locs=arg_locs)
        func.operation.attributes["tile.names"] = ir.ArrayAttr.get(
            [ir.StringAttr.get(n) for n in names]
        )
        func.operation.attributes["tile.contract"] = _contract_attr(gemm)
        with ir.InsertionPoint(body):
            build.contract(
                *body.arguments,
                a_order=gemm.a_order,
                b_order=gemm.b_order,
                accumulate=gemm.accumulate,
            )
            gpu.ReturnOp([])


def _contract_attr(gemm: Gemm) -> ir.DictAttr:
    """What the kernel computes, for whoever checks it: sizes, orders and whether C is read."""
    m, n, k = ints(gemm.sizes)
    return ir.DictAttr.get(
        {
            "m": m,
            "n": n,
            "k": k,
            "a_order": ir.StringAttr.get(gemm.a_order),
            "b_order": ir.StringAttr.get(gemm.b_order),
            "accumulate": ir.BoolAttr.get(gemm.accumulate),
        }
    )
