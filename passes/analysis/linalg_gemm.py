"""Recognise a GEMM in linalg: operands, layouts, initial value and output type."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import linalg

from gemm_ladder.passes.analysis.strides import strides_of
from gemm_ladder.passes.base import PassError

_ELEMENTS = ("bf16", "f16", "f32")
_GLOBAL = ("1 : i64", "#gpu.address_space<global>")
_DIM = re.compile(r"d(\d+)")


@dataclass(frozen=True)
class Gemm:
    """C[m, n] (+)= A * B as found; ``a``, ``b``, ``c`` are its operands' memref types.

    ``operands`` are the values (A, B, C) of the function; ``sizes`` is (m, n, k); ``a_order`` is
    "mk" or "km", ``b_order`` "kn" or "nk" (outermost first); ``accumulate`` says that C's old value
    is added; ``covers`` lists the ops that the kernel replaces.
    """

    contraction: ir.Operation
    operands: tuple[ir.Value, ir.Value, ir.Value]
    a: ir.Type
    b: ir.Type
    c: ir.Type
    sizes: tuple[int, int, int]
    a_order: str
    b_order: str
    accumulate: bool
    covers: tuple[ir.Operation, ...]


def recognise(op: ir.OpView) -> Gemm:
    """The GEMM of contraction ``op``; raises PassError stating what is not supported (yet)."""
    lhs, rhs, out = list(op.operands)
    _check_shapes(op)
    orders = _orders(op)
    if orders is None:
        raise PassError(op, "not a plain matmul: needs one m, one n and one k dimension, no batch")
    first, a_order, b_order = orders
    a, b = (lhs, rhs) if first == "lhs" else (rhs, lhs)
    _check_inputs(op, a, b)
    accumulate, start = _initial(op, out)
    final, tail = _output(op, out)
    if accumulate and tail:
        raise PassError(op, "an accumulator input with a truncated result is not supported yet")
    a_shape, b_shape = _dims(a, a_order), _dims(b, b_order)
    sizes = (a_shape["m"], b_shape["n"], a_shape["k"])
    covers = (op.operation, *start, *tail)
    in_a, in_b, in_c = (_as_memref(op, t) for t in (a.type, b.type, final))
    if any(out == value for value in (a, b)):
        raise PassError(op, "C is an operand, too: a kernel cannot read what it overwrites")
    return Gemm(
        op.operation, (a, b, out), in_a, in_b, in_c, sizes, a_order, b_order, accumulate, covers
    )


def _dims(value: ir.Value, order: str) -> dict[str, int]:
    return dict(zip(order, ir.ShapedType(value.type).shape, strict=True))


def _check_shapes(op: ir.OpView) -> None:
    for value in op.operands:
        shaped = ir.ShapedType(value.type)
        if not shaped.has_rank or not shaped.has_static_shape:
            raise PassError(op, f"dynamic shape {value.type}: only static shapes are supported yet")
        elem = str(shaped.element_type)
        if elem not in _ELEMENTS:
            supported = ", ".join(_ELEMENTS)
            raise PassError(op, f"unsupported element type {elem} (supported: {supported})")


def _check_inputs(op: ir.OpView, a: ir.Value, b: ir.Value) -> None:
    elems = [str(ir.ShapedType(v.type).element_type) for v in (a, b)]
    if elems[0] != elems[1]:
        raise PassError(op, f"operands of different element types {elems[0]} and {elems[1]}")
    out = str(ir.ShapedType(op.operands[2].type).element_type)
    if out not in ("f32", elems[0]):
        # linalg would round the inputs to the output's type before it multiplies.
        raise PassError(
            op, f"C is {out}, A is {elems[0]}: multiply into f32, and truncf the result"
        )
    for value in (a, b):
        if isinstance(value.owner, ir.Block):
            continue
        raise PassError(
            op,
            f"an operand is made by '{value.owner.name}': a kernel's operands are function"
            " arguments; put each matmul into a function of its own",
        )


def _orders(op: ir.OpView) -> tuple[str, str, str] | None:
    """Which operand is A ("lhs" or "rhs") and the orders of A and B; None if not a plain matmul."""
    dims = linalg.infer_contraction_dimensions(op)
    if dims is None:
        return None
    groups = [list(g) for g in (dims.batch, dims.m, dims.n, dims.k)]
    if [len(g) for g in groups] != [0, 1, 1, 1]:
        return None
    letters = {groups[1][0]: "m", groups[2][0]: "n", groups[3][0]: "k"}
    maps = [_letters(m, letters) for m in linalg.get_indexing_maps(op)]
    if any(len(m) != 2 for m in maps):
        return None
    if maps[2] == "mn":
        return "lhs", maps[0], maps[1]
    # C is stored [n, m]: the same memory is the row-major product of the swapped operands.
    swap = {"m": "n", "n": "m", "k": "k"}
    a, b = ("".join(swap[x] for x in m) for m in (maps[1], maps[0]))
    return "rhs", a, b


def _letters(attr: ir.Attribute, letters: dict[int, str]) -> str:
    dims = [_DIM.fullmatch(text) for text in _map_results(attr)]
    return "".join(letters[int(d[1])] for d in dims if d)


def _map_results(attr: ir.Attribute) -> list[str]:
    """Result expressions of an affine map attribute (bindings give no access to its map)."""
    text = str(attr)
    inside = text[text.index("->") + 2 :].strip().removesuffix(">").strip()
    return [part.strip() for part in inside[1:-1].split(",") if part.strip()]


def _initial(op: ir.OpView, out: ir.Value) -> tuple[bool, tuple[ir.Operation, ...]]:
    """Whether C's old value counts, and the fill that says that it does not."""
    fill = _fill_of_tensor(op, out) if _is_tensor(out) else _fill_of_memref(op, out)
    if fill is None:
        return True, ()
    value = fill.operands[0]
    if not _is_zero(value):
        raise PassError(
            op, "C is filled with a value other than constant 0", [(fill.location, "here")]
        )
    return False, (fill,)


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _fill_of_tensor(op: ir.OpView, out: ir.Value) -> ir.Operation | None:
    owner = out.owner
    if isinstance(owner, ir.Block):
        return None
    if owner.name == "linalg.fill":
        return owner.operation
    if owner.name == "tensor.empty":
        raise PassError(op, "C starts uninitialised (tensor.empty): add a linalg.fill before")
    raise PassError(
        op,
        f"C is made by '{owner.name}': it must be a function argument or a linalg.fill;"
        " put each matmul into a function of its own",
    )


