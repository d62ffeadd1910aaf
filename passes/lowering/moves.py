"""A tile cut into chunks for the threads that move it, and each chunk's addresses."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.memory import Addresses, Lanes, MemoryTile


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

    @property
    def per_row(self) -> int:
        """Chunks of a row."""
        return self.cols // self.elems

    @property
    def uneven(self) -> bool:
        """Whether a thread's chunks are in columns that no constants lead to from its first."""
        return bool(self.per_row % self.threads and self.threads % self.per_row)

    def place(self, chunk: int) -> tuple[int, int]:
        """(row, col) of a chunk's first element."""
        return chunk // self.per_row, chunk % self.per_row * self.elems

    def shift(self, number: int) -> tuple[int, int] | None:
        """(row, col) that round ``number`` adds to every thread's place, None if threads differ."""
        step = number * self.threads
        if step % self.per_row == 0:
            return step // self.per_row, 0
        return None

    def partial(self, number: int) -> bool:
        """Whether some threads have no chunk in round ``number``."""
        return (number + 1) * self.threads > self.chunks


@dataclass
class Move:
    """The code of one copy; ``thread`` (i32) is this one's number among the plan's threads.

    ``outside`` is None where the memref has no elements.
    """

    thread: ir.Value
    plan: Plan
    inside: MemoryTile
    outside: MemoryTile | None

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
        table = tuple(plan.place(t + number * plan.threads) for t in range(plan.threads))
        col = emit.mul(emit.urem(chunk, plan.per_row), plan.elems)
        return Lanes(table, emit.udiv(chunk, plan.per_row), col)

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
        if valid is not None and not tile.predicates:
            pointer = addresses.guarded_pointer(*shift, valid)
            return emit.load(pointer, self.chunk_type, self.chunk_bytes), valid
        pointer = addresses.pointer(*shift)
        if valid is None:
            return emit.load(pointer, self.chunk_type, self.chunk_bytes), None
        return emit.load_if(valid, pointer, self.chunk_type, self.chunk_bytes), None

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
        plan = self.plan
        values = [self._read(n) for n in range(plan.rounds) if not plan.partial(n)]
        for number in range(plan.rounds):
            addresses, shift = self.at(number, self.outside)
            valid = self.valid(number)
            if valid is None:
                pointer = addresses.pointer(*shift)
            else:
                pointer = addresses.guarded_pointer(*shift, valid)
            if number < len(values):
                self._store(values[number], pointer, valid)
            else:
                self._move(number, pointer, valid)

    def _move(self, number: int, pointer: ir.Value, valid: ir.Value | None) -> None:
        """Read and store under one condition: the ring has no place for a thread without a chunk.

        Behind the last ring of a kernel there may be no memory at all.
        """
        emit.guarded(valid, lambda: emit.store(self._read(number), pointer, self.chunk_bytes))

    def _read(self, number: int) -> ir.Value:
        addresses, shift = self.at(number, self.inside)
        return emit.load(addresses.pointer(*shift), self.chunk_type, self.chunk_bytes)

    def _store(self, value: ir.Value, pointer: ir.Value, test: ir.Value | None) -> None:
        emit.guarded(test, lambda: emit.store(value, pointer, self.chunk_bytes))
