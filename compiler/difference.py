"""The difference of two texts of a kernel, as a unified diff, in colour where people look."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_PLAIN = "\x1b[0m"


def difference(
    texts: tuple[str, str], names: tuple[str, str], context: int, colour: bool = False
) -> str:
    """Lines only in the first text with -, only in the second with +; "" if the texts are equal.

    ``names`` head the two; ``context`` is how many equal lines stand around each change.
    """
    before, after = (text.splitlines() for text in texts)
    lines = difflib.unified_diff(before, after, *names, n=context, lineterm="")
    chosen = _coloured(lines) if colour else lines
    return "".join(f"{line}\n" for line in chosen)


def _coloured(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        start = _COLOURS.get(line[:1], "")
        yield f"{start}{line}{_PLAIN}" if start else line
