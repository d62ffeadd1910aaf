"""Barriers: mbarriers in shared memory, named barriers of a workgroup's warps, and the cluster's.

Source: PTX ISA, mbarrier; barrier{.cta}; barrier.cluster.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, nvvm, scf

from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierCreateOp,
    BarrierOp,
    TileOp,
    WaitBarrierOp,
    barrier_of,
)
from gemm_ladder.dialect_defs.types import BarType
from gemm_ladder.passes.analysis.kernel import ancestors
from gemm_ladder.passes.analysis.lds_places import MBARRIER_BYTES
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import emit
from gemm_ladder.passes.lowering.describe import cluster_of
from gemm_ladder.passes.lowering.nvidia_ops import elected
from gemm_ladder.passes.lowering.state import State
from gemm_ladder.passes.lowering.walk import function_of, walk

_NAMED = 16  # barriers of a workgroup
_CLUSTER_SPACE = 7
# Ticks of a try_wait, in nanoseconds or so; it is repeated until the phase is over.
_PATIENCE = 0x989680


def create(state: State, func: ir.Operation) -> None:
    """At the kernel's entry: thread 0 initialises every slot, and all wait until it has."""
    created = [BarrierCreateOp(op) for op in walk(func) if op.name == "tile.barrier_create"]
    slotted = [op for op in created if op.str_attr("kind") == "mbarrier"]
    if not slotted:
        return
    first = arith.cmpi(arith.CmpIPredicate.eq, state.thread, emit.i32(0))
    guard = scf.IfOp(first)
    with ir.InsertionPoint(guard.then_block):
        for op in slotted:
            bar = BarType.of(op.operation.results[0].type)
            assert bar is not None
            pointer = state.value(op.operation.results[0])
            for slot in range(bar.slots):
                place = emit.offset(pointer, slot * MBARRIER_BYTES)
                nvvm.MBarrierInitOp(place, emit.i32(op.int_attr("arrivals")))
        nvvm.FenceMbarrierInitOp()
        scf.YieldOp([])
    if cluster_of(func) == (1, 1, 1):
        nvvm.Barrier0Op()
    else:
        nvvm.ClusterArriveOp(aligned=True)
        nvvm.ClusterWaitOp(aligned=True)


def slot_pointer(state: State, bar: ir.Value, slot: ir.Value | None) -> ir.Value:
    """Pointer to ``slot`` (old value; None: 0) of mbarrier ``bar`` (old value)."""
    pointer = state.value(bar)
    if slot is None:
        return pointer
    return emit.offset(pointer, emit.mul(emit.to_i32(state.value(slot)), MBARRIER_BYTES))


def arrive(state: State, op: ArriveOp) -> None:
    """tile.arrive. On a barrier of warps nothing: its wait does both halves, later and safely."""
    created = barrier_of(op)
    if created.str_attr("kind") == "mbarrier":
        _arrive_slot(state, op)
    elif created.str_attr("scope") == "cluster":
        _check_everyone(op)
        # Every thread has to arrive, whichever wave is the issuer.
        nvvm.ClusterArriveOp(aligned=True)


def wait(state: State, op: WaitBarrierOp) -> None:
    """tile.wait_barrier."""
    created = barrier_of(op)
    if created.str_attr("kind") == "mbarrier":
        if op.phase is None:
            raise PassError(op, "waiting for an mbarrier needs the phase")
        parity = emit.urem(emit.to_i32(state.value(op.phase)), 2)
        pointer = slot_pointer(state, op.operation.operands[0], op.slot)
        nvvm.MBarrierTryWaitParityOp(pointer, parity, emit.i32(_PATIENCE))
    elif created.str_attr("scope") == "cluster":
        _check_everyone(op)
        nvvm.ClusterWaitOp(aligned=True)
    else:
        _named(state, op, created)


def barrier(state: State, op: BarrierOp) -> None:
    """tile.barrier: arrive, then wait; of kind hw."""
    created = barrier_of(op)
    if created.str_attr("kind") == "mbarrier":
        raise PassError(op, "an mbarrier is waited for by its phase: arrive and wait_barrier")
    if created.str_attr("scope") == "cluster":
        _check_everyone(op)
        nvvm.ClusterArriveOp(aligned=True)
        nvvm.ClusterWaitOp(aligned=True)
        return
    _named(state, op, created)


def _arrive_slot(state: State, op: ArriveOp) -> None:
    """One arrival of the wave at a slot here, or at that slot of each peer."""
    tx_bytes = op.int_attr("tx_bytes")
    if tx_bytes and op.peers is not None:
        raise PassError(op, "bytes are expected by a workgroup's own barriers, not by its peers'")
    pointer = slot_pointer(state, op.operation.operands[0], op.slot)
    tests = [elected() if tx_bytes else _is_lane(state, 0)]
    if op.peers is not None:
        tests = [_is_peer(state, op)]
    if op.issuer is not None:
        wave = state.backend.wave_id(state.threads)
        tests.append(arith.cmpi(arith.CmpIPredicate.eq, wave, emit.i32(op.issuer)))
    guard = scf.IfOp(emit.all_of(tests))
    with ir.InsertionPoint(guard.then_block):
        if op.peers is not None:
            # No scope: .cluster would be two fences of all memory before the arrival.
            far = nvvm.mapa(emit.pointer_type(_CLUSTER_SPACE), pointer, state.lane)
            nvvm.MBarrierArriveOp(None, far)
        elif tx_bytes:
            nvvm.MBarrierArriveExpectTxOp(None, pointer, emit.i32(tx_bytes))
        else:
            nvvm.MBarrierArriveOp(emit.int_type(64), pointer)
        scf.YieldOp([])


def _is_lane(state: State, lane: int) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.eq, state.lane, emit.i32(lane))


def _is_peer(state: State, op: ArriveOp) -> ir.Value:
    """i1: whether this lane's number is a workgroup in the mask of peers."""
    bit = arith.andi(arith.shrui(state.value(op.peers), state.lane), emit.i32(1))
    return arith.cmpi(arith.CmpIPredicate.ne, bit, emit.i32(0))


def _named(state: State, op: TileOp, created: BarrierCreateOp) -> None:
    """bar.sync of all warps that share barrier ``created``."""
    waves, arrivals = state.waves, created.int_attr("arrivals")
    if arrivals == waves:
        nvvm.Barrier0Op()
        return
    number = 1 + _partial(state, op).index(created.operation)
    if number >= _NAMED:
        raise PassError(op, f"more than {_NAMED - 1} barriers of parts of a workgroup")
    threads = emit.i32(arrivals * state.target.wave_size)
    nvvm.BarrierOp(None, barrierId=emit.i32(number), numberOfThreads=threads)


def _partial(state: State, op: TileOp) -> list[ir.Operation]:
    """The barriers of a part of the workgroup, in order: each has a number of its own."""
    waves = state.waves
    inner = walk(function_of(op.operation))
    found = [BarrierCreateOp(made) for made in inner if made.name == "tile.barrier_create"]
    return [
        view.operation
        for view in found
        if (view.str_attr("kind"), view.str_attr("scope")) == ("hw", "workgroup")
        and view.int_attr("arrivals") != waves
    ]


def _check_everyone(op: TileOp) -> None:
    if any("tile.role" in around.attributes for around in ancestors(op.operation)):
        raise PassError(op, "every wave of a cluster comes to its barrier, a role's are not all")
