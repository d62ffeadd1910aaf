"""NVVM operations on per-lane vectors: mma.sync, ldmatrix, the warp's number."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import llvm, nvvm, vector

from gemm_ladder.dialect_defs.target import Atom


def _i32() -> ir.IntegerType:
    return ir.IntegerType.get_signless(32)


def _constant(value: int) -> ir.Value:
    return llvm.ConstantOp(_i32(), ir.IntegerAttr.get(_i32(), value)).result


def struct_type(parts: Sequence[ir.Type]) -> ir.Type:
    """The LLVM struct of ``parts``."""
    return ir.Type.parse(f"!llvm.struct<({', '.join(map(str, parts))})>")


def members(value: ir.Value, types: Sequence[ir.Type]) -> list[ir.Value]:
    """The parts of a struct of ``types``."""
    return [
        llvm.ExtractValueOp(type_, value, ir.DenseI64ArrayAttr.get([index])).result
        for index, type_ in enumerate(types)
    ]


def _elements(value: ir.Value) -> list[ir.Value]:
    return list(vector.ToElementsOp(value).results)


def _vector(elements: Sequence[ir.Value]) -> ir.Value:
    type_ = ir.VectorType.get([len(elements)], elements[0].type)
    return vector.FromElementsOp(type_, elements).result


def words_to_vector(words: Sequence[ir.Value], element: ir.Type) -> ir.Value:
    """The vector of 16-bit ``element`` that 32-bit ``words`` hold, low half first."""
    type_ = ir.VectorType.get([2 * len(words)], element)
    return vector.BitCastOp(type_, _vector(words)).result


def _words(value: ir.Value, as_f16: bool) -> list[ir.Value]:
    count = ir.VectorType(value.type).shape[0] // 2
    packed = vector.BitCastOp(ir.VectorType.get([count], _i32()), value).result
    words = _elements(packed)
    if as_f16:  # NVVM passes pairs of f16 as vectors, of bf16 as integers
        pair = ir.VectorType.get([2], ir.F16Type.get())
        words = [llvm.BitcastOp(pair, word).result for word in words]
    return words


def mma_sync(atom: Atom, a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
    """acc + a * b by mma.sync of ``atom``; vectors are a lane's elements in slot order.

    Source: PTX ISA, "mma.sync", shapes with f16/bf16 multiplicands and f32 accumulators.
    """
    f32 = ir.F32Type.get()
    parts = [f32] * ir.VectorType(acc.type).shape[0]
    as_f16 = atom.a == "f16"
    kind = ir.Attribute.parse(f"#nvvm.mma_type<{atom.a}>")
    made = nvvm.MmaOp(
        struct_type(parts),
        ir.Attribute.parse(f"#nvvm.shape<m = {atom.m}, n = {atom.n}, k = {atom.k}>"),
        ir.Attribute.parse("#nvvm.mma_layout<row>"),
        ir.Attribute.parse("#nvvm.mma_layout<col>"),
        _words(a, as_f16),
        _words(b, as_f16),
        _elements(acc),
        multiplicandAPtxType=kind,
        multiplicandBPtxType=kind,
    )
    return _vector(members(made.res, parts))


def ldmatrix(pointer: ir.Value, count: int, trans: bool) -> list[ir.Value]:
    """``count`` (1, 2 or 4) 8 x 8 matrices of 16-bit elements: one 32-bit word each.

    ``pointer`` is the lane's row address in shared memory, 16-byte aligned.
    """
    words: list[ir.Type] = [_i32()] * count
    made = nvvm.LdMatrixOp(
        words[0] if count == 1 else struct_type(words),
        pointer,
        count,
        ir.Attribute.parse(f"#nvvm.mma_layout<{'col' if trans else 'row'}>"),
        ir.Attribute.parse("#nvvm.ld_st_matrix_shape<m = 8, n = 8>"),
        ir.Attribute.parse("#nvvm.ld_st_matrix_elt_type<b16>"),
    )
    return [made.res] if count == 1 else members(made.res, words)


def stmatrix(pointer: ir.Value, words: Sequence[ir.Value], trans: bool) -> None:
    """Store 1, 2 or 4 8 x 8 matrices of 16-bit elements, a 32-bit word of each lane's a matrix.

    ``pointer`` is the lane's row address in shared memory, 16-byte aligned.
    """
    nvvm.StMatrixOp(
        pointer,
        list(words),
        ir.Attribute.parse(f"#nvvm.mma_layout<{'col' if trans else 'row'}>"),
        ir.Attribute.parse("#nvvm.ld_st_matrix_shape<m = 8, n = 8>"),
        ir.Attribute.parse("#nvvm.ld_st_matrix_elt_type<b16>"),
    )


def vector_to_words(value: ir.Value) -> list[ir.Value]:
    """The 32-bit words of a vector of 16-bit elements, low half first."""
    return _words(value, as_f16=False)


def warp_uniform(value: ir.Value) -> ir.Value:
    """``value`` (i32, equal in all lanes of a warp) in a form the compiler knows to be uniform."""
    shuffled = nvvm.ShflOp(
        _i32(),
        _constant(-1),
        value,
        _constant(0),
        _constant(31),
        ir.Attribute.parse("#nvvm<shfl_kind idx>"),
    )
    return shuffled.res


def elected() -> ir.Value:
    """i1: true in one lane of the warp, in a form that the assembler knows to be one lane."""
    return nvvm.ElectSyncOp(ir.IntegerType.get_signless(1)).pred
