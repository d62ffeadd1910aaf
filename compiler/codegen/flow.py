"""Control flow of assembly text: basic blocks, loops, and what one pass through a loop executes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Syntax:
    """How one assembly language writes labels, branches and instructions.

    ``label`` and ``branch`` capture a label's name; ``mnemonic`` captures an instruction's, and
    what follows it on the line, up to ``comment``, are the operands. ``leaves`` matches the lines
    behind which control never falls through. ``classes`` maps what is counted to a pattern for
    mnemonics, ``matrix`` and ``fma`` among them. ``one_wave`` matches instructions that one wave
    executes for its workgroup, where there is a branch around them.
    """

    label: re.Pattern[str]
    branch: re.Pattern[str]
    leaves: re.Pattern[str]
    mnemonic: re.Pattern[str]
    comment: str
    classes: Mapping[str, re.Pattern[str]]
    one_wave: re.Pattern[str] | None = None


@dataclass(frozen=True)
class Instruction:
    """A mnemonic and the text of its operands."""

    name: str
    operands: str


@dataclass(frozen=True)
class Block:
    """Instructions without a branch between them, and the blocks that may follow."""

    code: tuple[Instruction, ...]
    next: tuple[int, ...]


@dataclass(frozen=True)
class Loop:
    """A loop: its header, all of its blocks, and those in no loop inside it."""

    header: int
    blocks: frozenset[int]
    own: frozenset[int]


def parse(text: str, syntax: Syntax) -> list[Block]:
    """The basic blocks of one kernel's ``text``, in its order; block 0 is the entry."""
    labels: dict[str, int] = {}
    parts: list[list[Instruction]] = [[]]
    ends: list[tuple[str | None, bool]] = [(None, True)]  # (branch target, falls through)
    for line in text.splitlines():
        if found := syntax.label.match(line):
            if parts[-1] or ends[-1] != (None, True):
                parts.append([])
                ends.append((None, True))
            labels[found[1]] = len(parts) - 1
            continue
        name = syntax.mnemonic.match(line)
        if name is None:
            continue
        if ends[-1] != (None, True):  # the line behind a branch
            parts.append([])
            ends.append((None, True))
        operands = line[name.end() :].split(syntax.comment)[0].strip()
        parts[-1].append(Instruction(name[1], operands))
        branch, leaves = syntax.branch.search(line), bool(syntax.leaves.search(line))
        if branch or leaves:
            ends[-1] = (branch[1] if branch else None, not leaves)
    return [_block(at, code, ends[at], labels, len(parts)) for at, code in enumerate(parts)]


def _block(
    at: int, code: list[Instruction], end: tuple[str | None, bool], labels: dict[str, int], of: int
) -> Block:
    target, falls = end
    following = [labels[target]] if target in labels else []
    if falls and at + 1 < of:
        following.append(at + 1)
    return Block(tuple(code), tuple(dict.fromkeys(following)))


def loops(blocks: list[Block]) -> list[Loop]:
    """Every loop, outer ones before those inside them."""
    found: list[tuple[int, frozenset[int]]] = []
    _loops(blocks, frozenset(range(len(blocks))), frozenset({0}), found)
    return [
        Loop(header, inside, inside.difference(*(s for _, s in found if s < inside)))
        for header, inside in found
    ]


def _loops(
    blocks: list[Block],
    among: frozenset[int],
    entries: frozenset[int],
    found: list[tuple[int, frozenset[int]]],
) -> None:
    """Add the loops among ``among``, which control enters at ``entries``."""
    for part in _components(blocks, among):
        if len(part) == 1 and not part & frozenset(blocks[min(part)].next):
            continue
        outside = among - part
        into = {n for b in outside for n in blocks[b].next if n in part} | (entries & part)
        header = min(into or part)
        found.append((header, part))
        rest = part - {header}
        _loops(blocks, rest, frozenset(n for n in blocks[header].next if n in rest), found)


def _components(blocks: list[Block], among: frozenset[int]) -> list[frozenset[int]]:
    """Strongly connected components of the blocks ``among``, but for blocks on no way round."""
    forward = {b: [n for n in blocks[b].next if n in among] for b in among}
    backward: dict[int, list[int]] = {b: [] for b in among}
    for block, following in forward.items():
        for other in following:
            backward[other].append(block)
    left = among - _dead_ends(forward, backward) - _dead_ends(backward, forward)
    parts = []
    for block in sorted(left):
        if block in left:
            part = frozenset(_reach(forward, block) & _reach(backward, block))
            parts.append(part)
            left -= part
    return parts


def _dead_ends(edges: Mapping[int, list[int]], back: Mapping[int, list[int]]) -> set[int]:
    """Blocks from which ``edges`` lead nowhere in the end; ``back`` are the same the other way."""
    count = {block: len(following) for block, following in edges.items()}
    todo = [block for block, number in count.items() if number == 0]
    dead = set(todo)
    while todo:
        for other in back[todo.pop()]:
            count[other] -= 1
            if count[other] == 0:
                dead.add(other)
                todo.append(other)
    return dead


def _reach(edges: Mapping[int, list[int]], start: int) -> set[int]:
    seen, todo = {start}, [start]
    while todo:
        for other in edges[todo.pop()]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def heaviest_path(
    blocks: list[Block],
    loop: Loop,
    weigh: Callable[[Iterable[Instruction]], int],
    one_wave: re.Pattern[str] | None,
) -> list[Instruction]:
    """The instructions of one iteration of ``loop`` along its heaviest path by ``weigh``.

    Blocks with an instruction that ``one_wave`` matches belong to one wave each: if a way round
    the others exists, a path takes at most one of them. Inner loops are passed through once.
    """
    order = _topological(blocks, loop)
    rank = {block: at for at, block in enumerate(order)}
    # (block, whether one wave's part was taken) -> (weight from there on, what comes next).
    best: dict[tuple[int, bool], tuple[int, tuple[int, bool] | None]] = {}
    for block in reversed(order):
        mine = one_wave is not None and any(one_wave.search(i.name) for i in blocks[block].code)
        following = [n for n in blocks[block].next if rank.get(n, -1) > rank[block]]
        closes = loop.header in blocks[block].next
        for spent in (False,) if mine else (False, True):
            steps = [(n, spent or mine) for n in following if (n, spent or mine) in best]
            ways: list[tuple[int, tuple[int, bool] | None]] = [(best[s][0], s) for s in steps]
            ways += [(0, None)] if closes else []
            if ways:
                weight, step = max(ways, key=lambda way: way[0])
                best[block, spent] = (weight + weigh(blocks[block].code), step)
    start: tuple[int, bool] | None = (loop.header, False)
    if start not in best:
        return heaviest_path(blocks, loop, weigh, None)
    code: list[Instruction] = []
    while start is not None:
        code.extend(blocks[start[0]].code)
        start = best[start][1]
    return code


def _topological(blocks: list[Block], loop: Loop) -> list[int]:
    """The loop's blocks in an order that every edge follows but those that close a loop."""
    done: list[int] = []
    seen = {loop.header}
    # (block, what follows it and is yet to be visited): depth first, without recursion.
    path = [(loop.header, iter(blocks[loop.header].next))]
    while path:
        _, following = path[-1]
        new = next((n for n in following if n in loop.blocks and n not in seen), None)
        if new is None:
            done.append(path.pop()[0])
        else:
            seen.add(new)
            path.append((new, iter(blocks[new].next)))
    return done[::-1]
