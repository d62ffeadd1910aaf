"""Where LLVM's scheduler must not mix what a loop of register copies keeps apart."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import rocdl

from gemm_ladder.dialect_defs.types import FragType, element_bytes
from gemm_ladder.passes.lowering.state import State
from gemm_ladder.passes.lowering.walk import body, walk

# The matrix instructions of the dialect, by the prefix of their names.
_SPARE = 24  # registers of a lane for addresses and the rest
_PRODUCTS = ("rocdl.wmma", "rocdl.mfma", "rocdl.swmmac")


def crowded(state: State, op: ir.Operation) -> bool:
    """Whether the fragments that the block of ``op`` loads do not fit a lane beside its sums.

    Then LLVM has to read operands between the products, late and in small pieces. A block whose
    passes group its instructions has planned what is live, step by step.
    """
    if any(other.operation.name == "tile.sched_group" for other in op.block):
        return False
    loads = [other.operation for other in op.block if other.operation.name == "tile.load"]
    sums = [other.operation for other in op.block if other.operation.name == "tile.mma"]
    held = [load.results[0] for load in loads]
    held += [mma.results[0] for mma in sums if not any(_feeds(mma, other) for other in sums)]
    budget = state.target.register_budget(state.threads)
    return sum(_registers(v, state.target.wave_size) for v in held) + _SPARE > budget


def _feeds(product: ir.Operation, other: ir.Operation) -> bool:
    return product.results[0] in list(other.operands)


def _registers(value: ir.Value, wave_size: int) -> int:
    frag = FragType.of(value.type)
    if frag is None:
        return 0
    return frag.rows * frag.cols * element_bytes(frag.elem) // (4 * wave_size)


def hold_order(func: ir.Operation, budget: int) -> None:
    """In each loop with register copies: global loads, LDS reads, products, LDS stores.

    LLVM's scheduler would save registers by starting the global loads late, storing them first, or
    reading operands between the products; each time products wait for memory. Loops whose passes
    group instructions themselves, and those whose operands do not fit into ``budget`` registers
    at once, keep their reads among the products.
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
        taken = sum(_vector_registers(op) for op in [ops[i] for i in loads + reads] + [loop])
        if not stores or taken + _SPARE > budget:
            continue
        places = {loads[-1], products[-1]} if loads and set(stores) & set(behind) else set()
        grouped = any(op.name == "rocdl.sched.group.barrier" for op in ops)
        if reads and not grouped:
            places.add(reads[-1])
        _fence_behind(ops, places)


def _vector_registers(op: ir.Operation) -> int:
    """Registers of a lane that the vectors among the results of ``op`` take."""
    vectors = [ir.VectorType(r.type) for r in op.results if isinstance(r.type, ir.VectorType)]
    return sum(v.shape[0] * element_bytes(v.element_type) // 4 for v in vectors)


def _fence_behind(ops: Sequence[ir.Operation], places: set[int]) -> None:
    for place in places:
        with ir.InsertionPoint(ops[place + 1]), ops[place].location:
            rocdl.SchedBarrier(0)


_READS = ("llvm.load", "rocdl.ds.load.tr16.b128")


def _touches(op: ir.Operation, names: tuple[str, ...], space: str) -> bool:
    """Whether ``op`` has one of ``names`` and its last operand points into ``space``."""
    return op.name in names and str(op.operands[-1].type).endswith(f"ptr{space}")
