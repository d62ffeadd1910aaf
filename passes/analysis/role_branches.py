"""Part a kernel into the branches of its roles."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, gpu, scf

from gemm_ladder.dialect_defs import build, build_sync
from gemm_ladder.dialect_defs.tile import BarrierCreateOp, ints
from gemm_ladder.passes.analysis.consumer import Release, erase_empty_ifs, rewrite_consumer
from gemm_ladder.passes.analysis.coords import depends_on, erase_unused
from gemm_ladder.passes.analysis.kernel import Kernel, defining, is_inside, ops_named, walk
from gemm_ladder.passes.analysis.peers import add_farewell, peer_count, with_peers
from gemm_ladder.passes.analysis.producer import Barriers, emit_producer
from gemm_ladder.passes.analysis.role_plan import RolePlan
from gemm_ladder.passes.analysis.staged_loop import is_wait
from gemm_ladder.passes.base import PassError

_BARRIERS = ("tile.arrive", "tile.wait_barrier", "tile.barrier")
_SYNC = (*_BARRIERS, "tile.fence", "tile.sched_fence")
_WAVE = {"gpu.subgroup_id", "gpu.lane_id", "gpu.thread_id"}
_SHARED = ("tile.block_coord", "tile.alloc", "tile.barrier_create")


@dataclass(frozen=True)
class Crews:
    """Waves of the producer (the first ones) and of the consumers; registers of each, if any.

    ``lag`` products in LDS may still run when a consumer hands a stage back.
    """

    producers: int
    consumers: int
    registers: tuple[int, int] | None
    lag: int


def part_roles(plan: RolePlan, crews: Crews) -> None:
    """Rewrite the plan's kernel into a producer's and a consumers' branch."""
    kernel, loop = plan.staged.kernel, plan.staged.loop
    at = build.unnamed(loop.location)
    fenced, tail = _fenced(plan), _tail(kernel, loop)
    _drop_prologue(kernel, loop)
    plan = with_peers(plan)
    _hoist_out(plan)
    with kernel.head(), at:
        bars = _barriers(plan, crews)
        wave = _wave(kernel, at)
    with ir.InsertionPoint(loop), at:
        with build.named("is_producer", at):
            limit = build.index(crews.producers)
            mine = arith.cmpi(arith.CmpIPredicate.ult, wave, limit)
        branch = scf.IfOp(mine, [], has_else=True)
        branch.operation.attributes["tile.role"] = ir.StringAttr.get("producer")
        branch.operation.attributes["tile.waves"] = ints([0, crews.producers])
    with ir.InsertionPoint(branch.then_block), at:
        _producer(plan, crews, bars, wave, fenced)
    rewrite_consumer(plan, Release(bars, plan.peers, crews.lag))
    _consumers(kernel, crews, branch, wave, tail)
    if plan.peers is not None and not tail:
        tail = add_farewell(kernel, branch.operation, at)
    _tail_of_all(kernel, crews, tail, at)
    threads = (crews.producers + crews.consumers) * kernel.target.wave_size
    size = ir.DenseI32ArrayAttr.get([threads, 1, 1])
    kernel.func.operation.attributes["known_block_size"] = size
    for op in ops_named(kernel.body, "tile.barrier_create"):
        if not any(True for _ in op.results[0].uses):
            op.erase()


def _fenced(plan: RolePlan) -> bool:
    """Whether products read in place what waves write themselves."""
    in_place = any(op.name == "tile.mma" for op in plan.staged.reads)
    return in_place and not plan.one_wave


def _tail(kernel: Kernel, loop: ir.Operation) -> list[ir.Operation]:
    """The cluster's farewell: the barriers at the kernel's end, if one is the cluster's."""
    ops = [view.operation for view in kernel.body.operations][:-1]
    tail: list[ir.Operation] = []
    for op in reversed(ops[ops.index(loop) + 1 :]):
        if op.name not in _SYNC and op.name != "tile.wait":
            break
        tail.insert(0, op)
    scopes = [_creator(op).str_attr("scope") for op in tail if op.name in _BARRIERS]
    return tail if "cluster" in scopes else []


def _creator(op: ir.Operation) -> BarrierCreateOp:
    made = defining(op.operands[0])
    if made is None or made.name != "tile.barrier_create":
        raise PassError(op, "a barrier that is not named where it is used")
    return BarrierCreateOp(made)


def _drop_prologue(kernel: Kernel, loop: ir.Operation) -> None:
    """Erase the fills before the loop, and what hands them over: the producer starts empty."""
    for view in list(kernel.body.operations):
        if view.operation == loop:
            break
        for op in [view.operation, *_nested(view.operation)]:
            if op.name in _SYNC or is_wait(op, "copy"):
                op.erase()
            elif op.name in ("tile.copy", "tile.copy_async"):
                operands = list(op.operands)
                op.erase()
                erase_unused(operands)
    erase_empty_ifs(kernel.body)


def _nested(op: ir.Operation) -> list[ir.Operation]:
    return [x for region in op.regions for block in region.blocks for x in walk(block)]


