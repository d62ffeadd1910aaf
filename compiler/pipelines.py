"""The ladder as data: the table of pipelines, in which every row adds one technique."""

from __future__ import annotations

# A name stands for its entries; an entry is pipeline text or the name of a row above.
PIPELINES: dict[str, tuple[str, ...]] = {
    "level0": (
        "import-matmul",
        "tile-workgroup{shape=64x64x32 waves=2x2}",
        "promote-to-lds",
        "matrix-core",
    ),
    "level1": ("level0", "multi-buffer{stages=2}"),
}

# What each row adds, for `ladder pipelines`.
TECHNIQUES: dict[str, str] = {
    "level0": "naive: one LDS buffer, matrix core",
    "level1": "double buffering: two stages in flight",
}


def expand(name: str) -> tuple[str, ...]:
    """The pass texts of pipeline ``name``, rows above filled in; KeyError if there is none."""
    texts: list[str] = []
    for entry in PIPELINES[name]:
        texts.extend(expand(entry) if entry in PIPELINES else (entry,))
    return tuple(texts)
