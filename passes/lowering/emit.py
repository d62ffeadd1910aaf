"""Small integer, pointer and vector arithmetic at the current insertion point.

Arguments that may be constants are Python ints; adding 0 or multiplying by 1 emits nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, llvm, scf

_DYNAMIC = -2147483648  # LLVM dialect: "this getelementptr index is the next operand"


def int_type(bits: int) -> ir.Type:
    """The signless integer type of ``bits``."""
    return ir.IntegerType.get_signless(bits)


def constant(type_: ir.Type, value: int) -> ir.Value:
    """An integer or index constant."""
    return arith.constant(type_, ir.IntegerAttr.get(type_, value))


def i32(value: int) -> ir.Value:
    """An i32 constant."""
    return constant(int_type(32), value)


def i64(value: int) -> ir.Value:
    """An i64 constant."""
    return constant(int_type(64), value)


def index(value: int) -> ir.Value:
    """An index constant."""
    return constant(ir.IndexType.get(), value)


def to_i32(value: ir.Value) -> ir.Value:
    """An index value as i32."""
    return arith.index_cast(int_type(32), value)


def to_i64(value: ir.Value) -> ir.Value:
    """An index value as i64."""
    return arith.index_cast(int_type(64), value)


def to_index(value: ir.Value) -> ir.Value:
    """A non-negative integer value as index."""
    return arith.index_castui(ir.IndexType.get(), value)


def widen(value: ir.Value) -> ir.Value:
    """A non-negative i32 as i64."""
    return arith.extui(int_type(64), value)


def narrow(value: ir.Value) -> ir.Value:
    """The low 32 bits of an i64."""
    return arith.trunci(int_type(32), value)


def add(a: ir.Value, b: ir.Value | int) -> ir.Value:
    """a + b."""
    if isinstance(b, int):
        return a if b == 0 else arith.addi(a, constant(a.type, b))
    return arith.addi(a, b)


def subtract(a: ir.Value, b: ir.Value) -> ir.Value:
    """a - b."""
    return arith.subi(a, b)


def mul(a: ir.Value, b: int) -> ir.Value:
    """a * b."""
    return a if b == 1 else arith.muli(a, constant(a.type, b))


def scaled(a: ir.Value, times: int, by: int) -> ir.Value:
    """a / by * times, for an ``a`` that ``by`` divides."""
    if times % by == 0:
        return mul(a, times // by)
    return mul(udiv(a, by), times)


def udiv(a: ir.Value, b: int) -> ir.Value:
    """a / b, unsigned; a shift where b is a power of two."""
    if b == 1:
        return a
    if b & (b - 1) == 0:
        return arith.shrui(a, constant(a.type, b.bit_length() - 1))
    return arith.divui(a, constant(a.type, b))


def urem(a: ir.Value, b: int) -> ir.Value:
    """a % b, unsigned; a mask where b is a power of two."""
    if b & (b - 1) == 0:
        return arith.andi(a, constant(a.type, b - 1))
    return arith.remui(a, constant(a.type, b))


def less(a: ir.Value, b: ir.Value) -> ir.Value:
    """a < b, signed."""
    return arith.cmpi(arith.CmpIPredicate.slt, a, b)


def all_of(tests: Sequence[ir.Value]) -> ir.Value:
    """The conjunction of at least one i1."""
    return functools.reduce(arith.andi, tests)


def select(test: ir.Value, yes: ir.Value, no: ir.Value) -> ir.Value:
    """yes where test, else no."""
    return arith.select(test, yes, no)


def guarded(test: ir.Value | None, act: Callable[[], object]) -> None:
    """What ``act`` emits, in an scf.if on ``test``; without one if that is None."""
    if test is None:
        act()
        return
    guard = scf.IfOp(test)
    with ir.InsertionPoint(guard.then_block):
        act()
        scf.YieldOp([])


def bits(value: ir.Value, weights: Sequence[int]) -> ir.Value:
    """Sum of weights[i] over the set bits i of an i32: a run of doublings is one multiply."""
    total, first = None, 0
    while first < len(weights):
        last = first + 1
        while last < len(weights) and weights[last] == 2 * weights[last - 1]:
            last += 1
        if weights[first]:
            part = value if first == 0 else arith.shrui(value, i32(first))
            part = arith.andi(part, i32((1 << (last - first)) - 1))
            part = mul(part, weights[first])
            total = part if total is None else arith.addi(total, part)
        first = last
    return i32(0) if total is None else total


def pointer_type(space: int) -> ir.Type:
    """`!llvm.ptr<space>`."""
    return ir.Type.parse(f"!llvm.ptr<{space}>")


def offset(pointer: ir.Value, step: ir.Value | int) -> ir.Value:
    """``pointer`` moved by ``step`` bytes; a 32-bit step is not negative."""
    byte = int_type(8)
    if isinstance(step, int):
        if step == 0:
            return pointer
        dynamic, constants = [], [step]
    else:
        wide = step.type == int_type(32) and "<1>" in str(pointer.type)
        dynamic, constants = [widen(step) if wide else step], [_DYNAMIC]
    # No inbounds or nuw: MLIR 22.1's Python bindings drop getelementptr's flags.
    return llvm.GEPOp(pointer.type, pointer, dynamic, constants, byte, 0).result


def load(pointer: ir.Value, type_: ir.Type, align: int) -> ir.Value:
    """A load of ``type_``."""
    return llvm.LoadOp(type_, pointer, alignment=align).result


def load_if(test: ir.Value, pointer: ir.Value, type_: ir.Type, align: int) -> ir.Value:
    """A load of ``type_`` where ``test``, else zero."""
    guard = scf.IfOp(test, [type_], has_else=True)
    with ir.InsertionPoint(guard.then_block):
        scf.YieldOp([load(pointer, type_, align)])
    with ir.InsertionPoint(guard.else_block):
        scf.YieldOp([zeros(type_)])
    return guard.results[0]


def store(value: ir.Value, pointer: ir.Value, align: int) -> None:
    """A store of ``value``."""
    llvm.StoreOp(value, pointer, alignment=align)


def vector(count: int, elem: ir.Type) -> ir.Type:
    """The 1-D vector type."""
    return ir.VectorType.get([count], elem)


def count_of(value: ir.Value) -> int:
    """Elements of a vector, 1 for a scalar."""
    return ir.VectorType(value.type).shape[0] if isinstance(value.type, ir.VectorType) else 1


def zeros(type_: ir.Type) -> ir.Value:
    """The zero of a scalar, vector or struct type of floats or integers."""
    if str(type_).startswith("!llvm.struct"):
        return llvm.ZeroOp(type_).res
    if isinstance(type_, ir.VectorType):
        elem = ir.VectorType(type_).element_type
        return arith.constant(type_, ir.DenseElementsAttr.get_splat(type_, _zero_attr(elem)))
    return arith.constant(type_, _zero_attr(type_))


def _zero_attr(elem: ir.Type) -> ir.Attribute:
    if isinstance(elem, ir.FloatType):
        return ir.FloatAttr.get(elem, 0.0)
    return ir.IntegerAttr.get(elem, 0)
