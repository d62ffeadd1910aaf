"""cp.async: fills of shared memory that each thread posts, a group a tile op; waits for groups.

Source: PTX ISA, "cp.async" (4, 8 or 16 bytes, with 16 also past L1; beyond src-size are zeros),
"cp.async.wait_group", "cp.async.bulk.wait_group".
A thread waits for its own groups, oldest first, which is what tile.wait says of a wave's tile ops.
"""

from __future__ import annotations

from functools import partial

from mlir import ir
from mlir.dialects import nvvm

from gemm_ladder.dialect_defs.tile import CopyAsyncOp, WaitOp
from gemm_ladder.passes.analysis.kernel import ancestors
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import copies, emit
from gemm_ladder.passes.lowering.crew import waves_of
from gemm_ladder.passes.lowering.moves import Move
from gemm_ladder.passes.lowering.state import State
from gemm_ladder.passes.lowering.walk import function_of, walk

_SIZES = (16, 8, 4)  # bytes a thread
_LINE = 128  # bytes of L1


def fill(state: State, op: CopyAsyncOp) -> None:
    """Post every thread's chunks of a tile, and close their group."""
    if not op.fills_lds:
        raise PassError(op, "engine async copies from global memory to LDS only")
    if op.completes is not None:
        raise PassError(op, "engine async completes no barrier; wait for the copy, then arrive")
    test = op.predicate
    emit.guarded(state.value(test) if test is not None else None, lambda: _group(state, op))


def _group(state: State, op: CopyAsyncOp) -> None:
    copies.by_slabs(state, op, lambda move: _post(op, move))
    nvvm.CpAsyncCommitGroupOp()


def _post(op: CopyAsyncOp, move: Move) -> None:
    if move.chunk_bytes not in _SIZES:
        sizes = ", ".join(map(str, _SIZES))
        message = f"engine async moves {sizes} bytes a thread, this copy allows {move.chunk_bytes}"
        raise PassError(op, message)
    for number in range(move.plan.rounds):
        addresses, shift = move.at(number, move.inside)
        chunk = partial(_chunk, move, addresses.pointer(*shift), *_source(move, number))
        emit.guarded(move.has_chunk(number), chunk)


def _source(move: Move, number: int) -> tuple[ir.Value | None, ir.Value | None]:
    """Where a round's chunk comes from, and how many bytes of it exist (None: all)."""
    if move.outside is None:
        return None, None
    addresses, shift = move.at(number, move.outside)
    pointer, exists = addresses.pointer(*shift), move.exists(number)
    if exists is None:
        return pointer, None
    # Nothing is read where src-size is 0, so the address is as constant there as elsewhere.
    return pointer, emit.select(exists, emit.i32(move.chunk_bytes), emit.i32(0))


def _chunk(move: Move, goal: ir.Value, source: ir.Value | None, size: ir.Value | None) -> None:
    if source is None:
        emit.store(emit.zeros(move.chunk_type), goal, move.chunk_bytes)
        return
    cache = ir.Attribute.parse(f"#nvvm<load_cache_modifier {_modifier(move)}>")
    nvvm.CpAsyncOp(goal, source, move.chunk_bytes, cache, cpSize=size)


def _modifier(move: Move) -> str:
    """Past L1 (cg) where rows are whole lines, else through it (ca): the next tile has the rest.

    Measured on an H200, 8192 x 8192 x 8192, three stages: tiles with rows of 64 bytes are 7 to 14 %
    faster through L1, tiles with rows of 128 bytes 2 % faster past it.
    """
    whole = move.chunk_bytes == _SIZES[0] and move.inside.pitch % _LINE == 0
    return "cg" if whole else "ca"


def wait(state: State, op: WaitOp) -> None:
    """tile.wait of kind copy: until at most so many groups of this thread are under way.

    Where a wave has copies of more than one kind its groups do not tell how many tile ops are
    pending, so all are waited for. Copies through registers have ended in ordinary stores.
    """
    moves = _counted(state, op.operation)
    mine = waves_of(op.operation, state.waves)
    kinds = [{kind for kind, waves in moves if wave in waves} for wave in mine]
    every: set[str] = set().union(*kinds)
    pending = 0 if any(len(found) > 1 for found in kinds) else op.int_attr("pending")
    if "async" in every:
        nvvm.CpAsyncWaitGroupOp(pending)
    if "bulk" in every:
        # One lane has groups; the others must not run ahead of it.
        nvvm.CpAsyncBulkWaitGroupOp(pending, read=True)
        nvvm.SyncWarpOp(emit.i32(-1))


def _counted(state: State, at: ir.Operation) -> list[tuple[str, list[int]]]:
    """How the copies move that may be pending for a tile.wait at ``at``, and for which waves."""
    found, seen = [], False
    loops = [around for around in ancestors(at) if around.name == "scf.for"]
    for op in walk(function_of(at)):
        seen = seen or op == at
        if seen and not any(loop in ancestors(op) for loop in loops):
            continue  # behind the wait, with no way back
        if op.name == "tile.copy":
            found.append(("registers", waves_of(op, state.waves)))
        elif op.name == "tile.copy_async" and CopyAsyncOp(op).completes is None:
            kind = "async" if CopyAsyncOp(op).str_attr("engine") == "async" else "bulk"
            found.append((kind, waves_of(op, state.waves)))
    return found
