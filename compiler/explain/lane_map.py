"""The lane and slot of every element of a block, drawn as the matrix."""

from __future__ import annotations

from markupsafe import Markup

from gemm_ladder.compiler.explain import svg
from gemm_ladder.compiler.explain.fragments import Picture

_CELL = 22
_MARGIN = 26
_MOST = 64  # rows or columns drawn


def lane_map(picture: Picture, wave_size: int) -> Markup:
    """One block of a fragment: each cell names its lane; lanes share a colour by fours."""
    dist = picture.distribution
    rows, cols = (min(extent, _MOST) for extent in dist.block)
    holders: dict[tuple[int, int], tuple[int, int]] = {}
    for lane in range(wave_size):
        for slot in range(dist.lane_map.slot_count):
            down, across = (
                a + b
                for a, b in zip(
                    dist.lane_map.lane_offset(lane), dist.lane_map.slot_offset(slot), strict=True
                )
            )
            holders[down, across] = (lane, slot)
    cell = _CELL if cols <= 32 else _CELL / 2
    shapes = []
    for (row, col), (lane, slot) in sorted(holders.items()):
        if row >= rows or col >= cols:
            continue
        x, y = _MARGIN + col * cell, _MARGIN + row * cell
        title = f"[{row}, {col}]: lane {lane}, element {slot} of its vector"
        shapes.append(svg.box(x, y, cell - 1, cell - 1, f"lane l{lane // 4 % 8}", title))
        if cell == _CELL:
            shapes.append(svg.words(x + cell / 2 - 0.5, y + 15, str(lane), "tiny", "middle"))
    shapes += [
        svg.words(_MARGIN + col * cell + 2, _MARGIN - 6, str(col), "small")
        for col in range(0, cols, 8)
    ]
    shapes += [
        svg.words(_MARGIN - 6, _MARGIN + row * cell + 15, str(row), "small", "end")
        for row in range(0, rows, 4)
    ]
    label = f"lanes of a {dist.block[0]}x{dist.block[1]} block of {picture.role}"
    return svg.drawing(_MARGIN + cols * cell, _MARGIN + rows * cell, label, shapes)