def _fill_of_memref(op: ir.OpView, out: ir.Value) -> ir.Operation | None:
    """The last op before ``op`` that touches ``out``, if it is a fill."""
    if not isinstance(out.owner, ir.Block):
        raise PassError(op, f"C is made by '{out.owner.name}': it must be a function argument")
    last: ir.Operation | None = None
    for other in op.operation.block.operations:
        if other.operation == op.operation:
            break
        if any(v == out for v in other.operands):
            last = other.operation
    return last if last is not None and last.name == "linalg.fill" else None


def _is_zero(value: ir.Value) -> bool:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return False
    attr = owner.attributes["value"]
    return isinstance(attr, ir.FloatAttr) and attr.value == 0.0


def _output(op: ir.OpView, out: ir.Value) -> tuple[ir.Type, tuple[ir.Operation, ...]]:
    """C's type in memory, and the ops between the contraction and the function's result."""
    if not _is_tensor(out):
        return out.type, ()
    value = op.results[0]
    tail: list[ir.Operation] = []
    while True:
        users = [u.owner for u in value.uses]
        if len(users) != 1:
            raise PassError(op, f"the result has {len(users)} uses; it must be returned, once")
        user = users[0].operation
        if user.name == "func.return":
            return value.type, tuple(tail)
        if not _is_truncf(user):
            raise PassError(
                op,
                f"the result goes into '{user.name}': only a truncf may follow a matmul yet",
                [(user.location, "here")],
            )
        tail.append(user)
        value = user.results[0]


def _is_truncf(op: ir.Operation) -> bool:
    """arith.truncf on tensors, or the elementwise linalg.generic of the same meaning."""
    if op.name == "arith.truncf":
        return True
    if op.name != "linalg.generic" or len(op.operands) != 2:
        return False
    if any(_map_results(m) != ["d0", "d1"] for m in linalg.get_indexing_maps(op)):
        return False
    body = [o.operation for o in op.regions[0].blocks[0].operations]
    return [o.name for o in body] == ["arith.truncf", "linalg.yield"] and (
        body[0].operands[0] == op.regions[0].blocks[0].arguments[0]
        and body[1].operands[0] == body[0].results[0]
    )


def _as_memref(op: ir.OpView, type_: ir.Type) -> ir.Type:
    if not isinstance(type_, ir.MemRefType):
        shaped = ir.RankedTensorType(type_)
        return ir.MemRefType.get(shaped.shape, shaped.element_type, loc=op.location)
    strides, offset = strides_of(type_)
    if offset != 0 or strides[-1] != 1 or any(s < 0 for s in strides):
        raise PassError(
            op, f"{type_}: only memrefs with offset 0 and innermost stride 1 are supported"
        )
    if type_.memory_space is not None and str(type_.memory_space) not in _GLOBAL:
        raise PassError(op, f"{type_}: operands lie in global memory")
    if type_.shape[0] > 1 and strides[0] < type_.shape[1]:
        raise PassError(op, f"{type_}: its rows overlap")
    return type_
