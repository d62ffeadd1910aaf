"""Ops of AMD targets that move no data: schedule, hints, proxies, and the place in a cluster."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import llvm, rocdl

from gemm_ladder.dialect_defs.tile import HintOp, SchedGroupOp
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import amd_sync, emit
from gemm_ladder.passes.lowering.describe import cluster_of
from gemm_ladder.passes.lowering.state import State

# LLVM AMDGPUUsage, llvm.amdgcn.sched.group.barrier
_MASKS = {"valu": 0x2, "mma": 0x8, "global_read": 0x20, "lds_read": 0x100}

# DISABLE_XDL_ARB_STALL, bit 2 of WAVE_SCHED_MODE, hardware register 26: a SIMD keeps to one wave's
# matrix instructions (ISA 5.5; s_setreg names a register as number | offset << 6 | size - 1 << 11).
_LOCK_SIMD = 26 | 2 << 6


def lower(state: State, op: ir.Operation) -> bool:
    """Emit ``op`` if it is one of these; else False."""
    if op.name in _RULES:
        _RULES[op.name](op)
        return True
    if op.name in ("gpu.cluster_block_id", "gpu.cluster_dim_blocks"):
        state.values[op.results[0]] = [_cluster(op)]
        return True
    return False


def _sched_group(op: ir.Operation) -> None:
    """One round of a group; rounds of several groups are taken together (``repeat``)."""
    group = SchedGroupOp(op)
    for one in _round(op) if "repeat" in op.attributes else [group]:
        mask = _MASKS[one.str_attr("kind")]
        rocdl.SchedGroupBarrier(mask, one.int_attr("count"), one.int_attr("group"))


def _round(op: ir.Operation) -> list[SchedGroupOp]:
    """All of the adjacent groups with ``op``'s number and repeat, ``repeat`` times; once a round.

    The first of the groups stands for all, the others are nothing.
    """
    members = _neighbours(op)
    if members[0] != op:
        return []
    return [SchedGroupOp(m) for m in members] * SchedGroupOp(op).int_attr("repeat")


def _neighbours(op: ir.Operation) -> list[ir.Operation]:
    block = [inner.operation for inner in op.block]
    here = first = last = block.index(op)

    def like(other: ir.Operation) -> bool:
        return other.name == op.name and all(
            key in other.attributes and other.attributes[key] == op.attributes[key]
            for key in ("group", "repeat")
        )

    while first > 0 and like(block[first - 1]):
        first -= 1
    while last + 1 < len(block) and like(block[last + 1]):
        last += 1
    return block[first : max(last, here) + 1]


def _hint(op: ir.Operation) -> None:
    hint = HintOp(op)
    kind, value = hint.str_attr("kind"), hint.int_attr("value")
    if kind == "priority":
        if value > 3:
            raise PassError(op, f"a priority is 0 to 3, this is {value}")
        rocdl.SetPrioOp(value)
        amd_sync.hold()
        return
    name = ir.StringAttr.get("llvm.amdgcn.s.setreg")
    llvm.CallIntrinsicOp(None, name, [emit.i32(_LOCK_SIMD), emit.i32(value)], [], [])


def _cluster(op: ir.Operation) -> ir.Value:
    """Place of this workgroup in its cluster, or the cluster's extent, as index."""
    along = "xyz".index(str(op.attributes["dimension"])[-2])
    extent = cluster_of(amd_sync.kernel_of(op))[along]
    if op.name == "gpu.cluster_dim_blocks" or extent == 1:
        return emit.index(extent if op.name == "gpu.cluster_dim_blocks" else 0)
    name = ir.StringAttr.get(f"llvm.amdgcn.cluster.workgroup.id.{'xyz'[along]}")
    return emit.to_index(llvm.CallIntrinsicOp(emit.int_type(32), name, [], [], []).results)


_RULES: dict[str, Callable[[ir.Operation], None]] = {
    "tile.sched_fence": lambda op: amd_sync.hold(),
    "tile.sched_group": _sched_group,
    "tile.hint": _hint,
    # The engines read LDS as waves do: what is complete is visible.
    "tile.fence": lambda op: amd_sync.fence("release"),
}
