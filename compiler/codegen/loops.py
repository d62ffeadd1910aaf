"""The K loop in assembly text: which instructions it has, counted by what they do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from gemm_ladder.compiler.codegen.flow import Block, Instruction, Loop, Syntax, heaviest_path, parse
from gemm_ladder.compiler.codegen.flow import loops as find_loops


@dataclass(frozen=True)
class KLoop:
    """The K loop: what one iteration of one wave executes, and every instruction in the loop.

    They differ by the parts that only some waves execute, such as issuing a copy for all.
    """

    path: list[Instruction]
    all: list[Instruction]


def find_k_loop(text: str, syntax: Syntax) -> KLoop | None:
    """The K loop of one kernel's ``text``; None if it has no loop (short K unrolled).

    It is the loop that has most matrix instructions of its own, or multiply-adds where there are
    none. Of paths through it the one with most of them is taken, then the longest.
    """
    blocks = parse(text, syntax)
    ranked = [(_rank(blocks, loop, syntax), loop) for loop in find_loops(blocks)]
    ranked = [(rank, loop) for rank, loop in ranked if any(rank)]
    if not ranked:
        return None
    # Of two with the same number the inner one.
    _, loop = max(ranked, key=lambda pair: (pair[0], -len(pair[1].blocks)))
    matrix = syntax.classes["matrix"]

    def weigh(code: Iterable[Instruction]) -> int:
        return sum(1000 if matrix.search(i.name) else 1 for i in code)

    path = heaviest_path(blocks, loop, weigh, syntax.one_wave)
    return KLoop(path, [i for block in sorted(loop.blocks) for i in blocks[block].code])


def k_loop(text: str, syntax: Syntax) -> dict[str, object]:
    """Counts for an iteration of the K loop of one kernel's ``text``; empty if it has none.

    ``instructions`` counts all, ``waits`` and ``barriers`` theirs by mnemonic, the other classes
    theirs.
    """
    found = find_k_loop(text, syntax)
    return {} if found is None else counts(found.path, syntax)


def counts(code: list[Instruction], syntax: Syntax) -> dict[str, object]:
    """Instructions of ``code`` by the classes of ``syntax``."""
    made: dict[str, object] = {"instructions": len(code)}
    for key, pattern in syntax.classes.items():
        found = Counter(i.name for i in code if pattern.search(i.name))
        made[key] = dict(sorted(found.items())) if key in ("waits", "barriers") else found.total()
    return made


def _rank(blocks: list[Block], loop: Loop, syntax: Syntax) -> tuple[int, int]:
    code = [i for block in loop.own for i in blocks[block].code]
    return _count(code, syntax.classes["matrix"]), _count(code, syntax.classes["fma"])


def _count(code: list[Instruction], pattern: re.Pattern[str]) -> int:
    return sum(1 for i in code if pattern.search(i.name))
