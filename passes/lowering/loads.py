"""tile.load and tile.store: the tile of memory that an op's operands name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlir import ir

from gemm_ladder.dialect_defs.tile import LoadOp, StoreOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import defining
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import fragments
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.memory import MemoryTile
from gemm_ladder.passes.lowering.origin import Origin
from gemm_ladder.passes.lowering.state import State, coordinate, global_tile, lds_tile

Steps = tuple[ir.Value, int, int]  # k to add (index), its largest value, how many k from there on


def load_tile(
    state: State, op: LoadOp, dist: Distribution, steps: Steps | None = None
) -> MemoryTile | None:
    """Memory that a load reads (None: it has no elements), or only ``steps`` of its k."""
    shape = [dist.frag.rows, dist.frag.cols]
    along = 1 if dist.frag.role == "a" else 0
    if steps is not None:
        shape[along] = steps[2]
    if op.transposed:
        shape.reverse()
        along = 1 - along
    moved = None if steps is None else (along, steps)
    tile = _tile(state, op.operation, op.src, op.coords, (shape[0], shape[1]), moved)
    return None if tile is None else replace(tile, transposed=op.transposed)


def complete(state: State, op: LoadOp, dist: Distribution) -> bool:
    """Whether every element of a load surely exists."""
    if not isinstance(op.src.type, ir.MemRefType):
        return True
    shape = (dist.frag.rows, dist.frag.cols)
    wanted = shape[::-1] if op.transposed else shape
    extents = ir.MemRefType(op.src.type).shape
    return all(
        state.ranges.at_most(at, extent - count)
        for at, extent, count in zip(op.coords, extents, wanted, strict=True)
    )


def load(state: State, op: LoadOp) -> list[ir.Value]:
    """The fragment's vectors."""
    dist = state.classes.distribution(op.operation.results[0], op.operation)
    tile = load_tile(state, op, dist)
    if tile is None:
        return fragments.zero(dist)
    _check_elem(op.operation, tile.elem, dist)
    if dist.frag.role == "acc":
        # Accumulators are many: selects would need all of their conditions at once.
        tile = replace(tile, predicates=True)
    if LdsType.of(op.src.type) is not None:
        return read_lds(state, tile, dist)
    lanes = fragments.lanes_of(dist, state.lane, state.target.wave_size)
    return fragments.load(tile, lanes, dist)


def read_lds(state: State, tile: MemoryTile, dist: Distribution) -> list[ir.Value]:
    """A fragment's vectors from LDS, by special instructions where there are any."""
    fast = state.backend.read_fragment(tile, dist)
    if fast is not None:
        return fast
    lanes = fragments.lanes_of(dist, state.lane, state.target.wave_size)
    return fragments.load(tile, lanes, dist)


def store(state: State, op: StoreOp) -> None:
    """Write an accumulator."""
    frag, dst = list(op.operation.operands)[:2]
    dist = state.classes.distribution(frag, op.operation)
    shape = (dist.frag.rows, op.cols[1])
    tile = _tile(state, op.operation, dst, op.coords, shape, None)
    if tile is None:
        return
    _check_elem(op.operation, tile.elem, dist)
    vectors = state.backend.to_vectors(dist, state.values[frag])
    dist, vectors = _columns(op, dist, vectors)
    if LdsType.of(dst.type) is not None and state.backend.write_fragment(tile, dist, vectors):
        return
    lanes = fragments.lanes_of(dist, state.lane, state.target.wave_size)
    fragments.store(vectors, tile, lanes, dist)


