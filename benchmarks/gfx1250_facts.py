"""What a compiled gfx1250 kernel uses and does in a K block: from its artefact and a simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gfx1250_published import Published

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source
from gemm_ladder.runtime.artefact import Artefact, Kernel
from gemm_ladder.runtime.dtypes import ELEMENT_TYPES
from gemm_ladder.runtime.sim import Options, SimDevice
from gemm_ladder.runtime.sim.lds_model import conflicts, partitions
from gemm_ladder.runtime.sim.lds_trace import Fill, LdsTrace

TARGET = "gfx1250"
SIMULATED = (256, 4)  # M = N, and blocks of K


@dataclass(frozen=True)
class Problem:
    """C[m, n] = A * B, bf16 to ``out``; ``layout`` has t where an operand is stored transposed."""

    m: int
    n: int
    k: int
    layout: str = "nt"
    out: str = "bf16"

    def mlir(self) -> str:
        """The problem as linalg on tensors."""
        flips = [letter == "t" for letter in self.layout]
        a, b = (f"{y}x{x}" if flip else f"{x}x{y}" for flip, x, y in
                zip(flips, (self.m, self.k), (self.k, self.n), strict=True))  # fmt: skip
        maps = ("k, m" if flips[0] else "m, k", "n, k" if flips[1] else "k, n", "m, n")
        indexing = ", ".join(f"affine_map<(m, n, k) -> ({x})>" for x in maps)
        types = f"tensor<{a}xbf16>", f"tensor<{b}xbf16>"
        sums, result = f"tensor<{self.m}x{self.n}xf32>", f"tensor<{self.m}x{self.n}x{self.out}>"
        end = f"  return %r : {sums}\n"
        if self.out != "f32":
            end = f"  %t = arith.truncf %r : {sums} to {result}\n  return %t : {result}\n"
        return (
            f"func.func @mm(%A: {types[0]}, %B: {types[1]}) -> {result} {{\n"
            f"  %z = arith.constant 0.0 : f32\n  %e = tensor.empty() : {sums}\n"
            f"  %i = linalg.fill ins(%z : f32) outs(%e : {sums}) -> {sums}\n"
            f"  %r = linalg.matmul indexing_maps = [{indexing}]\n"
            f"    ins(%A, %B : {types[0]}, {types[1]}) outs(%i : {sums}) -> {sums}\n{end}}}\n"
        )


def compiled(problem: Problem, level: str) -> Artefact:
    """``problem`` compiled at ``level``. Raises LadderError: a spill, too much LDS, a bad pass."""
    source = Source("mm.mlir", problem.mlir(), "linalg", "mm")
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
    trace, addresses = _launch(made)
    stages = _stages([f for f in trace.fills if f.workgroup == 0], addresses, small, row.tile[2])
    steady = list(stages.values())[: blocks - 1]
    tdm = [fill for a, b in steady for fill in (*a, *b) if fill.engine == "tdm"]
    return {
        "bank_conflicts": [str(found) for found in conflicts(trace)],
        "tdm_fills": len(tdm) / max(1, len(steady)),
        "tdm_waves": sorted({fill.wave for fill in tdm}),
        "shared_partitions": shared_partitions(steady),
    }


def _launch(artefact: Artefact) -> tuple[LdsTrace, list[int]]:
    device = SimDevice(Options("late", check=False))
    trace = device.watch = LdsTrace()
    (kernel,) = artefact.kernels
    handle = device.load(artefact, kernel.name)
    addresses = [
        device.alloc(math.prod(arg.shape) * ELEMENT_TYPES[arg.dtype].size) for arg in kernel.args
    ]
    device.launch(handle, addresses)
    return trace, addresses


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
