"""What each op means: one handler an op; those that may block return their steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.clocks import Access, Write
from gemm_ladder.compiler.interp.copies import copy
from gemm_ladder.compiler.interp.lds_access import inside, read_lds
from gemm_ladder.compiler.interp.machine import Argument
from gemm_ladder.compiler.interp.moves import gather, scatter
from gemm_ladder.compiler.interp.products import mma
from gemm_ladder.compiler.interp.program import Op
from gemm_ladder.compiler.interp.sync import SYNC
from gemm_ladder.compiler.interp.values import BINARY, compare, select
from gemm_ladder.compiler.interp.wave import Flight, Fragment, Steps, Wave
from gemm_ladder.runtime.dtypes import ELEMENT_TYPES
from gemm_ladder.runtime.errors import DeviceError

Handler: TypeAlias = Callable[[Wave, Op], "Steps | None"]


def _constant(wave: Wave, op: Op) -> None:
    value = op.attrs["value"]
    if isinstance(value, str):
        raise DeviceError(f"interp: cannot evaluate {op}")
    wave.values[op.results[0]] = value


def _binary(wave: Wave, op: Op) -> None:
    function = BINARY[op.name.partition(".")[2]]
    a, b = (wave.values[v] for v in op.operands)
    wave.values[op.results[0]] = function(a, b)


def _compare(wave: Wave, op: Op) -> None:
    a, b = (wave.values[v] for v in op.operands)
    wave.values[op.results[0]] = compare(int(op.attrs["predicate"]), a, b)


def _select(wave: Wave, op: Op) -> None:
    condition, a, b = (wave.values[v] for v in op.operands)
    wave.values[op.results[0]] = select(condition, a, b)


def _same(wave: Wave, op: Op) -> None:
    wave.values[op.results[0]] = wave.values[op.operands[0]]


def _truncate(wave: Wave, op: Op) -> None:
    mask = (1 << int(op.result_types[0].width)) - 1
    wave.values[op.results[0]] = wave.values[op.operands[0]] & mask


def _place(wave: Wave, op: Op) -> None:
    dim = op.attrs.get("dimension")
    key = op.name if dim is None else f"{op.name} {_dimension(dim)}"
    if key not in wave.places:
        raise DeviceError(f"interp: {op}: no value for a whole wave")
    wave.values[op.results[0]] = wave.places[key]


def _dimension(attr: Any) -> str:
    return str(attr).split()[-1].strip("<>")[-1]


def _block_coord(wave: Wave, op: Op) -> None:
    for dim, tile, result in zip("xy", op.attrs["tile"], op.results, strict=True):
        wave.values[result] = wave.places[f"gpu.block_id {dim}"] * tile


def _named(wave: Wave, op: Op) -> None:
    """Rings and barriers are known by the number of their value."""
    wave.values[op.results[0]] = op.results[0]


def _zero(wave: Wave, op: Op) -> None:
    frag = op.result_types[0]
    data = wave.machine.constant(np.zeros((frag.rows, frag.cols), np.float32))
    wave.values[op.results[0]] = Fragment(data)


def _load(wave: Wave, op: Op) -> None:
    frag, source = op.result_types[0], wave.values[op.operands[0]]
    coords = [wave.values[v] for v in op.operands[1:]]
    turned = bool(op.attrs["transpose"])
    shape = (frag.cols, frag.rows) if turned else (frag.rows, frag.cols)
    reads: tuple[Access, ...] = ()
    if isinstance(source, Argument):
        data = gather(source, wave.machine.batch, shape, (coords[0], coords[1]))
    else:
        access, data = read_lds(wave, op, source, coords, shape)
        reads = (access,)
        wave.launch(Flight(("lds",), op, reads))
    wave.values[op.results[0]] = Fragment(data.swapaxes(1, 2) if turned else data, reads)


def _store(wave: Wave, op: Op) -> None:
    if op.attrs.get("chain"):
        raise DeviceError(f"interp: {op}: the chain {op.attrs['chain']} is not known")
    frag, target = wave.values[op.operands[0]], wave.values[op.operands[1]]
    coords = [wave.values[v] for v in op.operands[2:]]
    data = wave.use(frag)
    first, count = op.attrs.get("cols", (0, data.shape[2]))
    data = data[:, :, first : first + count]
    if isinstance(target, Argument):
        scatter(target, wave.machine.batch, data, (coords[0], coords[1]))
        wave.launch(Flight(("store",), op, ()))
        return
    shadow = wave.machine.shadows[wave.rank]
    ring = shadow.rings[target]
    slot, rect = inside(wave, op, ring.lds, coords, (data.shape[1], data.shape[2]))
    access = Access(op, wave, wave.agent, rect)
    shadow.write(access, Write(op, target, slot, rect, 1))
    wave.launch(Flight(("lds",), op, (access,)))
    dtype = ELEMENT_TYPES[str(ring.lds.elem)].numpy
    r0, r1, c0, c1 = rect
    ring.data[:, slot, r0:r1, c0:c1] = data.astype(dtype).astype(np.float32)


def _contract(wave: Wave, op: Op) -> None:
    """The whole problem at once; one wave of the batch does it."""
    if wave.agent != 0:
        return
    a, b, c = (wave.values[v] for v in op.operands)
    left = a.values if op.attrs["a_order"] == "mk" else a.values.T
    right = b.values if op.attrs["b_order"] == "kn" else b.values.T
    if (left.shape[0], right.shape[1], left.shape[1]) != (*c.values.shape, right.shape[0]):
        sizes = f"{left.shape} by {right.shape} into {c.values.shape}"
        wave.machine.findings.add(kinds.SHAPE, op, None, f"{op} multiplies {sizes}")
        return
    result = left @ right
    if op.attrs["accumulate"]:
        result = result + c.values
    c.values[...] = c.round(result)
    c.written[...] = True


def _memref_load(wave: Wave, op: Op) -> None:
    memory, *where = (wave.values[v] for v in op.operands)
    found = memory.values[tuple(where)]
    wave.values[op.results[0]] = found if isinstance(found, np.ndarray) else float(found)


def _memref_store(wave: Wave, op: Op) -> None:
    value, memory, *where = (wave.values[v] for v in op.operands)
    memory.values[tuple(where)] = memory.round(np.asarray(value, np.float32))
    memory.written[tuple(where)] = True


def _nothing(wave: Wave, op: Op) -> None:
    """Scheduling advice."""


_SILENT = ("sched_fence", "sched_group", "hint", "set_registers")
_PLACES = ("subgroup_id", "block_id", "grid_dim", "block_dim", "num_subgroups", "subgroup_size")
_CLUSTER = ("cluster_id", "cluster_block_id", "cluster_dim_blocks", "cluster_dim")
_CASTS = ("index_cast", "index_castui", "extui", "extsi", "extf", "truncf", "bitcast")

HANDLERS: dict[str, Handler] = {
    "arith.constant": _constant,
    "index.constant": _constant,
    "arith.cmpi": _compare,
    "arith.select": _select,
    "arith.trunci": _truncate,
    "tile.block_coord": _block_coord,
    "tile.alloc": _named,
    "tile.barrier_create": _named,
    "tile.zero": _zero,
    "tile.load": _load,
    "tile.store": _store,
    "tile.mma": mma,
    "tile.copy": copy,
    "tile.copy_async": copy,
    "tile.contract": _contract,
    "memref.load": _memref_load,
    "memref.store": _memref_store,
    **{f"arith.{name}": _binary for name in BINARY},
    **{f"arith.{name}": _same for name in _CASTS},
    **{f"gpu.{name}": _place for name in (*_PLACES, *_CLUSTER)},
    **{f"tile.{name}": _nothing for name in _SILENT},
    **SYNC,
}
