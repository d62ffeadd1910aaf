"""What a compiled gfx1250 kernel uses and does in a K block: from its artefact and a simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gfx1250_published import Published

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.problem import Problem
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source
from gemm_ladder.runtime.artefact import Artefact, Kernel
from gemm_ladder.runtime.sim.lds_model import conflicts, partitions
from gemm_ladder.runtime.sim.lds_trace import Fill, trace_launch

TARGET = "gfx1250"
SIMULATED = (256, 4)  # M = N, and blocks of K


def compiled(problem: Problem, level: str) -> Artefact:
    """``problem`` compiled at ``level``. Raises LadderError: a spill, too much LDS, a bad pass."""
    source = Source("matmul.mlir", problem.mlir(), "linalg", "matmul")
    made = compile_source(
        Request(source, resolve(level, TARGET), target=TARGET, link="no")
    ).artefact
    assert made is not None
    return made


def static_facts(kernel: Kernel, row: Published) -> dict[str, Any]:
    """Facts of a K block and wave: the loop's counts, divided where it holds several blocks."""
    loop: Mapping[str, Any] = kernel.k_loop
    blocks = max(1, loop.get("matrix", 0) // row.matrix)
    drains = loop.get("drains", {})
    found: dict[str, Any] = {
        "vgprs": kernel.vgprs,
        "sgprs": kernel.sgprs,
        "accumulators": loop.get("accumulators", 0),
        "lds_bytes": kernel.lds_bytes + kernel.dynamic_lds_bytes,
        "workgroups": int(kernel.occupancy or 0),
        "spills": (kernel.spills or 0) + (kernel.scratch_bytes or 0),
        "matrix": loop.get("matrix", 0) // blocks,
        "lds_loads": loop.get("lds_loads", 0) // blocks,
        "valu": math.ceil(loop.get("valu", 0) / blocks),
        "salu": math.ceil(loop.get("salu", 0) / blocks),
        "interleave": loop.get("interleave", []),
        "behind_handoff": loop.get("behind_handoff", {}),
    }
    for counter in ("dscnt", "loadcnt", "asynccnt", "tensorcnt"):
        for kind in ("full", "partial"):
            found[f"{counter}_{kind}"] = drains.get(counter, {}).get(kind, 0) // blocks
    for scope in ("workgroup", "cluster"):
        steps = loop.get("sync", {}).get(scope, {"signal": 0, "wait": 0})
        found[f"{scope}_signals"], found[f"{scope}_waits"] = (
            steps[kind] // blocks for kind in ("signal", "wait")
        )
        found[f"{scope}_window"] = loop.get("window_matrix", {}).get(scope, 0) // blocks
    for kind, count in loop.get("copies", {}).items():
        found[f"copies_{kind}"] = count // blocks
    return found


def simulated_facts(problem: Problem, level: str, row: Published) -> dict[str, Any]:
    """What a launch of a smaller problem of the same layout does to LDS."""
    size, blocks = SIMULATED
    small = Problem(size, size, blocks * row.tile[2], problem.layout, problem.out)
    made = compiled(small, level)
    trace, addresses = trace_launch(made)
    stages = _stages([f for f in trace.fills if f.workgroup == 0], addresses, small, row.tile[2])
    steady = list(stages.values())[: blocks - 1]
    tdm = [fill for a, b in steady for fill in (*a, *b) if fill.engine == "tdm"]
    return {
        "bank_conflicts": [str(found) for found in conflicts(trace)],
        "tdm_fills": len(tdm) / max(1, len(steady)),
        "tdm_waves": sorted({fill.wave for fill in tdm}),
        "shared_partitions": shared_partitions(steady),
    }


Stage = tuple[list[Fill], list[Fill]]


def _stages(
    fills: list[Fill], addresses: list[int], problem: Problem, depth: int
) -> dict[int, Stage]:
    """Fills of A and of B of each block of K but those beyond K's end, in order.

    The last block may be fetched twice: a copy without a null form fetches it once more, into the
    stage that nobody reads.
    """
    stages: dict[int, Stage] = {}
    for fill in sorted(fills, key=lambda fill: fill.source):
        which = int(fill.source >= addresses[1])
        element = (fill.source - addresses[which]) // 2
        along = problem.layout[which] == "nt"[which]  # K runs along the rows
        extent = problem.n if which else problem.m
        block = (element % problem.k if along else element // extent) // depth
        stages.setdefault(block, ([], []))[which].append(fill)
    return dict(sorted(stages.items()))


def shared_partitions(stages: list[Stage]) -> list[int]:
    """Partitions that A and B of one stage share."""
    shared = (partitions(a) & partitions(b) for a, b in stages)
    return sorted(set[int]().union(*shared))
