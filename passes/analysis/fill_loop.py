"""Loops that fill single-stage LDS rings, publish them by a barrier and read them."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import AllocOp, CopyOp
from gemm_ladder.passes.analysis.kernel import Kernel, ops_named, walk
from gemm_ladder.passes.base import PassError

_BARRIERS = ("tile.barrier", "tile.wait_barrier")


@dataclass(frozen=True)
class FillLoop:
    """An scf.for whose body fills ``rings`` by ``copies`` and reads them by ``loads``.

    ``publish`` are the waits and barrier between the copies and the first load; ``hand_off`` is
    the barrier after the last load, behind which the rings may be filled again, and ``drains``
    the waits for reads just before it.
    """

    loop: ir.Operation
    rings: tuple[ir.Operation, ...]
    copies: tuple[CopyOp, ...]
    loads: tuple[ir.Operation, ...]
    publish: tuple[ir.Operation, ...]
    hand_off: tuple[ir.Operation, ...]

    @property
    def body(self) -> ir.Block:
        """The loop's body."""
        return self.loop.regions[0].blocks[0]


def find_fill_loops(kernel: Kernel) -> list[FillLoop]:
    """Every such loop of ``kernel``; raises PassError for one whose barriers are missing."""
    return [
        found
        for loop in ops_named(kernel.body, "scf.for")
        if (found := _fill_loop(loop)) is not None
    ]


def _fill_loop(loop: ir.Operation) -> FillLoop | None:
    body = loop.regions[0].blocks[0]
    top = [op.operation for op in body.operations]
    copies = [CopyOp(op) for op in top if op.name == "tile.copy"]
    copies = [c for c in copies if c.fills_lds and _single_stage(c.dst)]
    if not copies:
        return None
    rings = _unique([c.dst.owner.operation for c in copies])
    loads = [op for op in walk(body) if op.name == "tile.load" and _reads(op, rings)]
    for ring in rings:
        _check_uses(ring, copies, loads)
    last_copy = max(top.index(c.operation) for c in copies)
    reads = [top.index(_ancestor_in(op, body)) for op in loads]
    if not reads or min(reads) < last_copy:
        raise PassError(copies[0], "the ring is not read after it is filled, in the same iteration")
    publish = _between(top, last_copy, min(reads), copies[0])
    hand_off = _after(top, max(reads), copies[0])
    return FillLoop(loop, tuple(rings), tuple(copies), tuple(loads), publish, hand_off)


def _single_stage(ring: ir.Value) -> bool:
    owner = ring.owner
    is_alloc = not isinstance(owner, ir.Block) and owner.operation.name == "tile.alloc"
    return is_alloc and AllocOp(owner.operation).lds.stages == 1


def _unique(ops: list[ir.Operation]) -> list[ir.Operation]:
    found: list[ir.Operation] = []
    for op in ops:
        if op not in found:
            found.append(op)
    return found


def _reads(op: ir.Operation, rings: list[ir.Operation]) -> bool:
    return any(op.operands[0] == ring.results[0] for ring in rings)


def _check_uses(ring: ir.Operation, copies: list[CopyOp], loads: list[ir.Operation]) -> None:
    known = [c.operation for c in copies] + loads
    for use in ring.results[0].uses:
        if use.owner.operation not in known:
            raise PassError(
                use.owner, "uses a ring that a loop fills, outside of that loop's copies and loads"
            )


def _ancestor_in(op: ir.Operation, block: ir.Block) -> ir.Operation:
    while op.block != block:
        op = op.parent.operation
    return op


def _between(
    top: list[ir.Operation], last_copy: int, first_read: int, at: CopyOp
) -> tuple[ir.Operation, ...]:
    inside = top[last_copy + 1 : first_read]
    sync = tuple(op for op in inside if op.name in (*_BARRIERS, "tile.arrive", "tile.wait"))
    if not any(op.name in _BARRIERS for op in sync):
        raise PassError(
            at, "no barrier between filling the ring and reading it; run promote-to-lds first"
        )
    return sync


def _after(top: list[ir.Operation], last_read: int, at: CopyOp) -> tuple[ir.Operation, ...]:
    """The barrier, or arrive and wait_barrier, after the last read."""
    behind = top[last_read + 1 :]
    sync = tuple(op for op in behind if op.name in (*_BARRIERS, "tile.arrive"))
    if not any(op.name in _BARRIERS for op in sync):
        raise PassError(
            at,
            "no barrier after the last read of the ring, before it is filled again;"
            " run promote-to-lds first",
        )
    return sync
