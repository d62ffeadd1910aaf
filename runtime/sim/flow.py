"""Order of a kernel's instructions in which waves that parted meet again soonest.

Blocks in reverse postorder: a block that code generation put out of line still comes before the
place where its waves rejoin the others. Of two successors the one at the higher PC comes later, so
that loops run before what follows them.
"""

from __future__ import annotations

from .asm import KernelAsm


def ranks(kernel: KernelAsm) -> list[int]:
    """Rank of each instruction; one more for the end of the code."""
    starts = _starts(kernel)
    order = _postorder(kernel, starts)
    order += [start for start in starts if start not in set(order)]
    result = [0] * (len(kernel.code) + 1)
    rank = 0
    following = dict(zip(starts, [*starts[1:], len(kernel.code)], strict=True))
    for start in order:
        for pc in range(start, following[start]):
            result[pc] = rank
            rank += 1
    result[-1] = rank
    return result


def _starts(kernel: KernelAsm) -> list[int]:
    """PCs at which blocks start."""
    starts = {0, *kernel.labels.values()}
    for pc, line in enumerate(kernel.code):
        if line.mnemonic.startswith(("s_cbranch", "s_branch", "s_endpgm")):
            starts.add(pc + 1)
    return sorted(start for start in starts if start < len(kernel.code))


def _successors(kernel: KernelAsm, last: int) -> list[int]:
    """PCs after the block that ends at `last`, higher ones first."""
    line = kernel.code[last]
    if line.mnemonic == "s_endpgm":
        return []
    found = [] if line.mnemonic == "s_branch" else [last + 1]
    if line.mnemonic.startswith(("s_cbranch", "s_branch")):
        found.append(kernel.labels.get(line.operands[0], last + 1))
    return sorted((pc for pc in found if pc < len(kernel.code)), reverse=True)


def _postorder(kernel: KernelAsm, starts: list[int]) -> list[int]:
    """Block starts reachable from the first one, in reverse postorder."""
    ends = dict(zip(starts, [*(start - 1 for start in starts[1:]), len(kernel.code) - 1],
                    strict=True))  # fmt: skip
    done: list[int] = []
    seen = {0}
    stack = [(0, iter(_successors(kernel, ends[0])))]
    while stack:
        start, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(_successors(kernel, ends[successor]))))
                break
        else:
            done.append(start)
            stack.pop()
    return done[::-1]