def _hoist_out(plan: RolePlan) -> None:
    """Make the mask of peers before the loop: it is used behind it, too."""
    todo = [] if plan.peers is None else [plan.peers]
    before = plan.staged.loop
    while todo:
        value = todo.pop()
        op = defining(value)
        if op is None or not is_inside(value, plan.staged.loop):
            continue
        op.move_before(before)
        before = op
        todo += list(op.operands)


def _barriers(plan: RolePlan, crews: Crews) -> Barriers:
    """The kernel's full and empty barriers for the new crews, made where it has none."""
    waves = plan.staged.kernel.waves()
    arrivals = 1 if plan.one_wave else crews.producers
    if plan.full is None:
        with build.named("full", ir.Location.current):
            full = build_sync.mbarrier(plan.stages, arrivals, "full")
    else:
        full = plan.full.results[0]
        plan.full.operation.attributes["arrivals"] = _int(arrivals)
    if plan.empty is None:
        readers = crews.consumers * peer_count(plan)
        scope = "workgroup" if plan.peers is None else "cluster"
        with build.named("empty", ir.Location.current):
            return Barriers(full, build_sync.mbarrier(plan.stages, readers, "empty", scope))
    counted = plan.empty.int_attr("arrivals")
    workgroups = counted // waves if counted % waves == 0 else counted
    plan.empty.operation.attributes["arrivals"] = _int(crews.consumers * workgroups)
    return Barriers(full, plan.empty.results[0])


def _int(value: int) -> ir.IntegerAttr:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def _wave(kernel: Kernel, at: ir.Location) -> ir.Value:
    """The wave's number, made at the kernel's head."""
    for op in kernel.body.operations:
        if op.operation.name == "gpu.subgroup_id":
            op.operation.move_before(ir.InsertionPoint.current.ref_operation)
            return op.results[0]
    with build.named("wave", at):
        return gpu.subgroup_id()


def _producer(plan: RolePlan, crews: Crews, bars: Barriers, wave: ir.Value, fenced: bool) -> None:
    if crews.registers is not None:
        build_sync.set_registers(crews.registers[0])
    at = ir.Location.current
    if plan.one_wave:
        first = arith.cmpi(arith.CmpIPredicate.eq, wave, build.index(0))
        alone = scf.IfOp(first, [])
        with ir.InsertionPoint(alone.then_block):
            emit_producer(plan, bars, at, fenced)
            scf.YieldOp([])
    else:
        emit_producer(plan, bars, at, fenced)
    scf.YieldOp([])


def _consumers(
    kernel: Kernel, crews: Crews, branch: scf.IfOp, wave: ir.Value, tail: list[ir.Operation]
) -> None:
    """Move all that is not shared into the else branch, on waves that count from 0 there."""
    ops = [view.operation for view in kernel.body.operations][:-1]
    place = ops.index(branch.operation)
    own_ops = (defining(branch.condition), *tail)
    moved = [op for op in ops[:place] if not _shared(op)] + ops[place + 1 :]
    at = build.unnamed(branch.location)
    with ir.InsertionPoint(branch.else_block), at:
        if crews.registers is not None:
            build_sync.set_registers(crews.registers[1])
        with build.named("consumer", at):
            own = arith.subi(wave, build.index(crews.producers))
    for op in moved:
        if op not in own_ops:
            branch.else_block.append(op)
    with ir.InsertionPoint(branch.else_block), at:
        scf.YieldOp([])
    _renumber(branch, crews, wave, own)


def _shared(op: ir.Operation) -> bool:
    """Whether both roles may use what ``op`` makes: it is the same for all waves."""
    if op.name in (*_SHARED, "gpu.subgroup_id"):
        return True
    pure = op.name.startswith(("arith.", "gpu.")) and len(op.results) > 0
    return pure and not any(depends_on(v, _WAVE) for v in op.results)


def _renumber(branch: scf.IfOp, crews: Crews, wave: ir.Value, own: ir.Value) -> None:
    """In the else branch waves count from 0, issuers from the first consumer."""
    shift = defining(own)
    for op in list(walk(branch.else_block)):
        if op.name == "gpu.thread_id":
            raise PassError(op, "threads are numbered over all roles; use gpu.subgroup_id")
        if op.name == "gpu.subgroup_id":
            op.results[0].replace_all_uses_with(own)
            op.erase()
            continue
        for number, operand in enumerate(op.operands):
            if operand == wave and op != shift:
                op.operands[number] = own
        if "issuer" in op.attributes:
            issuer = int(ir.IntegerAttr(op.attributes["issuer"]).value)
            op.attributes["issuer"] = _int(issuer + crews.producers)


def _tail_of_all(kernel: Kernel, crews: Crews, tail: list[ir.Operation], at: ir.Location) -> None:
    """All waves take part in the farewell behind the roles."""
    everyone: ir.Value | None = None
    for op in tail:
        if op.name not in _BARRIERS or _creator(op).str_attr("scope") == "cluster":
            continue
        if everyone is None:
            with kernel.head(), build.named("everyone", at):
                everyone = build.barrier_create(crews.producers + crews.consumers)
        op.operands[0] = everyone
