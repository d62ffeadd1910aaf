"""NVIDIA's half of the lowering: mma.sync, ldmatrix and bar.sync behind the backend protocol."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import gpu, nvvm

from gemm_ladder.dialect_defs.target import Atom, LaneMap, Target
from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierOp,
    CopyAsyncOp,
    MmaOp,
    TileOp,
    WaitBarrierOp,
    WaitOp,
    barrier_of,
)
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit, nvidia_ops
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
        """None yet: tensor maps come with TMA."""
        return ()

    def facts(self, func: ir.Operation) -> Mapping[str, ir.Attribute]:
        """None yet."""
        return {}

    def begin(self, state: State, func: ir.Operation) -> None:
        """Nothing."""

    def copy_async(self, state: State, op: CopyAsyncOp) -> None:
        """Not yet."""
        raise PassError(op, f"{self.target.name} cannot lower tile.copy_async yet")

    def mma_lds(self, state: State, op: MmaOp) -> list[ir.Value]:
        """Not yet."""
        raise PassError(op, f"{self.target.name} cannot lower a product of LDS operands yet")

    def wait(self, state: State, op: WaitOp) -> None:
        """Nothing: register copies end in ordinary stores, and ldmatrix in registers."""

    def arrive(self, state: State, op: ArriveOp) -> None:
        """Nothing: wait_barrier does both halves, which is later than needed and safe."""
        self._check(op)

    def wait_barrier(self, state: State, op: WaitBarrierOp) -> None:
        """bar.sync over the whole block; orders shared memory too."""
        self._check(op)
        nvvm.Barrier0Op()

    def barrier(self, state: State, op: BarrierOp) -> None:
        """bar.sync over the whole block. Raises PassError for a part of its warps."""
        self._check(op)
        nvvm.Barrier0Op()

    def _check(self, op: TileOp) -> None:
        created = barrier_of(op)
        if (created.str_attr("scope"), created.str_attr("kind")) != ("workgroup", "hw"):
            raise PassError(op, "only hw barriers of a workgroup can be lowered yet")
        arrivals, warps = created.int_attr("arrivals"), self._warps(op.operation)
        if arrivals != warps:
            raise PassError(
                op,
                f"barrier of {arrivals} waves in a workgroup of {warps}: the lowering for "
                f"{self.target.name} has no barrier for a part of a workgroup yet",
            )

    def other(self, state: State, op: ir.Operation) -> bool:
        """Hints and fences have no NVIDIA meaning yet."""
        return False

    def finish(self, func: ir.Operation, threads: int) -> None:
        """One workgroup an SM is enough: ptxas spills rather than give up a second one."""
        func.attributes["nvvm.minctasm"] = ir.IntegerAttr.get(emit.int_type(32), 1)

    def _warps(self, op: ir.Operation) -> int:
        func = op
        while func.name != "gpu.func":
            func = func.parent.operation
        size: Sequence[int] = ir.DenseI32ArrayAttr(func.attributes["known_block_size"])
        return -(-size[0] // self.target.wave_size)


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
