"""tile.mma by a warpgroup, both operands in LDS: descriptors, groups, and when results are there.

Four consecutive warps multiply 64 rows; tile IR speaks of one warp and its 16. Products run on in
commit groups, one a tile.mma, that tile.wait of kind lds waits for.
Source: PTX ISA, Asynchronous Warpgroup Level Matrix Instructions (layouts, matrix descriptor).
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import llvm, nvvm, vector

from gemm_ladder.dialect_defs.target import Atom
from gemm_ladder.dialect_defs.tile import MmaOp, WaitOp
from gemm_ladder.dialect_defs.types import FragType, LdsType
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.nvidia_descriptors import Matrix, a_matrix, b_matrix
from gemm_ladder.passes.lowering.nvidia_ops import members, struct_type
from gemm_ladder.passes.lowering.state import State
from gemm_ladder.passes.lowering.walk import function_of, walk


def block_type(atom: Atom) -> ir.Type:
    """A lane's part of one accumulator: what the instruction takes and gives back."""
    return struct_type([ir.F32Type.get()] * atom.acc_map.slot_count)


def pack(values: Sequence[ir.Value], atom: Atom) -> list[ir.Value]:
    """Accumulators from vectors.

    They pass through an empty assembly statement: what LLVM knows to be constants it would make
    anew between the product and its fence, which ptxas answers with a fence of its own (C7519).
    """
    made = []
    for value in values:
        block = llvm.mlir_poison(block_type(atom))
        for index, element in enumerate(vector.ToElementsOp(value).results):
            block = llvm.insertvalue(block, element, ir.DenseI64ArrayAttr.get([index]))
        made.append(_tied(block, atom, "// accumulators"))
    return made


def _tied(block: ir.Value, atom: Atom, text: str) -> ir.Value:
    """The registers of ``block`` behind the assembly ``text``, which takes and gives them."""
    count = atom.acc_map.slot_count
    ties = ["=f"] * count + [str(index) for index in range(count)]
    return llvm.InlineAsmOp(
        block_type(atom),
        members(block, [ir.F32Type.get()] * count),
        text,
        ",".join(ties),
        has_side_effects=True,
    ).res


def unpack(values: Sequence[ir.Value], atom: Atom) -> list[ir.Value]:
    """Vectors of accumulators, when every product is over.

    The wait takes and gives back the registers: no use of them moves up across it.
    """
    f32, count = ir.F32Type.get(), atom.acc_map.slot_count
    made = []
    for value in values:
        settled = _tied(value, atom, "wgmma.wait_group.sync.aligned 0;")
        parts = members(settled, [f32] * count)
        made.append(vector.FromElementsOp(emit.vector(count, f32), parts).result)
    return made


def product(state: State, op: MmaOp) -> list[ir.Value]:
    """The new accumulators; the operands are read until a wait says otherwise."""
    a, b, acc = list(op.operation.operands)[:3]
    atom = state.classes.distribution(acc, op.operation).atom
    if atom is None or atom.waves == 1:
        raise PassError(op, "a product of LDS operands needs an atom of a warpgroup; run wgmma")
    blocks = list(state.values[acc])
    rings = [LdsType.of(value.type) for value in (a, b)]
    frag = FragType.of(acc.type)
    if None in rings or frag is None or frag.rows != atom.m:
        raise PassError(op, f"{atom.name} multiplies {atom.m} rows of two LDS operands")
    coords = list(op.operation.operands)[3:]
    left, right = a_matrix(state, op, a, coords[:3]), b_matrix(state, op, b, coords[3:], atom)
    if left.depth != right.depth or left.depth % atom.k:
        raise PassError(op, f"K is {left.depth} in a, {right.depth} in b: multiples of {atom.k}")
    first, count = op.ints_attr("atoms") or (0, len(blocks))
    nvvm.WgmmaFenceAlignedOp()
    for number in range(first, first + count):
        for k in range(0, left.depth, atom.k):
            blocks[number] = _multiply(atom, left, right, (k, number * atom.n), blocks[number])
    nvvm.WgmmaGroupSyncAlignedOp()
    return blocks


def _multiply(atom: Atom, a: Matrix, b: Matrix, at: tuple[int, int], acc: ir.Value) -> ir.Value:
    """acc + a * b of one atom, at (k, n) of the operands."""
    k, n = at
    shape = f"#nvvm.shape<m = {atom.m * atom.waves}, n = {atom.n}, k = {atom.k}>"
    one = ir.Attribute.parse("#nvvm.wgmma_scale_in<one>")
    made = nvvm.WgmmaMmaAsyncOp(
        acc.type,
        acc,
        emit.add(a.start, a.step(0, k)),
        emit.add(b.start, b.step(n, k)),
        ir.Attribute.parse(shape),
        ir.Attribute.parse(f"#nvvm.wgmma_type<{atom.a}>"),
        ir.Attribute.parse(f"#nvvm.wgmma_type<{atom.b}>"),
        ir.Attribute.parse("#nvvm.wgmma_type<f32>"),
        ir.Attribute.parse("#nvvm.wgmma_scale_out<one>"),
        one,
        one,
        # row: k is contiguous in a; col: k is contiguous in b.
        ir.Attribute.parse(f"#nvvm.mma_layout<{'row' if a.k_major else 'col'}>"),
        ir.Attribute.parse(f"#nvvm.mma_layout<{'col' if b.k_major else 'row'}>"),
    )
    return made.results_


def wait(op: WaitOp) -> None:
    """tile.wait of kind lds: groups that may go on. A wave's own accesses are over in order."""
    if any(_is_group(other) for other in walk(function_of(op.operation))):
        nvvm.WgmmaWaitGroupSyncOp(_groups_left(op))


def _groups_left(op: WaitOp) -> int:
    """How many of the last ``pending`` accesses of LDS are products of a warpgroup.

    Counted back in the wait's block; beyond its start, all are if the function has no others.
    Fewer is safe.
    """
    pending = op.int_attr("pending")
    groups, seen = 0, 0
    before = [other.operation for other in op.operation.block]
    for other in reversed(before[: before.index(op.operation)]):
        for inner in reversed([other, *walk(other)]):
            if seen == pending:
                return groups
            if _is_group(inner):
                groups, seen = groups + 1, seen + 1
            elif _is_access(inner):
                seen += 1
    only = not any(_is_access(other) for other in walk(function_of(op.operation)))
    return pending if only else groups


def _is_group(op: ir.Operation) -> bool:
    operands = list(op.operands)[:2]
    return op.name == "tile.mma" and any(LdsType.of(v.type) is not None for v in operands)


def _is_access(op: ir.Operation) -> bool:
    """Whether ``op`` is another access of LDS that tile.wait of kind lds counts."""
    if op.name == "tile.load" or op.name == "tile.copy":
        return LdsType.of(op.operands[0].type) is not None
    return op.name == "tile.store" and LdsType.of(op.operands[1].type) is not None