def _columns(
    op: StoreOp, dist: Distribution, vectors: list[ir.Value]
) -> tuple[Distribution, list[ir.Value]]:
    """The columns that are stored, as a fragment; PassError if they cut blocks unevenly."""
    (first, count), (rows, across), (_, width) = op.cols, dist.grid, dist.block
    if count == dist.frag.cols:
        return dist, vectors
    part = replace(dist, frag=replace(dist.frag, cols=count))
    if first % width == 0 and count % width == 0:
        chosen = range(first // width, (first + count) // width)
        return part, [vectors[i * across + j] for i in range(rows) for j in chosen]
    # Within a block: some of its map's copies.
    lane_map, step, (j, within) = dist.lane_map, dist.lane_map.step[1], divmod(first, width)
    if not step or within % step or count % step or within + count > width:
        raise PassError(op, f"columns [{first}, {first + count}) are no part of a block of {width}")
    taken = [vectors[i * across + j] for i in range(rows)]
    start, copies = within // step, count // step
    each = lane_map.slot_count // lane_map.copies
    part = replace(part, lane_map=replace(lane_map, copies=copies))
    return part, [fragments.part(vector, start * each, copies * each) for vector in taken]


def _check_elem(op: ir.Operation, elem: ir.Type, dist: Distribution) -> None:
    frag = dist.frag.elem
    if elem == frag:
        return
    floats = isinstance(elem, ir.FloatType) and isinstance(frag, ir.FloatType)
    if dist.frag.role != "acc" or not floats or elem.width >= frag.width:
        raise PassError(op, f"memory holds {elem}, the fragment {frag}")


def _tile(
    state: State,
    op: ir.Operation,
    memory: ir.Value,
    coords: Sequence[ir.Value],
    shape: tuple[int, int],
    moved: tuple[int, Steps] | None,
) -> MemoryTile | None:
    places = [coordinate(state, value) for value in coords[-2:]]
    if moved is not None:
        along, (k, k_max, count) = moved
        places[along] = places[along].plus(k, count, k_max)
    origin = Origin(*places)
    if LdsType.of(memory.type) is not None:
        return lds_tile(state, memory, state.value(coords[0]), origin)
    return _apart(state, global_tile(state, op, memory, origin, shape))


def _apart(state: State, tile: MemoryTile | None) -> MemoryTile | None:
    """``tile`` with extents of its own, so that one op's conditions do not live until another's."""
    if tile is None or state.backend.scalar is None:
        return tile
    left = [
        None if value is None else state.backend.scalar(value)
        for value in (tile.rows_left, tile.cols_left)
    ]
    return replace(tile, rows_left=left[0], cols_left=left[1])


# Ops between a load and its product that neither write memory nor synchronise.
_QUIET = (
    *("arith.", "math.", "index.", "affine.apply"),
    *("tile.load", "tile.zero", "tile.mma", "tile.block_coord"),
    *("gpu.subgroup_", "gpu.thread_id", "gpu.lane_id", "gpu.block_", "gpu.grid_"),
)


def deferrable(products: Sequence[ir.Operation]) -> dict[ir.Value, ir.Operation]:
    """Operands of plain products (no atom) whose load may wait for the product: value -> load.

    So the FMA path reads k by k instead of holding all of both operands in registers.
    """
    found = {}
    for product in products:
        if "atom" in product.attributes:
            continue
        for value in list(product.operands)[:2]:
            load = defining(value)
            if load is not None and load.name == "tile.load" and _may_wait(load, product):
                found[value] = load
    return found


def _may_wait(load: ir.Operation, product: ir.Operation) -> bool:
    if len(list(load.results[0].uses)) != 1 or load.block != product.block:
        return False
    block = [op.operation for op in load.block]
    between = block[block.index(load) + 1 : block.index(product)]
    return all(op.name.startswith(_QUIET) for op in between)


# Ops that a read of LDS may not pass: synchronisation, and the wave's own writes.
_FIRM = ("tile.arrive", "tile.wait_barrier", "tile.barrier", "tile.store", "scf.")


def may_stand_later(load: ir.Operation) -> bool:
    """Whether a load from LDS may stand at each of the products that it is for."""
    users = [use.owner.operation for use in load.results[0].uses]
    products = [user for user in users if user.name == "tile.mma" and user.block == load.block]
    if LdsType.of(load.operands[0].type) is None or not products or len(products) < len(users):
        return False
    block = [op.operation for op in load.block]
    last = max(block.index(product) for product in products)
    return not any(op.name.startswith(_FIRM) for op in block[block.index(load) : last])
