"""tile.copy by the waves that share it: global loads at once, LDS stores at the wait."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from mlir import ir
from mlir.dialects import scf

from gemm_ladder.dialect_defs.tile import CopyLike, CopyOp
from gemm_ladder.dialect_defs.types import LdsType, element_bytes
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.crew import crew_of
from gemm_ladder.passes.lowering.memory import Addresses, Lanes, MemoryTile
from gemm_ladder.passes.lowering.origin import Coordinate, Origin
from gemm_ladder.passes.lowering.state import State, coordinate, global_tile, lds_tile, memref_facts

_REGISTER = 4  # bytes
# A fill holds at most this part of a lane's registers between its loads and its stores: fragments
# and accumulators of the loop around it live there too.
_HELD = 8


@dataclass(frozen=True)
class Plan:
    """A tile cut into chunks of ``elems``; in round i thread t has chunk t + i * threads."""

    rows: int
    cols: int
    elems: int
    threads: int

    @property
    def chunks(self) -> int:
        """Chunks of the tile."""
        return self.rows * self.cols // self.elems

    @property
    def rounds(self) -> int:
        """Chunks of the busiest thread."""
        return -(-self.chunks // self.threads)

    def place(self, chunk: int) -> tuple[int, int]:
        """(row, col) of a chunk's first element."""
        per_row = self.cols // self.elems
        return chunk // per_row, chunk % per_row * self.elems

    def shift(self, number: int) -> tuple[int, int] | None:
        """(row, col) that round ``number`` adds to every thread's place, None if threads differ."""
        step = number * self.threads
        if step % (self.cols // self.elems) == 0:
            return step // (self.cols // self.elems), 0
        return None

    def partial(self, number: int) -> bool:
        """Whether some threads have no chunk in round ``number``."""
        return (number + 1) * self.threads > self.chunks


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
    move = make_move(state, op)
    if not op.fills_lds:
        if move.outside is not None:
            move.write_out()
        return
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


def make_move(state: State, op: CopyLike) -> Move:
    """The chunks of a copy by its waves (lowering/crew.py), and their addresses."""
    lds = LdsType.of(op.ring.type)
    assert lds is not None
    memref = op.src if op.fills_lds else op.dst
    crew = crew_of(state, op)
    plan = make_plan(op, lds, memref_facts(memref.type, op.operation)[2], crew.threads)
    outside = _global_side(state, op, memref, plan)
    zero = Coordinate(emit.index(0), 0, (0, 0))
    inside = lds_tile(state, op.ring, state.value(op.slot), Origin(zero, zero))
    return Move(crew.thread, plan, inside, outside, state.backend.predicates)


def _global_side(state: State, op: CopyLike, memref: ir.Value, plan: Plan) -> MemoryTile | None:
    row, col = (coordinate(state, value) for value in op.coords)
    tile = global_tile(state, op.operation, memref, Origin(row, col), (plan.rows, plan.cols))
    if tile is None:
        return None
    if tile.elem != _elem(op.ring):
        raise PassError(op, f"copies {tile.elem} to or from {_elem(op.ring)}")
    left = []
    for value, extent in zip(op.extents, (plan.rows, plan.cols), strict=True):
        bounds = state.ranges.bounds(value)
        whole = bounds is not None and bounds[0] >= extent
        left.append(None if whole else emit.to_i32(state.value(value)))
    return replace(tile, rows_left=left[0], cols_left=left[1], cols_unit=plan.elems)


def _elem(ring: ir.Value) -> ir.Type:
    lds = LdsType.of(ring.type)
    assert lds is not None
    return lds.elem


@dataclass
class Move:
    """The code of one copy; ``thread`` (i32) is this one's number among the plan's threads.

    ``outside`` is None where the memref has no elements; ``predicates`` is the backend's.
    """

    thread: ir.Value
    plan: Plan
    inside: MemoryTile
    outside: MemoryTile | None
    predicates: bool

    def __post_init__(self) -> None:
        self._lanes = {0: self._lanes_of(0)}
        self._in = {0: Addresses(self.inside, self._lanes[0])}
        if self.outside is not None:
            self._out = {0: Addresses(self.outside, self._lanes[0])}

    @property
    def chunk_type(self) -> ir.Type:
        """The vector of a chunk."""
        return emit.vector(self.plan.elems, self.inside.elem)

    @property
    def chunk_bytes(self) -> int:
        """Bytes of a chunk."""
        return self.plan.elems * self.inside.elem_bytes

    def _lanes_of(self, number: int) -> Lanes:
        plan, chunk = self.plan, emit.add(self.thread, number * self.plan.threads)
        per_row = plan.cols // plan.elems
        table = tuple(plan.place(t + number * plan.threads) for t in range(plan.threads))
        col = emit.mul(emit.urem(chunk, per_row), plan.elems)
        return Lanes(table, emit.udiv(chunk, per_row), col)

    def at(self, number: int, tile: MemoryTile) -> tuple[Addresses, tuple[int, int]]:
        """Addresses of ``inside`` or ``outside`` for round ``number``, the displacement in them."""
        known = self._in if tile is self.inside else self._out
        shift = self.plan.shift(number)
        if shift is not None:
            return known[0], shift
        if number not in known:
            self._lanes.setdefault(number, self._lanes_of(number))
            known[number] = Addresses(tile, self._lanes[number])
        return known[number], (0, 0)

    def has_chunk(self, number: int) -> ir.Value | None:
        """i1: whether this thread has a chunk in round ``number``; None: all have."""
        if not self.plan.partial(number):
            return None
        return emit.less(self.thread, emit.i32(self.plan.chunks - number * self.plan.threads))

    def exists(self, number: int) -> ir.Value | None:
        """i1: whether the chunk of round ``number`` exists in global memory; None: it does."""
        assert self.outside is not None
        addresses, shift = self.at(number, self.outside)
        return self.outside.valid(addresses.lanes, *shift)

    def valid(self, number: int) -> ir.Value | None:
        """i1: whether this thread has a chunk, which exists in global memory; None: it has."""
        tests = [self.exists(number), self.has_chunk(number)]
        known = [test for test in tests if test is not None]
        return emit.all_of(known) if known else None

    def load(self, rounds: range) -> list[tuple[ir.Value, ir.Value | None]]:
        """Start the loads of ``rounds``; (value, condition under which it counts) for each."""
        if self.outside is None:
            return [(emit.zeros(self.chunk_type), None)] * len(rounds)
        return [self._load(number, self.outside) for number in rounds]

    def _load(self, number: int, tile: MemoryTile) -> tuple[ir.Value, ir.Value | None]:
        addresses, shift = self.at(number, tile)
        valid = self.valid(number)
        if valid is None or self.predicates:
            pointer = addresses.pointer(*shift)
        else:
            pointer = addresses.guarded_pointer(*shift, valid)
        if valid is None or not self.predicates:
            return emit.load(pointer, self.chunk_type, self.chunk_bytes), valid
        guard = scf.IfOp(valid, [self.chunk_type], has_else=True)
        with ir.InsertionPoint(guard.then_block):
            scf.YieldOp([emit.load(pointer, self.chunk_type, self.chunk_bytes)])
        with ir.InsertionPoint(guard.else_block):
            scf.YieldOp([emit.zeros(self.chunk_type)])
        return guard.results[0], None

    def store(self, rounds: range, loaded: list[tuple[ir.Value, ir.Value | None]]) -> None:
        """Write what load gave for ``rounds`` to LDS, zero where nothing exists."""
        for number, (value, valid) in zip(rounds, loaded, strict=True):
            if valid is not None:
                value = emit.select(valid, value, emit.zeros(self.chunk_type))
            addresses, shift = self.at(number, self.inside)
            pointer = addresses.pointer(*shift)
            self._store(value, pointer, self.has_chunk(number))

    def write_out(self) -> None:
        """LDS to global memory."""
        assert self.outside is not None
        values = []
        for number in range(self.plan.rounds):
            addresses, shift = self.at(number, self.inside)
            values.append(emit.load(addresses.pointer(*shift), self.chunk_type, self.chunk_bytes))
        for number, value in enumerate(values):
            addresses, shift = self.at(number, self.outside)
            valid = self.valid(number)
            if valid is None:
                pointer = addresses.pointer(*shift)
            else:
                pointer = addresses.guarded_pointer(*shift, valid)
            self._store(value, pointer, valid)

    def _store(self, value: ir.Value, pointer: ir.Value, test: ir.Value | None) -> None:
        if test is None:
            emit.store(value, pointer, self.chunk_bytes)
            return
        guard = scf.IfOp(test)
        with ir.InsertionPoint(guard.then_block):
            emit.store(value, pointer, self.chunk_bytes)
            scf.YieldOp([])
