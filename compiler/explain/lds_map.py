"""LDS drawn to scale: rings, their slots, partitions, and the padding inside a slot."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from gemm_ladder.compiler.explain import svg
from gemm_ladder.compiler.explain.rings import RingBox
from gemm_ladder.dialect_defs.target import Target

WIDTH = 960
_HEIGHT, _TOP = 44, 26
_CLOSE_UP_ROWS = 4


def lds_map(rings: Sequence[RingBox], target: Target) -> Markup:
    """A workgroup's LDS as one bar, partitions marked; rings that share bytes in a lower bar."""
    scale = WIDTH / target.lds_bytes
    shared = any(ring.shared for ring in rings)
    height = _TOP + _HEIGHT * (2 if shared else 1) + 40
    shapes = [svg.box(0, _TOP, WIDTH, _HEIGHT, "empty", f"{target.lds_bytes:,} B of LDS")]
    for number, ring in enumerate(rings):
        shapes += _ring(ring, number, scale, _TOP + (_HEIGHT if ring.shared else 0))
    shapes += _partitions(target, scale, height - 38)
    used = max((ring.start + ring.stages * ring.slot for ring in rings), default=0)
    label = f"{used:,} of {target.lds_bytes:,} B of LDS"
    shapes.append(svg.words(0, 14, label, "strong"))
    return svg.drawing(WIDTH, height, label, shapes)


def _ring(ring: RingBox, number: int, scale: float, top: float) -> list[Markup]:
    shapes = []
    for stage in range(ring.stages):
        start = ring.start + stage * ring.slot
        x, width = start * scale, ring.slot * scale
        name = f"{ring.name}[{stage}]" if ring.stages > 1 else ring.name
        title = f"{name}: bytes {start:,} to {start + ring.slot:,}"
        shapes.append(svg.box(x, top, width, _HEIGHT, f"ring ring{number % 4}", title))
        if width > 9 * len(name):
            shapes.append(svg.words(x + width / 2, top + 27, name, "in", "middle"))
    return shapes


def _partitions(target: Target, scale: float, bottom: float) -> list[Markup]:
    """Ticks each partition, or each 32 KiB where the target has none."""
    step = target.lds_partition_bytes or 32768
    word = "partition" if target.lds_partition_bytes else ""
    shapes = []
    for number, at in enumerate(range(0, target.lds_bytes, step)):
        x = at * scale
        shapes.append(svg.line(x, _TOP - 6, x, bottom + 8, "tick"))
        name = f"{word} {number}".strip() if word else f"{at // 1024} KiB"
        shapes.append(svg.words(x + 4, bottom + 22, name, "small"))
    return shapes


def close_up(ring: RingBox) -> Markup:
    """The first rows of a slot, byte for byte to scale: data, and the holes that padding leaves."""
    rows = min(_CLOSE_UP_ROWS, ring.rows)
    data = rows * ring.row
    placed = data + (data // ring.interval * ring.pad if ring.interval else 0)
    scale = WIDTH / placed
    shapes = [svg.words(0, 14, _caption(ring), "strong")]
    for start in range(0, data, ring.interval or data):
        count = min(ring.interval or data, data - start)
        at = start + (start // ring.interval * ring.pad if ring.interval else 0)
        title = f"data bytes {start} to {start + count}"
        shapes.append(svg.box(at * scale, 22, count * scale, 26, "data", title))
        if ring.pad and count == ring.interval:
            pad = f"{ring.pad} B of padding"
            shapes.append(svg.box((at + count) * scale, 22, ring.pad * scale, 26, "pad", pad))
    for row in range(rows):
        start = row * ring.row
        at = start + (start // ring.interval * ring.pad if ring.interval else 0)
        shapes.append(svg.line(at * scale, 18, at * scale, 54, "tick"))
        shapes.append(svg.words(at * scale + 4, 66, f"row {row}", "small"))
    return svg.drawing(WIDTH, 72, _caption(ring), shapes)


def _caption(ring: RingBox) -> str:
    parts = [f"{ring.name}: rows of {ring.row} B"]
    if ring.pad:
        parts.append(f"{ring.pad} B of padding after every {ring.interval} B")
    if ring.swizzle:
        parts.append(f"{ring.swizzle}-byte xor swizzle")
    return ", ".join(parts)
