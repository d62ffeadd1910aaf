"""tile.mma: operands from fragments or LDS, whole products or a range of atoms."""

from __future__ import annotations

from typing import Any

import numpy as np

from gemm_ladder.compiler.interp.clocks import OPEN, Access
from gemm_ladder.compiler.interp.lds_access import read_lds
from gemm_ladder.compiler.interp.program import Op
from gemm_ladder.compiler.interp.values import Array, Index, uniform
from gemm_ladder.compiler.interp.wave import Flight, Fragment, Wave
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.runtime.errors import DeviceError


def mma(wave: Wave, op: Op) -> None:
    """acc + a * b in f32. A product that reads LDS runs on: its reads end at tile.wait lds."""
    a, b, acc = (wave.values[v] for v in op.operands[:3])
    coords = [wave.values[v] for v in op.operands[3:]]
    flips = [bool(op.attrs.get(name)) for name in ("transpose_a", "transpose_b")]
    shapes = _shapes(op, coords, flips[0])
    reads: list[Access] = []
    data = []
    for value, type_, shape, flip in zip((a, b), op.types, shapes, flips, strict=False):
        if isinstance(type_, LdsType):
            access, found = read_lds(wave, op, value, coords[:3], shape[::-1] if flip else shape)
            coords = coords[3:]
            reads.append(access)
            data.append(np.swapaxes(found, -1, -2) if flip else found)
        else:
            data.append(wave.use(value))
    if reads:
        wave.launch(Flight(("lds",), op, tuple(reads)))
        reads += [r for r in acc.reads if r.time == OPEN]
        before = acc.data
    else:
        before = wave.use(acc)
    product = np.matmul(data[0], data[1])
    if op.attrs.get("atoms"):
        product = np.where(_chosen(wave, op, product.shape), product, np.float32(0))
    wave.values[op.results[0]] = Fragment(before + product, tuple(reads))


def _shapes(
    op: Op, coords: list[Index], a_flipped: bool
) -> tuple[tuple[int, int], tuple[int, int]]:
    """[m, k] and [k, n]; with both operands in LDS, K is what A's tile holds from its place on."""
    a, b, acc = op.types[:3]
    if not isinstance(a, LdsType):
        depth = a.cols
    elif not isinstance(b, LdsType):
        depth = b.rows
    else:
        depth = a.rows - uniform(coords[1]) if a_flipped else a.cols - uniform(coords[2])
    return (acc.rows, depth), (depth, acc.cols)


def _chosen(wave: Wave, op: Op, shape: tuple[int, ...]) -> Array:
    """Which elements [rows, cols] of the accumulator the atoms of this op make."""
    atom = wave.machine.target.atom(str(op.attrs.get("atom", "")))
    if atom is None:
        raise DeviceError(f"interp: {op}: a range of atoms, but no atom of this target")
    first, count = op.attrs["atoms"]
    across = shape[-1] // atom.n
    number: Any = np.arange(shape[-2])[:, None] // atom.m * across + np.arange(shape[-1]) // atom.n
    chosen: Array = (number >= first) & (number < first + count)
    return chosen
