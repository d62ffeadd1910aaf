"""Lowering one kernel: a new gpu.func, its body rebuilt op by op over a map of values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import gpu

from gemm_ladder.passes.analysis.lds_places import place_lds
from gemm_ladder.passes.lowering import describe, emit, lds, loads
from gemm_ladder.passes.lowering.backend import Backend, Parameter
from gemm_ladder.passes.lowering.body import Walk
from gemm_ladder.passes.lowering.classes import FragmentClasses
from gemm_ladder.passes.lowering.launch import launch_shape
from gemm_ladder.passes.lowering.ranges import Ranges
from gemm_ladder.passes.lowering.state import GLOBAL_SPACE, State
from gemm_ladder.passes.lowering.walk import walk


def lower_kernel(func: ir.Operation, backend: Backend, remarks: Sequence[str] = ()) -> None:
    """Replace ``func``, a gpu.func of tile IR, by one of upstream dialects."""
    block, grid = launch_shape(func, backend)
    places = place_lds(func.regions[0].blocks[0], backend.target)
    name = ir.StringAttr(func.attributes["sym_name"]).value
    dynamic = places.total if places.total > backend.lds_static_max else 0
    attr = describe.kernel_attr(func, grid or (1, 1, 1), dynamic, remarks, backend.facts(func))
    with ir.InsertionPoint(func), func.location:
        if places.total:
            lds.make_global(f"{name}_lds", places.total, backend, dynamic > 0)
        new = _new_func(func, block, grid, backend.kernel_params(func))
    new.attributes["tile.kernel"] = attr
    old_block = func.regions[0].blocks[0]
    with ir.InsertionPoint(new.regions[0].blocks[0]), func.location:
        state = _state(func, backend, block, grid)
        args = list(new.regions[0].blocks[0].arguments)
        for old in old_block.arguments:
            state.values[old] = [args.pop(0)]
        state.params = args
        if places.total:
            base = lds.address(f"{name}_lds")
            for value, span in places.spans.items():
                state.values[value] = [emit.offset(base, span.start)]
        backend.begin(state, func)
        Walk(state).block(old_block)
    backend.finish(new, math.prod(block))
    func.erase()


def _new_func(
    func: ir.Operation,
    block: tuple[int, int, int],
    grid: tuple[int, int, int] | None,
    params: Sequence[Parameter],
) -> ir.Operation:
    pointer = emit.pointer_type(GLOBAL_SPACE)
    count = len(func.regions[0].blocks[0].arguments)
    attributes = {n: func.attributes[n] for n in func.attributes if not n.startswith("tile.")}
    types = [pointer] * count + [param.type for param in params]
    facts = {"llvm.align": ir.IntegerAttr.get(emit.int_type(64), 16)}
    if describe.contract_of(func) is not None:
        # A contraction's operands are distinct by definition; other kernels promise nothing.
        facts["llvm.noalias"] = ir.UnitAttr.get()
    arg_attrs = [ir.DictAttr.get(facts)] * count + [param.attributes for param in params]
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, []))
    attributes["arg_attrs"] = ir.ArrayAttr.get(arg_attrs)
    attributes["known_block_size"] = ir.DenseI32ArrayAttr.get(list(block))
    if grid is not None:
        attributes["known_grid_size"] = ir.DenseI32ArrayAttr.get(list(grid))
    new = ir.Operation.create("gpu.func", attributes=attributes, regions=1)
    new.regions[0].blocks.append(*types)
    return new


def _state(
    func: ir.Operation,
    backend: Backend,
    block: tuple[int, int, int],
    grid: tuple[int, int, int] | None,
) -> State:
    target = backend.target
    classes = FragmentClasses.of(func, target)
    thread = emit.to_i32(gpu.thread_id(gpu.Dimension.x))
    lane = emit.urem(thread, target.wave_size)
    ranges = Ranges(grid, block, target.wave_size)
    state = State(backend, classes, ranges, math.prod(block), thread, lane)
    plain = [op for op in walk(func) if op.name == "tile.mma"]
    state.deferred = loads.deferrable(plain)
    return state
