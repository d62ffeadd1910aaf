"""What the K loop of a kernel consists of, as one bar and a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from gemm_ladder.compiler.explain import svg
from gemm_ladder.compiler.explain.lds_map import WIDTH

# Key in the K loop's facts, how it reads, colour class.
_KINDS = (
    ("matrix", "matrix instructions", "ring0"),
    ("fma", "multiply-adds", "ring0"),
    ("lds_loads", "LDS loads", "ring1"),
    ("lds_stores", "LDS stores", "ring1"),
    ("global_loads", "global loads and copies", "ring2"),
    ("global_stores", "global stores", "ring2"),
    ("waits", "waits", "wait"),
    ("barriers", "barrier steps", "clash"),
    ("valu", "vector arithmetic", "ring3"),
    ("salu", "scalar arithmetic", "scalar"),
)


def mix(k_loop: Mapping[str, Any]) -> list[tuple[str, int, str]]:
    """(what, how many, colour class) of an iteration of one wave, the rest last."""
    rows = []
    for key, name, kind in _KINDS:
        value = k_loop.get(key, 0)
        count = sum(value.values()) if isinstance(value, Mapping) else int(value)
        if count:
            rows.append((name, count, kind))
    rest = int(k_loop.get("instructions", 0)) - sum(count for _, count, _ in rows)
    return [*rows, ("hints and hazard slots", rest, "empty")] if rest > 0 else rows


def mix_bar(k_loop: Mapping[str, Any]) -> Markup:
    """The same as one bar, to scale."""
    rows = mix(k_loop)
    total = sum(count for _, count, _ in rows) or 1
    shapes, x = [], 0.0
    for name, count, kind in rows:
        width = count * WIDTH / total
        shapes.append(svg.box(x, 4, width, 30, f"ring {kind}", f"{count} {name}"))
        if width > 34:
            shapes.append(svg.words(x + width / 2, 24, str(count), "in", "middle"))
        x += width
    return svg.drawing(WIDTH, 38, f"{total} instructions in an iteration of the K loop", shapes)
