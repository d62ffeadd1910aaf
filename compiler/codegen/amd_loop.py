"""What the specification of a GEMM level says of an AMD kernel's K loop, counted in assembly.

Everything is for one iteration of one wave, the one that executes most.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gemm_ladder.compiler.codegen.flow import Instruction

MATRIX = re.compile(r"^v_(s?wmma|mfma)")
LDS_LOAD = re.compile(r"^ds_(load|read)")
# Neither computes nor moves: hints to the scheduler, waits, barriers, register banks, hazards.
_NO_VALU = re.compile(r"^v_(s?wmma|mfma|nop)")
_NO_SALU = re.compile(
    r"^s_(wait|barrier|cluster_barrier|set_vgpr_msb|delay_alu|nop|clause|setprio|sleep|sched)"
)
_COPIES = {
    "vector": re.compile(r"^(global|buffer|flat)_load_(?!async)"),
    "async": re.compile(r"^(global|cluster)_load_async_to_lds"),
    "tdm": re.compile(r"^tensor_load_to_lds"),
}
# (counter, first bit) of each field of a wait's immediate (LLVM AMDGPU, gfx12 encodings).
_WAITS = {
    "s_wait_loadcnt_dscnt": (("dscnt", 0), ("loadcnt", 8)),
    "s_wait_storecnt_dscnt": (("dscnt", 0), ("storecnt", 8)),
}
_COUNTERS = ("loadcnt", "dscnt", "asynccnt", "tensorcnt", "storecnt", "kmcnt")
_SCOPES = {"-1": "workgroup", "-3": "cluster"}
_VGPRS = re.compile(r"^v\[(\d+):(\d+)\](?:\s*/\*v\[(\d+):\d+\]\*/)?")


def details(code: list[Instruction]) -> dict[str, object]:
    """Facts of one iteration ``code``.

    ``drains``: by counter, waits for all ("full") and for all but some ("partial").
    ``sync``: by scope, barrier signals and waits. ``copies``: loads from global memory by engine.
    ``valu``, ``salu``: without matrix instructions, waits, barriers, register bank changes,
    scheduling hints and hazard slots. ``window_matrix``: by scope, matrix instructions between
    the barrier's signal and its wait. ``interleave``: lengths of runs of LDS loads and of matrix
    instructions in turn. ``accumulators``: VGPRs that matrix instructions write.
    ``behind_handoff``: LDS loads, and matrix instructions from the first of these on, between the
    workgroup barrier's wait and the end of the iteration.
    """
    return {
        "lds_loads_by": dict(sorted(Counter(i.name for i in code if _is_load(i)).items())),
        "valu": sum(1 for i in code if i.name[:2] == "v_" and not _NO_VALU.match(i.name)),
        "salu": sum(1 for i in code if i.name[:2] == "s_" and not _NO_SALU.match(i.name)),
        "drains": _drains(code),
        "sync": _sync(code),
        "copies": {
            kind: sum(1 for i in code if pattern.match(i.name)) for kind, pattern in _COPIES.items()
        },
        "window_matrix": {scope: _window(code, scope) for scope in _SCOPES.values()},
        "interleave": _interleave(code),
        "accumulators": len({reg for i in code if _is_matrix(i) for reg in _written(i)}),
        "behind_handoff": _behind_handoff(code),
    }


def _is_matrix(i: Instruction) -> bool:
    return bool(MATRIX.match(i.name))


def _is_load(i: Instruction) -> bool:
    return bool(LDS_LOAD.match(i.name))


def waited(i: Instruction) -> Iterator[tuple[str, int]]:
    """(counter, how many may be left) for each counter that ``i`` waits on."""
    counter = i.name.removeprefix("s_wait_")
    fields = _WAITS.get(i.name, ((counter, 0),) if counter in _COUNTERS else ())
    for name, bit in fields:
        yield name, int(i.operands or "0", 0) >> bit & 63


def _drains(code: list[Instruction]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for i in code:
        for counter, left in waited(i):
            kinds = found.setdefault(counter, {"full": 0, "partial": 0})
            kinds["partial" if left else "full"] += 1
    return dict(sorted(found.items()))


def _sync(code: list[Instruction]) -> dict[str, dict[str, int]]:
    found = {scope: {"signal": 0, "wait": 0} for scope in _SCOPES.values()}
    for i in code:
        step = _barrier(i)
        if step is not None:
            found[step[0]][step[1]] += 1
    return found


def _barrier(i: Instruction) -> tuple[str, str] | None:
    """(scope, "signal" or "wait") of a barrier instruction."""
    kind = re.match(r"s_barrier_(signal|wait)", i.name)
    scope = _SCOPES.get(i.operands.split(",")[0].strip())
    return (scope, kind[1]) if kind and scope else None


def _window(code: list[Instruction], scope: str) -> int:
    """Matrix instructions between signal and wait; the window may span the end of the loop."""
    inside, first, total = False, 0, 0
    opened = False
    for i in code:
        step = _barrier(i)
        if step == (scope, "signal"):
            inside = opened = True
        elif step == (scope, "wait"):
            if not opened:  # signalled in the iteration before
                total += first
            inside = False
        elif _is_matrix(i):
            total += inside
            first += not opened
    return total


def _interleave(code: list[Instruction]) -> list[list[int]]:
    """[LDS loads, matrix instructions] of each group; a barrier's wait starts a group anew."""
    groups = [[0, 0]]
    for i in code:
        if _is_load(i):
            if groups[-1][1]:
                groups.append([0, 0])
            groups[-1][0] += 1
        elif _is_matrix(i):
            groups[-1][1] += 1
        elif _barrier(i) == ("workgroup", "wait") and groups[-1] != [0, 0]:
            groups.append([0, 0])
    return [group for group in groups if group != [0, 0]]


def _behind_handoff(code: list[Instruction]) -> dict[str, int]:
    ends = [at for at, i in enumerate(code) if _barrier(i) == ("workgroup", "wait")]
    rest = code[ends[-1] + 1 :] if ends else []
    loads = [at for at, i in enumerate(rest) if _is_load(i)]
    behind = rest[loads[0] :] if loads else []
    return {"lds_loads": len(loads), "matrix": sum(1 for i in behind if _is_matrix(i))}


def _written(i: Instruction) -> range:
    """Numbers of the VGPRs that a matrix instruction writes."""
    found = _VGPRS.match(i.operands)
    if found is None:
        return range(0)
    first = int(found[3] or found[1])
    return range(first, first + int(found[2]) - int(found[1]) + 1)
