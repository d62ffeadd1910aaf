"""tile.copy by the waves that share it: global loads at once, LDS stores at the wait."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from mlir import ir
from mlir.dialects import scf

from gemm_ladder.dialect_defs.tile import CopyLike, CopyOp
from gemm_ladder.dialect_defs.types import LdsType, element_bytes
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.crew import crew_of
from gemm_ladder.passes.lowering.memory import MemoryTile
from gemm_ladder.passes.lowering.moves import Move, Plan
from gemm_ladder.passes.lowering.origin import Coordinate, Origin
from gemm_ladder.passes.lowering.state import State, coordinate, global_tile, lds_tile, memref_facts

_REGISTER = 4  # bytes
# A fill holds at most this part of a lane's registers between its loads and its stores: fragments
# and accumulators of the loop around it live there too.
_HELD = 8
# Chunks of a thread in one trip of a loop over a tile; up to twice as many need no loop.
_SLAB = 4
_WIDE_SLAB = 16  # where a predicate takes no address of its own
_ROLLED = "#llvm.loop_annotation<unroll = <disable = true>>"


def make_plan(op: CopyLike, lds: LdsType, pitch: int, threads: int) -> Plan:
    """The widest chunks that the stated alignment and the ring's layout allow."""
    size = element_bytes(lds.elem)
    align = op.int_attr("align", size)
    if pitch % math.gcd(16, align):
        message = f"align is {align} bytes, but rows are {pitch} bytes apart"
        raise PassError(op, message)
    units = [align, lds.row_bytes, lds.slot_bytes if lds.stages > 1 else 0]
    units += [lds.layout.interval, lds.layout.pad if lds.layout.interval else 0]
    chunk = max(size, math.gcd(16, *units))
    return Plan(lds.rows, lds.cols, chunk // size, threads)


def lower(state: State, op: CopyOp, waited: bool) -> None:
    """Lower one copy; with ``waited`` its stores may stay open until the copy's wait."""
    test = op.predicate
    if test is None:
        _start(state, op)
    else:
        # One region: a value loaded under a condition cannot be stored outside of it.
        guard = scf.IfOp(state.value(test))
        outer, state.pending = state.pending, []
        with ir.InsertionPoint(guard.then_block):
            _start(state, op)
            state.flush()
            scf.YieldOp([])
        state.pending = outer
    if not waited:
        state.flush()


def _start(state: State, op: CopyOp) -> None:
    if not op.fills_lds:
        if _plan(state, op).uneven:
            by_slabs(state, op, _write)
        else:
            _write(make_move(state, op))
        return
    if _slab_rows(state, op):
        by_slabs(state, op, _fill)
        return
    move = make_move(state, op)
    first, *rest = _batches(move, state.target.register_budget(state.threads) // _HELD)
    loaded = move.load(first)
    if not rest:
        state.pending.append(lambda: move.store(first, loaded))
        return
    move.store(first, loaded)
    for batch in rest:
        move.store(batch, move.load(batch))


def _batches(move: Move, limit: int) -> list[range]:
    """The rounds of a fill, in runs whose chunks take at most ``limit`` registers of a lane."""
    each = max(1, move.chunk_bytes // _REGISTER)
    step = max(1, limit // each)
    rounds = move.plan.rounds
    return [range(at, min(at + step, rounds)) for at in range(0, rounds, step)]


def _write(move: Move) -> None:
    if move.outside is not None:
        move.write_out()


def _fill(move: Move) -> None:
    rounds = range(move.plan.rounds)
    move.store(rounds, move.load(rounds))


@dataclass(frozen=True)
class Slab:
    """Some of a tile's ``rows``, from row ``first`` (index) on, of ``total``."""

    first: ir.Value
    rows: int
    total: int

    @property
    def origin(self) -> Coordinate:
        """The first row as a coordinate."""
        return Coordinate(self.first, self.rows, (0, self.total - self.rows))


def by_slabs(state: State, op: CopyLike, act: Callable[[Move], None]) -> None:
    """``act`` on the whole tile, or in a loop over slabs of it where threads have many chunks.

    Each chunk has an address and, at an edge, a condition, which LLVM would keep in registers
    beside the accumulators for all of them.
    """
    rows = _slab_rows(state, op)
    if rows is None:
        act(make_move(state, op))
        return
    total = _plan(state, op).rows
    loop = scf.ForOp(emit.i32(0), emit.i32(total), emit.i32(rows))
    loop.operation.attributes["loop_annotation"] = ir.Attribute.parse(_ROLLED)
    with ir.InsertionPoint(loop.body):
        act(make_move(state, op, Slab(emit.to_index(loop.induction_variable), rows, total)))
        scf.YieldOp([])


def _slab_rows(state: State, op: CopyLike) -> int | None:
    """The most rows in a few whole rounds that make up a tile of many rounds; else None."""
    plan = _plan(state, op)
    chunks = _WIDE_SLAB if state.backend.predicates else _SLAB
    if plan.rounds <= 2 * chunks:
        return None
    each = plan.threads * plan.elems  # elements of a round
    most = chunks * each // plan.cols
    whole = (n for n in range(most, 0, -1) if plan.rows % n == 0 and n * plan.cols % each == 0)
    return next(whole, None)


def _plan(state: State, op: CopyLike) -> Plan:
    lds = LdsType.of(op.ring.type)
    assert lds is not None
    memref = op.src if op.fills_lds else op.dst
    pitch = memref_facts(memref.type, op.operation)[2]
    return make_plan(op, lds, pitch, crew_of(state, op).threads)


def make_move(state: State, op: CopyLike, slab: Slab | None = None) -> Move:
    """The chunks of a copy by its waves (lowering/crew.py), and their addresses."""
    memref = op.src if op.fills_lds else op.dst
    plan = _plan(state, op)
    zero = Coordinate(emit.index(0), 0, (0, 0))
    if slab is not None:
        plan = replace(plan, rows=slab.rows)
    outside = _global_side(state, op, memref, plan, slab)
    origin = Origin(slab.origin if slab else zero, zero)
    inside = lds_tile(state, op.ring, state.value(op.slot), origin)
    thread = crew_of(state, op).thread
    return Move(thread, plan, inside, outside)


def _global_side(
    state: State, op: CopyLike, memref: ir.Value, plan: Plan, slab: Slab | None
) -> MemoryTile | None:
    row, col = (coordinate(state, value) for value in op.coords)
    if slab is not None:
        row = row.plus(slab.first, slab.rows, slab.total - slab.rows)
    tile = global_tile(state, op.operation, memref, Origin(row, col), (plan.rows, plan.cols))
    if tile is None:
        return None
    if tile.elem != _elem(op.ring):
        raise PassError(op, f"copies {tile.elem} to or from {_elem(op.ring)}")
    left = []
    for value, extent in zip(op.extents, _tile_shape(op), strict=True):
        bounds = state.ranges.bounds(value)
        whole = bounds is not None and bounds[0] >= extent
        left.append(None if whole else emit.to_i32(state.value(value)))
    if slab is not None and left[0] is not None:
        left[0] = emit.subtract(left[0], emit.to_i32(slab.first))
    return replace(tile, rows_left=left[0], cols_left=left[1], cols_unit=plan.elems)


def _tile_shape(op: CopyLike) -> tuple[int, int]:
    lds = LdsType.of(op.ring.type)
    assert lds is not None
    return lds.rows, lds.cols


def _elem(ring: ir.Value) -> ir.Type:
    lds = LdsType.of(ring.type)
    assert lds is not None
    return lds.elem
