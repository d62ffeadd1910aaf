"""A loop over output tiles around a kernel's work, or around the work of each of its roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import scf

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import AllocOp, BarrierCreateOp, BlockCoordOp
from gemm_ladder.passes.analysis.coords import depends_on, erase_unused
from gemm_ladder.passes.analysis.kernel import (
    Kernel,
    constant,
    defining,
    is_inside,
    ops_named,
    walk,
)
from gemm_ladder.passes.analysis.staged_output import overlap_epilogue
from gemm_ladder.passes.analysis.sync import workgroup_barrier
from gemm_ladder.passes.analysis.tile_order import TileGrid, elements, own_unit, place
from gemm_ladder.passes.base import PassError

_COORD = {"tile.block_coord"}
_STAYS = ("tile.set_registers", "tile.hint", "tile.alloc", "tile.barrier_create")
_BARRIERS = ("tile.arrive", "tile.wait_barrier", "tile.barrier")


@dataclass(frozen=True)
class _Scope:
    """A block whose ops from ``work`` on are repeated for every tile."""

    block: ir.Block
    work: tuple[ir.Operation, ...]


def make_persistent(
    kernel: Kernel, grid: TileGrid, coords: Sequence[BlockCoordOp], units: int
) -> None:
    """Let each of ``units`` clusters take every ``units``-th unit of ``grid``."""
    if any(op.operation.block != kernel.body for op in coords):
        raise PassError(coords[0], "the output tile is chosen inside a loop or branch already")
    roles = [op for op in ops_named(kernel.body, "scf.if") if "tile.role" in op.attributes]
    _check(kernel, bool(roles))
    blocks = [b for op in roles for region in op.regions for b in region.blocks] or [kernel.body]
    at = build.unnamed(coords[0].location)
    for scope in [_scope(block) for block in blocks]:
        if scope.work:
            _repeat(kernel, grid, scope, units, at)
    for coord in coords:
        made = [op for value in coord.results for op in _users(value)]
        erase_unused([v for op in made for v in op.results])
        coord.operation.erase()


def _users(value: ir.Value) -> list[ir.Operation]:
    """Everything that is computed from ``value``, the last of it first."""
    found: list[ir.Operation] = []
    for use in value.uses:
        op = use.owner.operation
        found = [*_users_of(op), *found]
    return found


def _users_of(op: ir.Operation) -> list[ir.Operation]:
    inner = [x for value in op.results for x in _users(value)]
    return [*inner, op] if op.name.startswith("arith.") else inner


def _check(kernel: Kernel, has_roles: bool) -> None:
    for op in ops_named(kernel.body, "tile.barrier_create"):
        if not has_roles and BarrierCreateOp(op).str_attr("kind") == "mbarrier":
            raise PassError(
                op, "phases of an mbarrier go on from tile to tile; run warp-specialize first"
            )
    for op in map(AllocOp, ops_named(kernel.body, "tile.alloc")):
        if has_roles and len(op.operands):
            raise PassError(
                op,
                f"{op.str_attr('name', 'a ring')} takes LDS that the producer fills for the next"
                " tile; run stage-epilogue{alias=false}",
            )


def _scope(block: ir.Block) -> _Scope:
    """Where the loop goes in ``block``, or in the only branch of it that does anything."""
    ops = [view.operation for view in block.operations][:-1]
    work: list[ir.Operation] = []
    for op in _without_farewell(ops):
        if not _is_invariant(op, work):
            work.append(op)
    if len(work) == 1 and work[0].name == "scf.if" and _is_plain(work[0]):
        return _scope(work[0].regions[0].blocks[0])
    return _Scope(block, tuple(work))


def _is_plain(branch: ir.Operation) -> bool:
    """Whether ``branch`` has no else, no result and the same condition for every tile."""
    other = len(branch.regions[1].blocks) > 0
    return not other and not len(branch.results) and not depends_on(branch.operands[0], _COORD)


def _without_farewell(ops: list[ir.Operation]) -> list[ir.Operation]:
    """``ops`` up to the barriers with which a cluster takes its leave."""
    end = len(ops)
    while end and ops[end - 1].name in (*_BARRIERS, "tile.wait", "tile.sched_fence"):
        end -= 1
    return ops[:end] if any(_is_cluster(op) for op in ops[end:]) else ops


def _is_cluster(op: ir.Operation) -> bool:
    made = defining(op.operands[0]) if op.name in _BARRIERS else None
    return made is not None and BarrierCreateOp(made).str_attr("scope") == "cluster"


def _is_invariant(op: ir.Operation, work: list[ir.Operation]) -> bool:
    """Whether ``op`` may be done once, before all tiles: it needs nothing of ``work``."""
    if op.name in _STAYS or op.name == "tile.block_coord":
        return True
    pure = op.name.startswith(("arith.", "gpu.")) and len(op.results) > 0
    needs = [defining(v) for v in op.operands]
    free = not any(need in work for need in needs if need is not None)
    return pure and free and not any(depends_on(v, _COORD) for v in op.results)


def _repeat(kernel: Kernel, grid: TileGrid, scope: _Scope, units: int, at: ir.Location) -> None:
    """Put the scope's work into a loop over tiles."""
    carried = _positions(scope.work)
    _lift(scope)
    with ir.InsertionPoint(scope.work[0]), at:
        with build.named("first", at):
            first = own_unit(grid, 0)
        inits = [loop.operands[3 + i] for loop, i in carried]
        loop = scf.ForOp(first, build.index(grid.count), build.index(units), inits)
    loop.body.arguments[0].set_location(build.named("tile", at))
    for (inner, i), argument in zip(carried, loop.inner_iter_args, strict=True):
        argument.set_location(inner.regions[0].blocks[0].arguments[1 + i].location)
        inner.operands[3 + i] = argument
    for op in scope.work:
        loop.body.append(op)
    with ir.InsertionPoint(loop.body), at:
        if scope.block == kernel.body:
            _hand_over(kernel)
        scf.YieldOp([inner.results[i] for inner, i in carried])
    if scope.block != kernel.body:
        overlap_epilogue(loop.operation)
    with ir.InsertionPoint.at_block_begin(loop.body), at:
        unit = place(loop.induction_variable, grid.rows, grid.cols, "row", 1)
        _Tile(loop.operation, elements(grid, unit)).rebase()


