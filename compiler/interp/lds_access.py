"""Rectangles of LDS rings that a wave reads or writes itself."""

from __future__ import annotations

from typing import Any

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.clocks import Access, Rect
from gemm_ladder.compiler.interp.program import Op
from gemm_ladder.compiler.interp.values import Array, Index, uniform
from gemm_ladder.compiler.interp.wave import Wave


def read_lds(
    wave: Wave, op: Op, ring: int, coords: list[Index], shape: tuple[int, int]
) -> tuple[Access, Array]:
    """Start a read of ``shape`` elements at (slot, row, col); the access and the elements."""
    shadow = wave.machine.shadows[wave.rank]
    slot, rect = inside(wave, op, shadow.rings[ring].lds, coords, shape)
    access = Access(op, wave, wave.agent, rect)
    shadow.read(access, ring, slot)
    r0, r1, c0, c1 = rect
    return access, shadow.rings[ring].data[:, slot, r0:r1, c0:c1].copy()


def inside(
    wave: Wave, op: Op, lds: Any, coords: list[Index], shape: tuple[int, int]
) -> tuple[int, Rect]:
    """(slot, rectangle) of an access, moved inside the ring, with a finding, where it is not."""
    slot, row, col = (uniform(c) for c in coords)
    if shape[0] > lds.rows or shape[1] > lds.cols:
        raise ValueError(f"{shape[0]} x {shape[1]} elements of a tile of {lds.rows} x {lds.cols}")
    fixed = (
        slot % lds.stages,
        min(max(row, 0), lds.rows - shape[0]),
        min(max(col, 0), lds.cols - shape[1]),
    )
    if fixed != (slot, row, col):
        text = (
            f"{op} by {wave} at slot {slot}, ({row}, {col}), {shape[0]} x {shape[1]} elements, of "
            f"{lds.stages} slots of {lds.rows} x {lds.cols}"
        )
        wave.machine.findings.add(kinds.OUTSIDE, op, None, text)
    slot, row, col = fixed
    return slot, (row, row + shape[0], col, col + shape[1])
