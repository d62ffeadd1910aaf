"""The K loop in assembly text: which instructions it has, counted by what they do."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class Syntax:
    """How one assembly language writes labels, branches and instructions.

    ``label`` and ``branch`` capture a label's name; ``mnemonic`` captures an instruction's;
    ``classes`` maps what is counted to a pattern for mnemonics, ``matrix`` and ``fma`` among them.
    """

    label: re.Pattern[str]
    branch: re.Pattern[str]
    mnemonic: re.Pattern[str]
    classes: dict[str, re.Pattern[str]]


def k_loop(text: str, syntax: Syntax) -> dict[str, object]:
    """Counts for the K loop of one kernel's ``text``; empty if it has no loop (short K unrolled).

    The K loop is the innermost loop with the most matrix instructions, or multiply-adds where
    there are none. ``instructions`` counts all, ``waits`` and the other classes theirs.
    """
    best: tuple[tuple[int, int], list[str]] | None = None
    for body in _loops(text.splitlines(), syntax):
        rank = tuple(_count(body, syntax.classes[key]) for key in ("matrix", "fma"))
        if any(rank) and (best is None or rank > best[0]):
            best = ((rank[0], rank[1]), body)
    if best is None:
        return {}
    counts: dict[str, object] = {"instructions": len(best[1])}
    for key, pattern in syntax.classes.items():
        found = Counter(name for name in best[1] if pattern.search(name))
        counts[key] = dict(sorted(found.items())) if key in ("waits", "barriers") else found.total()
    return counts


def _count(body: list[str], pattern: re.Pattern[str]) -> int:
    return sum(1 for name in body if pattern.search(name))


def _loops(lines: list[str], syntax: Syntax) -> list[list[str]]:
    """Mnemonics of every innermost loop: from a label to the last branch back to it."""
    labels: dict[str, int] = {}
    spans: dict[int, int] = {}
    for at, line in enumerate(lines):
        if found := syntax.label.match(line):
            labels[found[1]] = at
        elif (found := syntax.branch.search(line)) and found[1] in labels:
            spans[labels[found[1]]] = at
    inner = [
        (start, end)
        for start, end in spans.items()
        if not any(start < s and e < end for s, e in spans.items())
    ]
    return [
        [m[1] for line in lines[start : end + 1] if (m := syntax.mnemonic.match(line))]
        for start, end in inner
    ]