def _lift(scope: _Scope) -> None:
    """Move what is done once, and stands among the work, in front of it."""
    ops = [view.operation for view in scope.block.operations]
    first, last = ops.index(scope.work[0]), ops.index(scope.work[-1])
    for op in ops[first:last]:
        if op not in scope.work:
            op.move_before(scope.work[0])


def _hand_over(kernel: Kernel) -> None:
    """What a tile leaves in LDS is read by all before the next tile writes there."""
    build.wait("lds")
    with kernel.head():
        bar = workgroup_barrier(kernel)
    build.barrier(bar)


def _positions(work: Sequence[ir.Operation]) -> list[tuple[ir.Operation, int]]:
    """Carried values of loops that say where a ring or a phase is: mbarriers' slots and phases."""
    found = []
    for loop in (op for op in work if op.name == "scf.for"):
        body = loop.regions[0].blocks[0]
        if not any(_is_phased(op) for op in ops_named(body, "tile.wait_barrier")):
            continue
        for number, argument in enumerate(list(body.arguments)[1:]):
            if isinstance(argument.type, ir.IndexType):
                if constant(loop.operands[3 + number]) is None:
                    raise PassError(loop, "where the ring starts is not a constant")
                found.append((loop, number))
    return found


def _is_phased(op: ir.Operation) -> bool:
    made = defining(op.operands[0])
    return made is not None and BarrierCreateOp(made).str_attr("kind") == "mbarrier"


@dataclass(frozen=True)
class _Tile:
    """The output tile (m0, n0) of one iteration of ``loop``."""

    loop: ir.Operation
    coords: tuple[ir.Value, ir.Value]

    def rebase(self) -> None:
        """Let all that the loop's body uses of `tile.block_coord` be computed from ``coords``."""
        made: dict[ir.Value, ir.Value] = {}
        for op in list(walk(self.loop.regions[0].blocks[0])):
            for number, operand in enumerate(op.operands):
                if not is_inside(operand, self.loop) and depends_on(operand, _COORD):
                    op.operands[number] = self._own(operand, made)

    def _own(self, value: ir.Value, made: dict[ir.Value, ir.Value]) -> ir.Value:
        """``value`` for this tile, made at the insertion point."""
        op = defining(value)
        if op is None or not depends_on(value, _COORD):
            return value
        if op.name == "tile.block_coord":
            return self.coords[ir.OpResult(value).result_number]
        if value not in made:
            operands = [self._own(v, made) for v in op.operands]
            copy = op.clone().operation
            for number, operand in enumerate(operands):
                copy.operands[number] = operand
            made.update(zip(op.results, copy.results, strict=True))
        return made[value]
