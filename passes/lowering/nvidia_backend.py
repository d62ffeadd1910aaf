"""NVIDIA's half of the lowering: mma.sync, ldmatrix and bar.sync behind the backend protocol."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import gpu

from gemm_ladder.dialect_defs.target import Atom, LaneMap, Target
from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierOp,
    CopyAsyncOp,
    MmaOp,
    WaitBarrierOp,
    WaitOp,
)
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import (
    emit,
    nvidia_barriers,
    nvidia_maps,
    nvidia_ops,
    nvidia_tma,
    nvidia_wgmma,
)
from gemm_ladder.passes.lowering.backend import Parameter
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.memory import Addresses, Lanes, MemoryTile
from gemm_ladder.passes.lowering.nvidia_ldmatrix import (
    AtomPlan,
    Fetch,
    Offset,
    plan_atom,
    plan_fetches,
)
from gemm_ladder.passes.lowering.state import State

_ROW_BYTES = 16  # of an ldmatrix row: both its size and its alignment


@dataclass(frozen=True)
class NvidiaBackend:
    """Warp-level instructions of compute capability 8.0 and later.

    Shared memory is one external array sized at launch, because a static one stops at 48 KB (CUDA
    C++ Programming Guide, Shared Memory); 1024 bytes is the alignment that swizzled TMA tiles need.
    """

    target: Target
    lds_align: int = 1024
    lds_static_max: int = 0

    def wave_id(self, threads: int) -> ir.Value:
        """The warp's number: thread id / warp size, from lane 0 so that it is known uniform."""
        wave = emit.udiv(_thread_id(), self.target.wave_size)
        return nvidia_ops.warp_uniform(wave)

    def block_type(self, dist: Distribution) -> ir.Type:
        """The vector, or the registers of a warpgroup's accumulator."""
        atom = _group_atom(dist)
        if atom is not None:
            return nvidia_wgmma.block_type(atom)
        return emit.vector(dist.lane_map.slot_count, dist.frag.elem)

    def to_blocks(self, dist: Distribution, vectors: list[ir.Value]) -> list[ir.Value]:
        """Vectors, or accumulators made of them."""
        atom = _group_atom(dist)
        return vectors if atom is None else nvidia_wgmma.pack(vectors, atom)

    def to_vectors(self, dist: Distribution, blocks: list[ir.Value]) -> list[ir.Value]:
        """Vectors; of accumulators when their products are over."""
        atom = _group_atom(dist)
        return blocks if atom is None else nvidia_wgmma.unpack(blocks, atom)

    def scalar(self, pointer: ir.Value) -> ir.Value:
        """The pointer: addresses are vectors here."""
        return pointer

    def mma(self, atom: Atom, a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
        """acc + a * b by one mma.sync."""
        return nvidia_ops.mma_sync(atom, a, b, acc)

    def read_fragment(self, tile: MemoryTile, dist: Distribution) -> list[ir.Value] | None:
        """A fragment of 16-bit elements by ldmatrix, if lane map and alignment allow it."""
        if not self.target.has("ldmatrix") or tile.elem != dist.frag.elem or tile.elem_bytes != 2:
            return None
        exchanged = tile.transposed
        plan = plan_atom(dist.lane_map.transposed() if exchanged else dist.lane_map)
        if plan is None:
            return None
        origins = [(c, r) if exchanged else (r, c) for r, c in dist.origins()]
        memory = dataclasses.replace(tile, transposed=False)
        return _fetch_all(memory, plan, plan_fetches(plan, origins))

    def kernel_params(self, func: ir.Operation) -> Sequence[Parameter]:
        """The tensor maps."""
        return nvidia_maps.parameters(func)

    def facts(self, func: ir.Operation) -> Mapping[str, ir.Attribute]:
        """What the tensor maps describe."""
        return nvidia_maps.facts(func)

    def begin(self, state: State, func: ir.Operation) -> None:
        """Barriers in shared memory."""
        nvidia_barriers.create(state, func)

    def copy_async(self, state: State, op: CopyAsyncOp) -> None:
        """By the tensor memory accelerator, into LDS."""
        if op.str_attr("engine") == "tma" and op.fills_lds:
            nvidia_tma.fill(state, op)
            return
        raise PassError(op, f"{self.target.name} cannot lower this tile.copy_async yet")

    def mma_lds(self, state: State, op: MmaOp) -> list[ir.Value]:
        """By a warpgroup."""
        return nvidia_wgmma.product(state, op)

    def wait(self, state: State, op: WaitOp) -> None:
        """Products of warpgroups; register copies end in stores, and ldmatrix in registers."""
        if op.str_attr("kind") == "lds":
            nvidia_wgmma.wait(op)

    def arrive(self, state: State, op: ArriveOp) -> None:
        """An mbarrier's or a cluster's; other barriers do both halves in the wait."""
        nvidia_barriers.arrive(state, op)

    def wait_barrier(self, state: State, op: WaitBarrierOp) -> None:
        """Of any barrier; orders shared memory too."""
        nvidia_barriers.wait(state, op)

    def barrier(self, state: State, op: BarrierOp) -> None:
        """bar.sync over the waves that share the barrier, or both halves of the cluster's."""
        nvidia_barriers.barrier(state, op)

    def other(self, state: State, op: ir.Operation) -> bool:
        """Hints and fences have no NVIDIA meaning yet."""
        return False

    def finish(self, func: ir.Operation, threads: int) -> None:
        """One workgroup an SM is enough: ptxas spills rather than give up a second one."""
        func.attributes["nvvm.minctasm"] = ir.IntegerAttr.get(emit.int_type(32), 1)
        if "known_cluster_size" in func.attributes:
            func.attributes["nvvm.cluster_dim"] = func.attributes["known_cluster_size"]


def _group_atom(dist: Distribution) -> Atom | None:
    """The warpgroup instruction whose accumulator ``dist`` distributes, or None."""
    grouped = dist.atom is not None and dist.atom.waves > 1 and dist.frag.role == "acc"
    return dist.atom if grouped else None


def _thread_id() -> ir.Value:
    return emit.to_i32(gpu.thread_id(gpu.Dimension.x))


def _fetch_all(tile: MemoryTile, plan: AtomPlan, fetches: Sequence[Fetch]) -> list[ir.Value] | None:
    """One vector an atom, in memory coordinates; None if a row is not on 16 bytes."""
    if not all(_aligned(tile, fetch) for fetch in fetches):
        return None
    thread = _thread_id()
    kinds = dict.fromkeys(fetch.lanes for fetch in fetches)
    placements = {kind: Addresses(tile, _lanes(thread, kind)) for kind in kinds}
    words: dict[int, list[ir.Value]] = {}
    for fetch in fetches:
        pointer = placements[fetch.lanes].pointer(*fetch.base)
        loaded = nvidia_ops.ldmatrix(pointer, len(fetch.words), plan.trans)
        for (atom, _), word in zip(fetch.words, loaded, strict=True):
            words.setdefault(atom, []).append(word)
    return [nvidia_ops.words_to_vector(words[atom], tile.elem) for atom in sorted(words)]


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
