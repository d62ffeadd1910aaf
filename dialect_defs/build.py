"""Builders of `tile` ops at the current insertion point and location."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs.tile import ints
from gemm_ladder.dialect_defs.types import BarType, FragType, LdsType


def named(name: str, at: ir.Location) -> ir.Location:
    """``at``, naming the value that is made there (`%A_LDS` when the IR is printed)."""
    return ir.Location.name(name, childLoc=at)


def unnamed(at: ir.Location) -> ir.Location:
    """``at`` without the value's name, for ops made on behalf of the op there."""
    while at.is_a_name():
        at = at.child_loc
    return at


def create(
    op: str,
    /,
    operands: Sequence[ir.Value] = (),
    results: Sequence[ir.Type] = (),
    **attributes: ir.Attribute,
) -> ir.Operation:
    """The op tile.``op`` at the insertion point."""
    made = ir.Operation.create(
        f"tile.{op}", results=list(results), operands=list(operands), attributes=attributes
    )
    return made.operation


def integer(value: int) -> ir.IntegerAttr:
    """An i64 attribute."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def contract(
    a: ir.Value, b: ir.Value, c: ir.Value, *, a_order: str, b_order: str, accumulate: bool
) -> ir.Operation:
    """Whole-problem contraction of memrefs; orders are "mk" or "km", "kn" or "nk"."""
    return create(
        "contract",
        [a, b, c],
        a_order=ir.StringAttr.get(a_order),
        b_order=ir.StringAttr.get(b_order),
        accumulate=ir.BoolAttr.get(accumulate),
    )


def block_coord(tile: tuple[int, int]) -> tuple[ir.Value, ir.Value]:
    """(m0, n0), index values, of the current output tile of ``tile`` elements."""
    index = ir.IndexType.get()
    with named("block", ir.Location.current):
        made = create("block_coord", [], [index, index], tile=ints(tile))
    return made.results[0], made.results[1]


def alloc(ring: LdsType, name: str, alias: ir.Value | None = None) -> ir.Value:
    """An LDS ring called ``name``, on the bytes from the start of ``alias`` on if it is given."""
    older = [] if alias is None else [alias]
    return create("alloc", older, [ring.get()], name=ir.StringAttr.get(name)).results[0]


def copy(
    src: ir.Value,
    dst: ir.Value,
    slot: ir.Value,
    coords: Sequence[ir.Value],
    extents: Sequence[ir.Value],
    align: int,
) -> ir.Operation:
    """Register copy of one tile; ``align`` is the bytes known of base, row stride and extents."""
    return create("copy", [src, dst, slot, *coords, *extents], align=integer(align))


def wait(kind: str, pending: int = 0) -> ir.Operation:
    """Wait until at most ``pending`` tile ops of ``kind`` (copy, lds, global, store) are open."""
    return create("wait", kind=ir.StringAttr.get(kind), pending=integer(pending))


def barrier_create(arrivals: int, scope: str = "workgroup", kind: str = "hw") -> ir.Value:
    """A one-slot barrier for ``arrivals`` waves of a workgroup or workgroups of a cluster."""
    return create(
        "barrier_create",
        [],
        [BarType(1).get()],
        arrivals=integer(arrivals),
        scope=ir.StringAttr.get(scope),
        kind=ir.StringAttr.get(kind),
    ).results[0]


def _segments(*sizes: int) -> ir.Attribute:
    return ir.DenseI32ArrayAttr.get(list(sizes))


def arrive(bar: ir.Value, issuer: int | None = None) -> ir.Operation:
    """Signal ``bar`` (one slot, no peers); with ``issuer`` only that wave does."""
    extra = {} if issuer is None else {"issuer": integer(issuer)}
    return create("arrive", [bar], operandSegmentSizes=_segments(1, 0, 0), **extra)


def wait_barrier(bar: ir.Value) -> ir.Operation:
    """Wait for ``bar`` (one slot, no phase)."""
    return create("wait_barrier", [bar], operandSegmentSizes=_segments(1, 0, 0))


def barrier(bar: ir.Value) -> ir.Operation:
    """Arrive at ``bar`` and wait for the others."""
    return create("barrier", [bar])


def load(src: ir.Value, coords: Sequence[ir.Value], frag: FragType, transpose: bool) -> ir.Value:
    """Fragment from a memref at (row, col) or a ring at (slot, row, col)."""
    attr = ir.BoolAttr.get(transpose)
    return create("load", [src, *coords], [frag.get()], transpose=attr).results[0]


def mma(a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
    """acc + a * b, all fragments, without an atom."""
    return create("mma", [a, b, acc], [acc.type]).results[0]


def store(frag: ir.Value, dst: ir.Value, coords: Sequence[ir.Value]) -> ir.Operation:
    """Accumulator to a memref at (row, col) or a ring at (slot, row, col)."""
    return create("store", [frag, dst, *coords])


def zero(frag: FragType) -> ir.Value:
    """A fragment of zeros."""
    return create("zero", [], [frag.get()]).results[0]


def sched_fence() -> ir.Operation:
    """Nothing moves across."""
    return create("sched_fence")


def sched_group(kind: str, count: int, repeat: int) -> ir.Operation:
    """``count`` instructions of ``kind`` (lds_read, mma, ..) belong together, in group 0.

    Neighbours of one ``repeat`` stand for that many rounds of their sequence.
    """
    kind_attr = ir.StringAttr.get(kind)
    return create(
        "sched_group",
        kind=kind_attr,
        count=integer(count),
        group=integer(0),
        repeat=integer(repeat),
    )


def hint(kind: str, value: int) -> ir.Operation:
    """Execution hint ``kind`` (lock_simd, priority)."""
    return create("hint", kind=ir.StringAttr.get(kind), value=integer(value))


def index(value: int) -> ir.Value:
    """An index constant, `%c<value>`: one for each value, at the head of the enclosing kernel."""
    here = ir.InsertionPoint.current
    head = _entry_block(here.block)
    place = ir.InsertionPoint.at_block_begin(head)
    for op in head.operations:
        if op.operation.name != "arith.constant":
            place = ir.InsertionPoint(op)
            break
        result = op.results[0]
        attr = op.operation.attributes["value"]
        if result.type == ir.IndexType.get() and ir.IntegerAttr(attr).value == value:
            return result
    with place, named(f"c{value}", ir.Location.current):
        return arith.constant(ir.IndexType.get(), value)


def _entry_block(block: ir.Block) -> ir.Block:
    """The outermost block around ``block`` that is still inside its function."""
    while block.owner.operation.name not in ("gpu.func", "func.func"):
        block = block.owner.operation.block
    return block
