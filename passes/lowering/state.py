"""What lowering one kernel has to know while it walks the kernel's body."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from mlir import ir

from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.dialect_defs.types import Layout, LdsType, element_bytes
from gemm_ladder.passes.analysis.kernel import constant, defining
from gemm_ladder.passes.analysis.strides import strides_of
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.backend import Backend
from gemm_ladder.passes.lowering.classes import FragmentClasses
from gemm_ladder.passes.lowering.memory import MemoryTile
from gemm_ladder.passes.lowering.origin import Coordinate, Origin
from gemm_ladder.passes.lowering.ranges import Ranges

GLOBAL_SPACE = 1  # of pointers to global memory
BASE_ALIGN = 16  # bytes: every kernel argument's, by the launch contract
SPAN_MAX = 2**31  # bytes that a 32-bit lane offset can reach


@dataclass
class State:
    """One kernel: facts of the old function, values of the new one.

    ``values`` maps an old value to new ones: a fragment to a vector a block, a ring or a kernel
    argument to its pointer, a barrier to the pointer to its slots (kind mbarrier) or to nothing.
    ``params`` are the values of Backend.kernel_params. ``thread`` and ``lane`` are i32. ``flush``
    emits the LDS stores of copies whose global loads are already under way.
    """

    backend: Backend
    classes: FragmentClasses
    ranges: Ranges
    threads: int
    thread: ir.Value
    lane: ir.Value
    values: dict[ir.Value, list[ir.Value]] = field(default_factory=dict)
    params: list[ir.Value] = field(default_factory=list)
    pending: list[Callable[[], None]] = field(default_factory=list)
    deferred: dict[ir.Value, ir.Operation] = field(default_factory=dict)

    @property
    def target(self) -> Target:
        """The target's facts."""
        return self.backend.target

    @property
    def waves(self) -> int:
        """Waves of a workgroup."""
        return -(-self.threads // self.target.wave_size)

    def value(self, old: ir.Value) -> ir.Value:
        """The one new value of ``old``."""
        (new,) = self.values[old]
        return new

    def flush(self) -> None:
        """Finish the copies that are under way."""
        pending, self.pending = self.pending, []
        for finish in pending:
            finish()


def memref_facts(type_: ir.Type, op: ir.Operation) -> tuple[int, int, int, int]:
    """(rows, cols, pitch bytes, offset bytes) of a 2-D memref; PassError if rows have gaps."""
    if not isinstance(type_, ir.MemRefType):
        raise PassError(op, f"operand of type {type_} is not a memref")
    memref = ir.MemRefType(type_)
    if memref.rank != 2 or not memref.has_static_shape:
        raise PassError(op, f"{type_} is no matrix of static shape")
    strides, start = strides_of(memref)
    rows, cols = memref.shape
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    if dynamic in (*strides, start) or min(strides[0], start) < 0:
        raise PassError(op, f"{type_}: strides and offset have to be static")
    if strides[1] != 1 and cols > 1:
        raise PassError(op, f"{type_}: elements of a row have to be contiguous")
    size = element_bytes(memref.element_type)
    return rows, cols, strides[0] * size, start * size


def constant_term(value: ir.Value) -> tuple[ir.Value, int]:
    """``value`` as the sum of a value and a non-negative constant."""
    owner = defining(value)
    if owner is None or owner.name != "arith.addi":
        return value, 0
    for one, other in (owner.operands, reversed(list(owner.operands))):
        fixed = constant(other)
        if fixed is not None and fixed >= 0:
            return one, fixed
    return value, 0


def coordinate(state: State, old: ir.Value) -> Coordinate:
    """The new value of an old index value, with what is known of it."""
    rest, fixed = None, constant(old)
    if fixed is not None:
        rest = Coordinate(emit.index(0), 0, (0, 0))
    else:
        variable, fixed = constant_term(old)
        bounds = state.ranges.bounds(variable)
        if fixed and bounds is not None and bounds[0] >= 0:
            rest = coordinate(state, variable)
    known = state.ranges.divisor(old), state.ranges.bounds(old)
    return Coordinate(state.value(old), *known, rest, fixed)


def global_tile(
    state: State, op: ir.Operation, memref: ir.Value, origin: Origin, shape: tuple[int, int]
) -> MemoryTile | None:
    """The tile of ``shape`` (memory's orientation) at ``origin`` of a memref.

    None if the memref is empty. ``memref`` is an old value, ``op`` where a refusal points.
    """
    rows, cols, pitch, start = memref_facts(memref.type, op)
    if rows == 0 or cols == 0:
        return None
    return MemoryTile(
        base=emit.offset(state.value(memref), start),
        elem=ir.MemRefType(memref.type).element_type,
        pitch=pitch,
        layout=Layout(),
        origin=origin,
        align=math.gcd(BASE_ALIGN, start),
        rows_left=origin.row.left(rows, shape[0]),
        cols_left=origin.col.left(cols, shape[1]),
        cols_unit=math.gcd(cols, origin.col.divisor),
        wide=shape[0] * pitch >= SPAN_MAX,
        predicates=state.backend.predicates,
        scalar=state.backend.scalar if start + rows * pitch < SPAN_MAX else None,
    )


def lds_tile(state: State, ring: ir.Value, slot: ir.Value, origin: Origin) -> MemoryTile:
    """The tile at ``origin`` of slot ``slot`` (new index value) of a ring."""
    lds = LdsType.of(ring.type)
    assert lds is not None
    several = lds.stages > 1
    parts = [(at.rest or at, at.constant) for at in (origin.row, origin.col)]
    (row, down), (col, along) = parts
    return MemoryTile(
        base=state.value(ring),
        slot=emit.mul(emit.to_i32(slot), lds.slot_bytes) if several else None,
        elem=lds.elem,
        pitch=lds.row_bytes,
        layout=lds.layout,
        origin=Origin(row, col),
        shift=(down, along),
        align=math.gcd(BASE_ALIGN, lds.slot_bytes),
        height=lds.rows,
    )
