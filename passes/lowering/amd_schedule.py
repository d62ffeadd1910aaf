"""Where LLVM's scheduler must not mix what a loop of register copies keeps apart."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import rocdl

from gemm_ladder.passes.lowering.walk import body, walk

# The matrix instructions of the dialect, by the prefix of their names.
_PRODUCTS = ("rocdl.wmma", "rocdl.mfma", "rocdl.swmmac")


def hold_order(func: ir.Operation) -> None:
    """In each loop with register copies: global loads, LDS reads, products, LDS stores.

    LLVM's scheduler would save registers by starting the global loads late, storing them first, or
    reading operands between the products; each time products wait for memory. Loops whose passes
    group instructions themselves keep their reads among the products.
    """
    for loop in [op for op in walk(func) if op.name == "scf.for"]:
        ops = body(loop)
        products = [i for i, op in enumerate(ops) if op.name.startswith(_PRODUCTS)]
        if not products:
            continue
        before, behind = range(products[0]), range(products[-1], len(ops))
        stores = [i for i, op in enumerate(ops) if _touches(op, ("llvm.store",), "<3>")]
        loads = [i for i in before if _touches(ops[i], ("llvm.load",), "<1>")]
        reads = [i for i in before if _touches(ops[i], _READS, "<3>")]
        places = {loads[-1], products[-1]} if loads and set(stores) & set(behind) else set()
        grouped = any(op.name == "rocdl.sched.group.barrier" for op in ops)
        if stores and reads and not grouped:
            places.add(reads[-1])
        _fence_behind(ops, places)


def _fence_behind(ops: Sequence[ir.Operation], places: set[int]) -> None:
    for place in places:
        with ir.InsertionPoint(ops[place + 1]), ops[place].location:
            rocdl.SchedBarrier(0)


_READS = ("llvm.load", "rocdl.ds.load.tr16.b128")


def _touches(op: ir.Operation, names: tuple[str, ...], space: str) -> bool:
    """Whether ``op`` has one of ``names`` and its last operand points into ``space``."""
    return op.name in names and str(op.operands[-1].type).endswith(f"ptr{space}")
