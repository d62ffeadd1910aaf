"""tile.contract as it stands: one thread an element of C."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith, gpu, llvm, scf

from gemm_ladder.dialect_defs.tile import ContractOp
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.state import State, memref_facts

THREADS = 256

_Factor = Callable[[ir.Value], ir.Value]


def launch(op: ir.Operation) -> tuple[int, int]:
    """(workgroups, threads of each) for a contraction."""
    rows, cols = ir.MemRefType(op.operands[2].type).shape
    return -(-rows * cols // THREADS), THREADS


def lower(state: State, op: ContractOp) -> None:
    """Each thread sums one row of A times one column of B, in K order, in f32."""
    a, b, c = (_Matrix(state, op.operation, value) for value in op.operation.operands)
    a_rows = op.str_attr("a_order") == "mk"
    b_rows = op.str_attr("b_order") == "kn"
    depth = a.shape[1] if a_rows else a.shape[0]
    _check(op, (a, b, c), a_rows, b_rows)
    if 0 in c.shape:
        return
    group = gpu.block_id(gpu.Dimension.x)
    thread = emit.to_index(state.thread)
    element = emit.add(emit.mul(group, state.threads), thread)
    guard = scf.IfOp(emit.less(element, emit.index(c.shape[0] * c.shape[1])))
    with ir.InsertionPoint(guard.then_block):
        m, n = emit.udiv(element, c.shape[1]), emit.urem(element, c.shape[1])
        start = c.load(m, n) if op.int_attr("accumulate") else emit.zeros(ir.F32Type.get())
        total = _sum(
            depth, start, lambda k: a.at(m, k, not a_rows), lambda k: b.at(k, n, not b_rows)
        )
        c.store(total, m, n)
        scf.YieldOp([])


def _sum(depth: int, start: ir.Value, left: _Factor, right: _Factor) -> ir.Value:
    if depth == 0:
        return start
    loop = scf.ForOp(emit.index(0), emit.index(depth), emit.index(1), [start])
    with ir.InsertionPoint(loop.body):
        k = loop.induction_variable
        scf.YieldOp([llvm.intr_fma(left(k), right(k), loop.inner_iter_args[0])])
    return loop.results[0]


class _Matrix:
    """A global operand, element by element, as f32."""

    def __init__(self, state: State, op: ir.Operation, value: ir.Value) -> None:
        rows, cols, self.pitch, start = memref_facts(value.type, op)
        self.shape = (rows, cols)
        self.elem = ir.MemRefType(value.type).element_type
        if not isinstance(self.elem, ir.FloatType) or self.elem.width > 32:
            raise PassError(op, f"cannot accumulate {self.elem} in f32")
        self.size = self.elem.width // 8
        self.base = emit.offset(state.value(value), start)

    def _pointer(self, row: ir.Value, col: ir.Value) -> ir.Value:
        rows = emit.mul(emit.to_i64(row), self.pitch)
        return emit.offset(self.base, emit.add(rows, emit.mul(emit.to_i64(col), self.size)))

    def load(self, row: ir.Value, col: ir.Value) -> ir.Value:
        value = emit.load(self._pointer(row, col), self.elem, self.size)
        return value if self.elem.width == 32 else arith.extf(ir.F32Type.get(), value)

    def at(self, row: ir.Value, col: ir.Value, swapped: bool) -> ir.Value:
        return self.load(col, row) if swapped else self.load(row, col)

    def store(self, value: ir.Value, row: ir.Value, col: ir.Value) -> None:
        if self.elem.width < 32:
            value = arith.truncf(self.elem, value)
        emit.store(value, self._pointer(row, col), self.size)


def _check(op: ContractOp, matrices: tuple[_Matrix, ...], a_rows: bool, b_rows: bool) -> None:
    a, b, c = (m.shape for m in matrices)
    a = a if a_rows else (a[1], a[0])
    b = b if b_rows else (b[1], b[0])
    if (a[0], b[1], a[1]) != (c[0], c[1], b[0]):
        raise PassError(op, f"shapes {a} * {b} do not give {c} (rows, columns)")
