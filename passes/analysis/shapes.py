"""Shapes, roles and element types of tile ops: one checker an op, each a sentence or None."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

from gemm_ladder.dialect_defs.tile import (
    AllocOp,
    BarrierCreateOp,
    CopyLike,
    LoadOp,
    MmaOp,
    StoreOp,
    TileOp,
)
from gemm_ladder.dialect_defs.types import BarType, FragType, LdsType
from gemm_ladder.passes.analysis.kernel import Kernel, constant
from gemm_ladder.passes.analysis.sync import in_role

_ROLES = ("a", "b", "acc")
_FLOATS = {"f16": 16, "bf16": 16, "f32": 32}


def shape_error(kernel: Kernel, op: ir.Operation) -> str | None:
    """What is wrong with the types of ``op``'s operands and results, or None."""
    for value in (*op.operands, *op.results):
        frag = FragType.of(value.type)
        if frag is not None and (frag.role not in _ROLES or min(frag.rows, frag.cols) < 1):
            return f"{value.type}: a fragment's role is a, b or acc and its extents are positive"
    check = _CHECKS.get(op.name)
    return None if check is None else check(kernel, op)


def _alloc(kernel: Kernel, op: ir.Operation) -> str | None:
    lds = AllocOp(op).lds
    if min(lds.stages, lds.rows, lds.cols) < 1:
        return f"{lds.get()}: stages, rows and cols must be positive"
    return lds.layout.error(lds.row_bytes)


def _block_coord(kernel: Kernel, op: ir.Operation) -> str | None:
    tile = TileOp(op).ints_attr("tile")
    if len(tile) != 2 or min(tile) < 1:
        return f"a tile of {tile}: two positive extents are needed"
    return None


def _barrier_create(kernel: Kernel, op: ir.Operation) -> str | None:
    bar = BarrierCreateOp(op)
    arrivals = bar.int_attr("arrivals")
    if arrivals < 1:
        return f"a barrier of {arrivals} arrivals"
    whole = (bar.str_attr("kind"), bar.str_attr("scope")) == ("hw", "workgroup")
    if not whole or any(in_role(use.owner.operation) for use in op.results[0].uses):
        return None
    if arrivals != kernel.waves():
        return f"{arrivals} arrivals at a barrier of a workgroup of {kernel.waves()} waves"
    return None


def _copy(kernel: Kernel, op: ir.Operation) -> str | None:
    copy = CopyLike(op)
    kinds = [LdsType.of(v.type) for v in (copy.src, copy.dst)]
    if (kinds[0] is None) == (kinds[1] is None):
        return "copies between global memory and an LDS ring"
    ring = kinds[0] or kinds[1]
    other = copy.src if copy.fills_lds else copy.dst
    if ring is None or not isinstance(other.type, ir.MemRefType):
        return f"copies from or to a memref, not {other.type}"
    if len(other.type.shape) != 2 or other.type.element_type != ring.elem:
        return f"{other.type} and a ring of {ring.elem} do not match: rank 2, same element type"
    align = copy.int_attr("align")
    if align not in (1, 2, 4, 8, 16):
        return f"align is {align}; allowed: 1, 2, 4, 8, 16"
    down, across = copy.ints_attr("parts") or (1, 1)
    if ring.rows % down or ring.cols % across:
        return f"a tile of {ring.rows}x{ring.cols} has no {down} x {across} equal parts"
    return _slot(copy.slot, ring, down * across)


def _slot(value: ir.Value, ring: LdsType, parts: int = 1) -> str | None:
    slot = constant(value)
    if slot is not None and not 0 <= slot < ring.stages * parts:
        counted = f" in {parts} parts each" if parts > 1 else ""
        return f"slot {slot} of a ring of {ring.stages} stages{counted}"
    return None


def _in_memory(
    memory: ir.Value, coords: list[ir.Value], frag: FragType, transposed: bool
) -> str | None:
    """Checks shared by loads and stores of a fragment."""
    ring = LdsType.of(memory.type)
    if ring is None and not isinstance(memory.type, ir.MemRefType):
        return f"loads from or stores to a memref or an LDS ring, not {memory.type}"
    elem = str(ring.elem if ring is not None else ir.MemRefType(memory.type).element_type)
    if elem != str(frag.elem) and (
        frag.role != "acc" or _FLOATS.get(elem, 99) > _FLOATS.get(str(frag.elem), 0)
    ):
        return f"element type {elem} in memory, {frag.elem} in the fragment"
    if ring is None:
        return None if len(coords) == 2 else f"a memref takes (row, col), got {len(coords)} coords"
    if len(coords) != 3:
        return f"a ring takes (slot, row, col), got {len(coords)} coords"
    tall, wide = (frag.cols, frag.rows) if transposed else (frag.rows, frag.cols)
    for what, value, extent, limit in zip(
        ("rows", "cols"), coords[1:], (tall, wide), (ring.rows, ring.cols), strict=True
    ):
        start = constant(value) or 0
        if start < 0 or start + extent > limit:
            return f"{what} [{start}, {start + extent}) of a tile with {limit}"
    return _slot(coords[0], ring)


