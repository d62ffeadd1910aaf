"""Fragments of 16-bit elements between registers and shared memory, 8 x 8 matrices at a time.

ldmatrix and stmatrix take a row's address from each lane and give, or take, a word a matrix.
Source: PTX ISA, "Warp-level matrix load instruction: ldmatrix", "... store instruction: stmatrix".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, gpu

from gemm_ladder.dialect_defs.target import LaneMap, Target
from gemm_ladder.passes.lowering import emit, nvidia_ops
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.memory import Addresses, Lanes, MemoryTile
from gemm_ladder.passes.lowering.nvidia_ldmatrix import (
    AtomPlan,
    Fetch,
    Offset,
    plan_atom,
    plan_fetches,
)

_ROW_BYTES = 16  # of a matrix row: both its size and its alignment


def load(target: Target, tile: MemoryTile, dist: Distribution) -> list[ir.Value] | None:
    """A fragment by ldmatrix, one vector an atom; None if lane map or alignment do not allow it."""
    if not target.has("ldmatrix") or tile.elem != dist.frag.elem:
        return None
    found = _plan(tile, dist)
    if found is None:
        return None
    memory, plan, fetches = found
    words: dict[int, list[ir.Value]] = {}
    for fetch, pointer in zip(fetches, _pointers(memory, fetches), strict=True):
        loaded = nvidia_ops.ldmatrix(pointer, len(fetch.words), plan.trans)
        for (atom, _), word in zip(fetch.words, loaded, strict=True):
            words.setdefault(atom, []).append(word)
    return [nvidia_ops.words_to_vector(words[atom], tile.elem) for atom in sorted(words)]


def store(
    target: Target, tile: MemoryTile, dist: Distribution, vectors: Sequence[ir.Value]
) -> bool:
    """A fragment by stmatrix, rounded to the elements of memory; False as for load.

    Elements are converted in pairs: that is what the hardware has an instruction for.
    """
    if not target.has("stmatrix"):
        return False
    found = _plan(tile, dist)
    if found is None:
        return False
    memory, plan, fetches = found
    words = [_words(vector, tile.elem) for vector in vectors]
    for fetch, pointer in zip(fetches, _pointers(memory, fetches), strict=True):
        nvidia_ops.stmatrix(pointer, [words[atom][word] for atom, word in fetch.words], plan.trans)
    return True


def _plan(tile: MemoryTile, dist: Distribution) -> tuple[MemoryTile, AtomPlan, list[Fetch]] | None:
    """The tile in memory's orientation, and the instructions that cover the fragment there."""
    if tile.elem_bytes != 2 or tile.guarded:
        return None
    exchanged = tile.transposed
    plan = plan_atom(dist.lane_map.transposed() if exchanged else dist.lane_map)
    if plan is None:
        return None
    memory = dataclasses.replace(tile, transposed=False)
    fetches = plan_fetches(plan, [(c, r) if exchanged else (r, c) for r, c in dist.origins()])
    aligned = all(_aligned(memory, fetch) for fetch in fetches)
    return (memory, plan, fetches) if aligned else None


def _words(vector: ir.Value, elem: ir.Type) -> list[ir.Value]:
    """32-bit words of pairs of ``elem``."""
    count = emit.count_of(vector)
    if ir.VectorType(vector.type).element_type != elem:
        vector = arith.truncf(emit.vector(count, elem), vector)
    return nvidia_ops.vector_to_words(vector)


def _pointers(tile: MemoryTile, fetches: Sequence[Fetch]) -> list[ir.Value]:
    """The lane's row address for each instruction."""
    thread = emit.to_i32(gpu.thread_id(gpu.Dimension.x))
    kinds = dict.fromkeys(fetch.lanes for fetch in fetches)
    placements = {kind: Addresses(tile, _lanes(thread, kind)) for kind in kinds}
    return [placements[fetch.lanes].pointer(*fetch.base) for fetch in fetches]


def _aligned(tile: MemoryTile, fetch: Fetch) -> bool:
    # Alignment follows from where lanes stand; their run-time values are not looked at.
    lanes = Lanes(_table(fetch.lanes), tile.origin.row, tile.origin.col)
    return Addresses(tile, lanes).alignment(fetch.base) == _ROW_BYTES


def _table(offsets: tuple[Offset, ...]) -> tuple[Offset, ...]:
    # Lanes beyond the bits in use repeat the first ones.
    lane_map = LaneMap(offsets, ())
    return tuple(lane_map.lane_offset(lane) for lane in range(2 ** len(offsets)))


def _lanes(thread: ir.Value, offsets: tuple[Offset, ...]) -> Lanes:
    row = emit.bits(thread, [r for r, _ in offsets])
    col = emit.bits(thread, [c for _, c in offsets])
    return Lanes(_table(offsets), row, col)
