"""AMD's half of the lowering: WMMA, counters and split barriers behind the backend protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from mlir import ir
from mlir.dialects import gpu, llvm, rocdl

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
    amd_async,
    amd_hints,
    amd_schedule,
    amd_sync,
    amd_tdm,
    amd_transpose,
    emit,
)
from gemm_ladder.passes.lowering.backend import Parameter
from gemm_ladder.passes.lowering.describe import cluster_of
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.memory import MemoryTile
from gemm_ladder.passes.lowering.state import State

_ENGINES = {"async": amd_async.fill, "tdm": amd_tdm.copy}


@dataclass(frozen=True)
class AmdBackend:
    """AMD's instructions (see lowering/backend.py for the protocol)."""

    target: Target
    predicates: bool = False

    @property
    def lds_static_max(self) -> int:
        """LDS is always sized by the kernel itself."""
        return self.target.lds_bytes

    def hidden(self, value: ir.Value) -> ir.Value:
        """Through an assembly of no instructions. LLVM's registers run out in a loop's body alone,
        with operands of two steps beside all accumulators, where they suffice in the loop.
        """
        return llvm.inline_asm(value.type, [value], "", "=s,0")

    def wave_id(self, threads: int) -> ir.Value:
        """From a scalar register where the hardware has one, else from the first lane's thread."""
        if threads == self.target.wave_size:
            return emit.i32(0)
        i32 = emit.int_type(32)
        if self.target.has("wave_id_register"):
            name = ir.StringAttr.get("llvm.amdgcn.wave.id")
            return llvm.CallIntrinsicOp(i32, name, [], [], []).results
        return rocdl.readfirstlane(i32, emit.udiv(_thread(), self.target.wave_size))

    def block_type(self, dist: Distribution) -> ir.Type:
        """The vector."""
        return emit.vector(dist.lane_map.slot_count, dist.frag.elem)

    def to_blocks(self, dist: Distribution, vectors: list[ir.Value]) -> list[ir.Value]:
        """The vectors themselves."""
        return vectors

    def to_vectors(self, dist: Distribution, blocks: list[ir.Value]) -> list[ir.Value]:
        """The vectors themselves."""
        return blocks

    def scalar(self, value: ir.Value) -> ir.Value:
        """Through readfirstlane, which no IR pass looks through and code generation drops.

        Else LLVM takes constants and what does not change in a loop out of the sum, and the access
        has a 64-bit address in vector registers instead of a scalar one and a 32-bit offset.
        """
        return rocdl.readfirstlane(value.type, value)

    def mma(self, atom: Atom, a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
        """The ROCDL operation that the atom names; its modifiers keep their defaults."""
        return ir.Operation.create(atom.op, results=[acc.type], operands=[a, b, acc]).results[0]

    def read_fragment(self, tile: MemoryTile, dist: Distribution) -> list[ir.Value] | None:
        """Transposed reads, where the target has them."""
        if not self.target.has("lds_transpose_load_b16"):
            return None
        lane = emit.urem(_thread(), self.target.wave_size)
        return amd_transpose.read(tile, dist, lane, self.target.wave_size)

    def late(self, state: State, op: LoadOp) -> bool:
        """Where operands do not fit: LLVM does not move a read across a copy that writes LDS."""
        return amd_schedule.crowded(state, op.operation)

    def write_fragment(
        self, tile: MemoryTile, dist: Distribution, vectors: Sequence[ir.Value]
    ) -> bool:
        """No: a lane's run of an accumulator is a wide store as it is."""
        return False

    def kernel_params(self, func: ir.Operation) -> Sequence[Parameter]:
        """None: a descriptor is made in registers."""
        return ()

    def facts(self, func: ir.Operation) -> Mapping[str, ir.Attribute]:
        """None."""
        return {}

    def begin(self, state: State, func: ir.Operation) -> None:
        """Nothing."""

    def copy_async(self, state: State, op: CopyAsyncOp) -> None:
        """By each lane (engine async) or as a whole (tdm), by the issuer alone if it has one."""
        engine = op.str_attr("engine")
        if engine not in _ENGINES or op.completes is not None:
            what = "with completes" if engine in _ENGINES else f"by engine {engine}"
            raise PassError(op, f"{self.target.name} cannot lower tile.copy_async {what}")
        if op.parts != (1, 1):
            raise PassError(op, f"{self.target.name}'s engines move whole tiles, not parts of them")
        x, y, z = cluster_of(amd_sync.kernel_of(op.operation))
        # Outside a cluster a mask has to be 0 (ISA 5.7): a share with nobody is a plain load.
        mask = state.value(op.multicast) if op.multicast is not None and x * y * z > 1 else None
        wave = partial(self.wave_id, state.threads)
        move = partial(_ENGINES[engine], state, op, mask)
        # A branch and not a descriptor that counts nothing: it is there for the issuer anyhow.
        test = None if op.predicate is None else state.value(op.predicate)
        emit.guarded(test, lambda: amd_sync.by_wave(op.issuer, wave, move))
        if op.issuer is not None:
            # The branch cuts the block for LLVM's scheduler; without it, where LLVM finds that the
            # predicate never holds, operands of more steps than planned would be live at once.
            amd_sync.hold()

    def mma_lds(self, state: State, op: MmaOp) -> list[ir.Value]:
        """Refused: matrix instructions read registers."""
        raise PassError(op, f"{self.target.name} multiplies fragments: load the LDS operand first")

    def wait(self, state: State, op: WaitOp) -> None:
        """Counters of the engines, or a fence that LLVM turns into a drain."""
        amd_sync.wait(state, op)

    def arrive(self, state: State, op: ArriveOp) -> None:
        """Release this wave's LDS accesses, then signal."""
        amd_sync.arrive(state, op, partial(self.wave_id, state.threads))

    def wait_barrier(self, state: State, op: WaitBarrierOp) -> None:
        """Wait; LDS is read behind it."""
        amd_sync.wait_barrier(state, op)

    def barrier(self, state: State, op: BarrierOp) -> None:
        """arrive and wait_barrier."""
        amd_sync.barrier(state, op)

    def other(self, state: State, op: ir.Operation) -> bool:
        """Schedule, hints, proxies and the place in a cluster."""
        return amd_hints.lower(state, op)

    def finish(self, func: ir.Operation, threads: int) -> None:
        """Fixed workgroup size and occupancy, so that LLVM has the whole register budget."""
        waves = -(-threads // self.target.wave_size // self.target.simds) or 1
        pairs = {
            "amdgpu-flat-work-group-size": f"{threads},{threads}",
            "amdgpu-waves-per-eu": f"{waves}",
            "uniform-work-group-size": "true",
        }
        entries = [ir.ArrayAttr.get([ir.StringAttr.get(t) for t in pair]) for pair in pairs.items()]
        func.attributes["passthrough"] = ir.ArrayAttr.get(entries)
        amd_schedule.hold_order(func, self.target.register_budget(threads))


def _thread() -> ir.Value:
    """i32 thread of the workgroup."""
    return emit.to_i32(gpu.thread_id(gpu.Dimension.x))