def _load(kernel: Kernel, op: ir.Operation) -> str | None:
    load = LoadOp(op)
    return _in_memory(load.src, load.coords, load.frag, load.transposed)


def _store(kernel: Kernel, op: ir.Operation) -> str | None:
    frag = FragType.of(op.operands[0].type)
    if frag is None or frag.role != "acc":
        return "stores accumulators"
    first, count = StoreOp(op).cols
    if first + count > frag.cols:
        return f"columns {first}..{first + count - 1} of {frag.cols}"
    part = FragType(frag.rows, count, frag.elem, frag.role)
    return _in_memory(op.operands[1], StoreOp(op).coords, part, False)


def _mma(kernel: Kernel, op: ir.Operation) -> str | None:
    acc = FragType.of(op.operands[2].type)
    if acc is None or acc.role != "acc" or op.results[0].type != op.operands[2].type:
        return "accumulates into, and yields, one fragment type of role acc"
    a, b = (FragType.of(v.type) for v in list(op.operands)[:2])
    for frag, role in ((a, "a"), (b, "b")):
        if frag is not None and frag.role != role:
            return f"operand {role} has role {frag.role}"
    depths = {d for d in (a and a.cols, b and b.rows) if d}
    if len(depths) > 1:
        return f"a is {a and a.rows}x{a and a.cols}, b {b and b.rows}x{b and b.cols}: K differs"
    if (a and a.rows != acc.rows) or (b and b.cols != acc.cols):
        return f"the product is not {acc.rows}x{acc.cols}, as its accumulator is"
    return _in_lds(MmaOp(op), a, b, acc) or _atom(kernel, MmaOp(op), a, b, acc)


def _in_lds(mma: MmaOp, a: FragType | None, b: FragType | None, acc: FragType) -> str | None:
    """Operands read from LDS in place: (slot, row, col) each, one depth, inside their tiles."""
    rings = [LdsType.of(v.type) for v in list(mma.operands)[:2]]
    coords = list(mma.operands)[3:]
    wanted = 3 * sum(ring is not None for ring in rings)
    if len(coords) != wanted:
        return f"{len(coords)} coordinates; an operand in LDS has (slot, row, col)"
    depth = (a and a.cols) or (b and b.rows)
    for ring, flipped, number in zip(rings, mma.transposes, (0, 1), strict=True):
        if ring is None:
            continue
        along = 1 - number if not flipped else number
        start = constant(coords[1 + along]) or 0
        depth = depth or (ring.rows, ring.cols)[along] - start
        shape = (acc.rows, depth) if number == 0 else (depth, acc.cols)
        if str(ring.elem) not in _FLOATS:
            return f"multiplies floats, not {ring.elem}"
        frag = FragType(shape[0], shape[1], ring.elem, "ab"[number])
        if error := _in_memory(mma.operands[number], coords[:3], frag, flipped):
            return error
        coords = coords[3:]
    return None


def _atom(
    kernel: Kernel, mma: MmaOp, a: FragType | None, b: FragType | None, acc: FragType
) -> str | None:
    name = mma.str_attr("atom")
    if not name:
        return None
    atom = kernel.target.atom(name)
    if atom is None:
        known = ", ".join(x.name for x in kernel.target.atoms) or "none"
        return f"{kernel.target.name} has no atom '{name}' (atoms: {known})"
    if acc.rows % atom.m or acc.cols % atom.n or (a is not None and a.cols % atom.k):
        return f"fragments are not whole {atom.m}x{atom.n}x{atom.k} atoms"
    elems = [str(f.elem) for f in (a, b, acc) if f is not None]
    if any(e not in (atom.a, atom.b, atom.acc) for e in elems):
        return f"{name} multiplies {atom.a} by {atom.b} into {atom.acc}, not {', '.join(elems)}"
    if mma.str_attr("order", "ab") == "ba" and not atom.symmetric:
        return f"{name} cannot swap its operands: their lane maps differ"
    chosen = mma.ints_attr("atoms")
    count = (acc.rows // atom.m) * (acc.cols // atom.n)
    if chosen and sum(chosen) > count:
        return f"atoms {chosen[0]}..{sum(chosen) - 1} of {count}"
    return None


def _wait_barrier(kernel: Kernel, op: ir.Operation) -> str | None:
    bar = BarType.of(op.operands[0].type)
    if bar is None:
        return "waits for a barrier"
    if bar.slots > 1 and len(op.operands) < 2:
        return f"a barrier of {bar.slots} slots needs the slot to wait for"
    return None


_CHECKS: dict[str, Callable[[Kernel, ir.Operation], str | None]] = {
    "tile.alloc": _alloc,
    "tile.barrier_create": _barrier_create,
    "tile.block_coord": _block_coord,
    "tile.copy": _copy,
    "tile.copy_async": _copy,
    "tile.load": _load,
    "tile.store": _store,
    "tile.mma": _mma,
    "tile.wait_barrier": _wait_barrier,
}
