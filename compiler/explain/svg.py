"""Drawings as SVG text that takes its colours from the page."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape


def drawing(width: float, height: float, label: str, shapes: Sequence[Markup]) -> Markup:
    """A drawing that shrinks with the page; ``label`` is what a screen reader says of it."""
    body = Markup("\n").join(shapes)
    return Markup(
        '<svg viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}">\n{}\n</svg>'
    ).format(_n(width), _n(height), _n(width), label, body)


def box(x: float, y: float, width: float, height: float, kind: str, title: str = "") -> Markup:
    """A rectangle of CSS class ``kind``; ``title`` shows while the pointer rests on it."""
    inner = Markup("<title>{}</title>").format(title) if title else Markup("")
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" class="{}">{}</rect>').format(
        _n(x), _n(y), _n(width), _n(height), kind, inner
    )


def words(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> Markup:
    """Text whose baseline starts (or is centred, or ends) at (x, y)."""
    return Markup('<text x="{}" y="{}" class="{}" text-anchor="{}">{}</text>').format(
        _n(x), _n(y), kind, anchor, escape(text)
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>').format(
        _n(x1), _n(y1), _n(x2), _n(y2), kind
    )


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
