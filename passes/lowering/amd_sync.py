"""Waits and barriers of AMD targets: counters, fences of LDS, and split barriers.

LLVM counts the accesses of a wave's own path itself, exactly, and puts a wait before the first use
of what was loaded. It knows nothing of the copy engines' counters. Source: LLVM AMDGPUUsage, Memory
Model GFX12 and asynchronous operations; AMD Instinct CDNA5 ISA 5.6.6, barriers.
"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith, llvm, rocdl

from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierOp,
    CopyAsyncOp,
    TileOp,
    WaitBarrierOp,
    WaitOp,
    barrier_of,
)
from gemm_ladder.passes.analysis.kernel import ancestors
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import amd_schedule, emit
from gemm_ladder.passes.lowering.describe import cluster_of
from gemm_ladder.passes.lowering.state import State
from gemm_ladder.passes.lowering.walk import walk

_IDS = {"workgroup": -1, "cluster": -3}  # of s_barrier_signal and s_barrier_wait


def kernel_of(op: ir.Operation) -> ir.Operation:
    """The gpu.func around ``op``."""
    while op.name != "gpu.func":
        op = op.parent.operation
    return op


def wait(state: State, op: WaitOp) -> None:
    """tile.wait. Some pending LDS accesses are LLVM's business; none pending is a full drain."""
    kind, pending = op.str_attr("kind"), op.int_attr("pending")
    if kind == "copy":
        _wait_copies(op.operation, pending)
    elif kind in ("global", "store"):
        llvm.FenceOp(_ordering("release"), syncscope="workgroup")
    elif pending == 0 and not amd_schedule.crowded(state, op.operation):
        fence("release")
        # Products touch no memory: LLVM would have them wait one by one, each for its own operands.
        if not any(other.operation.name == "tile.sched_group" for other in op.operation.block):
            hold()


def _wait_copies(op: ir.Operation, pending: int) -> None:
    found = {_engine(inner) for inner in walk(kernel_of(op))} - {""}
    if found & {"tdm", "async"}:
        hold()  # products that stand before the wait do not sink below it
    if "tdm" in found:
        # In order within a wave (ISA 10.11), so a partial wait holds if nothing else is counted.
        rocdl.s_wait_tensorcnt(pending if found == {"tdm"} else 0)
    if "async" in found:
        # Loads may complete in any order: fewer than all says nothing of which.
        rocdl.s_wait_asynccnt(0)
    if found != {"tdm"}:
        fence("release")  # register copies, and the zeros beside asynchronous ones


def _engine(op: ir.Operation) -> str:
    if op.name == "tile.copy_async":
        return CopyAsyncOp(op).str_attr("engine")
    return "registers" if op.name == "tile.copy" else ""


def arrive(state: State, op: ArriveOp, wave: Callable[[], ir.Value]) -> None:
    """Drain LDS, whatever waits came before, then signal; with an issuer only in that wave."""
    number = _id(state, op)
    fence("release")
    by_wave(op.issuer, wave, lambda: _signal(number))


def barrier(state: State, op: BarrierOp) -> None:
    """arrive and wait_barrier."""
    number = _id(state, op)
    fence("release")
    _signal(number)
    _wait(number)


def wait_barrier(state: State, op: WaitBarrierOp) -> None:
    """Wait; nothing that reads LDS moves up. LDS itself is in order: no counter has to drain."""
    _wait(_id(state, op))


def _signal(number: int) -> None:
    rocdl.BarrierSignalOp(number)
    hold()


def _wait(number: int) -> None:
    hold()  # products that stand before it fill the time until it is over
    rocdl.BarrierWaitOp(number)
    fence("acquire", "wavefront")
    hold()


def hold() -> None:
    """Nothing moves across this place.

    It has to follow a barrier and a change of the wave's state: LLVM 22.1 puts an s_set_vgpr_msb
    that is due right behind one before the instruction in front of it, which then reads other
    registers; behind a sched_barrier it does not.
    """
    last = list(ir.InsertionPoint.current.block.operations)[-1:]
    if not last or last[0].operation.name != "rocdl.sched.barrier":
        rocdl.SchedBarrier(0)


def by_wave(issuer: int | None, wave: Callable[[], ir.Value], act: Callable[[], object]) -> None:
    """``act`` in wave ``issuer`` alone, in every wave if that is None."""
    if issuer is None:
        act()
    else:
        emit.guarded(arith.cmpi(arith.CmpIPredicate.eq, wave(), emit.i32(issuer)), act)


def _id(state: State, op: TileOp) -> int:
    """The hardware barrier; PassError if the participants are not the ones that it has."""
    created = barrier_of(op)
    scope, arrivals = created.str_attr("scope"), created.int_attr("arrivals")
    if created.str_attr("kind") != "hw":
        raise PassError(op, f"{state.target.name} has no barriers of kind mbarrier")
    waves = state.threads // state.target.wave_size
    alone = isinstance(op, ArriveOp) and op.issuer is not None
    if scope == "workgroup":
        if arrivals != waves or (alone and waves > 1):
            message = f"a barrier of {arrivals} of the {waves} waves"
            raise PassError(op, f"{message}; {state.target.name}'s takes all of them, once each")
        return _IDS[scope]
    x, y, z = cluster_of(kernel_of(op.operation))
    if arrivals != x * y * z:
        raise PassError(op, f"a barrier of {arrivals} workgroups in a cluster of {x * y * z}")
    chosen = alone or waves == 1 or any(up.name == "scf.if" for up in ancestors(op.operation))
    if not isinstance(op, WaitBarrierOp) and not chosen:
        raise PassError(op, "one wave of a workgroup arrives at a cluster's barrier: issuer = ...")
    return _IDS[scope]


def fence(ordering: str, scope: str = "workgroup") -> None:
    """A fence of LDS alone, by the memory model relaxation annotation for it.

    Scope wavefront holds the compiler and costs no instruction.
    """
    made = llvm.FenceOp(_ordering(ordering), syncscope=scope)
    tag = '#llvm.mmra_tag<"amdgpu-synchronize-as":"local">'
    made.operation.attributes["llvm.mmra"] = ir.Attribute.parse(tag)


def _ordering(name: str) -> ir.Attribute:
    number = {"acquire": 4, "release": 5}[name]
    return ir.IntegerAttr.get(emit.int_type(64), number)
