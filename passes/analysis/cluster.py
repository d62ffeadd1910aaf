"""What the workgroups of a cluster have in common: which tiles, and which loops."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, gpu

from gemm_ladder.dialect_defs import build
from gemm_ladder.passes.analysis.coords import carried_into, depends_on
from gemm_ladder.passes.analysis.kernel import defining

_IDS = {"gpu.block_id", "gpu.cluster_block_id", "gpu.cluster_id", "gpu.thread_id"}


def block_axes(value: ir.Value) -> set[int] | None:
    """The axes (0: M, along x; 1: N, along y) of the output tile on which ``value`` depends.

    None if it may depend on the workgroup otherwise, or on the wave or lane.
    """
    if depends_on(value, _IDS | {"gpu.subgroup_id", "gpu.lane_id"}):
        return None
    axes: set[int] = set()
    seen: set[ir.Value] = set()
    todo = [value]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        op = defining(current)
        if op is None:
            todo += carried_into(current)
        elif op.name == "tile.block_coord":
            axes.add(ir.OpResult(current).result_number)
        elif op.regions:
            return None
        else:
            todo += list(op.operands)
    return axes


def sharing(axes: set[int], dims: tuple[int, int]) -> tuple[int, ...]:
    """The cluster's axes along which workgroups want the same tile, of more than one workgroup."""
    return tuple(axis for axis in (0, 1) if axis not in axes and dims[axis] > 1)


def mask(along: tuple[int, ...], dims: tuple[int, int], name: str) -> ir.Value:
    """i32 mask of the workgroups (bit x + y * dims x) that differ from this one only ``along``.

    Made at the insertion point; ``name`` is what it is called.
    """
    steps = (1, dims[0])
    bits = [0]
    for axis in along:
        bits = [bit + steps[axis] * i for bit in bits for i in range(dims[axis])]
    i32, at = ir.IntegerType.get_signless(32), ir.Location.current
    own = [axis for axis in (0, 1) if axis not in along and dims[axis] > 1]
    with at if own else build.named(name, at):
        value = arith.constant(i32, sum(1 << bit for bit in bits))
    for axis in own:
        letter = "xy"[axis]
        with build.named(f"cluster_{letter}", at):
            place = gpu.cluster_block_id(getattr(gpu.Dimension, letter))
            place = arith.index_cast(i32, place)
        if steps[axis] > 1:
            place = arith.muli(place, arith.constant(i32, steps[axis]))
        with build.named(name, at):
            value = arith.shli(value, place)
    return value
