"""NVIDIA's half of the lowering: mma.sync, ldmatrix and bar.sync behind the backend protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import gpu

from gemm_ladder.dialect_defs.target import Atom, Target
from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierOp,
    CopyAsyncOp,
    LoadOp,
    MmaOp,
    WaitBarrierOp,
    WaitOp,
)
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import (
    emit,
    nvidia_async,
    nvidia_barriers,
    nvidia_drain,
    nvidia_hints,
    nvidia_maps,
    nvidia_matrices,
    nvidia_ops,
    nvidia_tma,
    nvidia_wgmma,
)
from gemm_ladder.passes.lowering.backend import Parameter
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.memory import MemoryTile
from gemm_ladder.passes.lowering.state import State


@dataclass(frozen=True)
class NvidiaBackend:
    """Warp-level instructions of compute capability 8.0 and later.

    Shared memory is one external array sized at launch, because a static one stops at 48 KB (CUDA
    C++ Programming Guide, Shared Memory); 1024 bytes is the alignment that swizzled TMA tiles need.
    """

    target: Target
    lds_static_max: int = 0
    scalar: None = None
    predicates: bool = True

    def hidden(self, value: ir.Value) -> ir.Value:
        """The value: ptxas schedules both alike."""
        return value

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

    def mma(self, atom: Atom, a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
        """acc + a * b by one mma.sync."""
        return nvidia_ops.mma_sync(atom, a, b, acc)

    def read_fragment(self, tile: MemoryTile, dist: Distribution) -> list[ir.Value] | None:
        """A fragment of 16-bit elements by ldmatrix, if lane map and alignment allow it."""
        return nvidia_matrices.load(self.target, tile, dist)

    def late(self, state: State, op: LoadOp) -> bool:
        """No: ptxas moves loads itself."""
        return False

    def write_fragment(
        self, tile: MemoryTile, dist: Distribution, vectors: Sequence[ir.Value]
    ) -> bool:
        """An accumulator of 16-bit elements by stmatrix, if lane map and alignment allow it."""
        return nvidia_matrices.store(self.target, tile, dist, vectors)

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
        """By each thread's cp.async, or by the tensor memory accelerator."""
        if op.str_attr("engine") == "async":
            nvidia_async.fill(state, op)
            return
        if op.str_attr("engine") == "tma" and self.target.engine("tma") is not None:
            (nvidia_tma.fill if op.fills_lds else nvidia_drain.drain)(state, op)
            return
        raise PassError(op, f"{self.target.name} has no copy engine {op.str_attr('engine')!r}")

    def mma_lds(self, state: State, op: MmaOp) -> list[ir.Value]:
        """By a warpgroup."""
        return nvidia_wgmma.product(state, op)

    def wait(self, state: State, op: WaitOp) -> None:
        """Groups of copies, products of warpgroups; all else ends in stores or registers."""
        if op.str_attr("kind") == "copy":
            nvidia_async.wait(state, op)
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
        """Fences and register budgets."""
        return nvidia_hints.lower(state, op)

    def finish(self, func: ir.Operation, threads: int) -> None:
        """One workgroup an SM is enough: ptxas spills rather than give up a second one."""
        func.attributes["nvvm.minctasm"] = ir.IntegerAttr.get(emit.int_type(32), 1)


def _group_atom(dist: Distribution) -> Atom | None:
    """The warpgroup instruction whose accumulator ``dist`` distributes, or None."""
    grouped = dist.atom is not None and dist.atom.waves > 1 and dist.frag.role == "acc"
    return dist.atom if grouped else None


def _thread_id() -> ir.Value:
    return emit.to_i32(gpu.thread_id(gpu.Dimension.x))
