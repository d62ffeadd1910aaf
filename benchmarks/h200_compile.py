"""Kernels for the Hopper benchmarks, compiled where MLIR is, for a machine that has only the GPU.

A folder of artefacts and `index.json`: one entry a kernel with its problem, level, pipeline and the
seconds that the compilation took, those of ptxas beside.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

INDEX = "index.json"
TARGET = "sm_90a"


@dataclass(frozen=True)
class Problem:
    """C [m, n] = A * B, bf16 in, ``out`` out. ``layout``: nn, nt, tn or tt, t is transposed."""

    m: int
    n: int
    k: int
    layout: str = "nt"
    out: str = "bf16"

    @property
    def name(self) -> str:
        """As files are called."""
        return f"{self.m}x{self.n}x{self.k}-{self.layout}-{self.out}"

    @property
    def flops(self) -> int:
        """Multiplications and additions."""
        return 2 * self.m * self.n * self.k

    def text(self) -> str:
        """The matmul as MLIR."""
        a_order = "m, k" if self.layout[0] == "n" else "k, m"
        b_order = "k, n" if self.layout[1] == "n" else "n, k"
        sizes = {"m": self.m, "n": self.n, "k": self.k}
        a, b = ("x".join(str(sizes[d]) for d in order.split(", ")) for order in (a_order, b_order))
        types = f"memref<{a}xbf16>, memref<{b}xbf16>", f"memref<{self.m}x{self.n}x{self.out}>"
        maps = ", ".join(
            f"affine_map<(m, n, k) -> ({order})>" for order in (a_order, b_order, "m, n")
        )
        return f"""func.func @mm(%A: memref<{a}xbf16>, %B: memref<{b}xbf16>, %C: {types[1]}) {{
  %zero = arith.constant 0.0 : {self.out}
  linalg.fill ins(%zero : {self.out}) outs(%C : {types[1]})
  linalg.matmul indexing_maps = [{maps}] ins(%A, %B : {types[0]}) outs(%C : {types[1]})
  return
}}
"""


def parse_problem(text: str) -> Problem:
    """`MxNxK`, then `-nt` and `-f32` where they differ from the defaults."""
    size, *rest = text.split("-")
    m, n, k = (int(part) for part in size.split("x"))
    return Problem(m, n, k, *rest)


def check_torch(parser: argparse.ArgumentParser) -> None:
    """End with one line, before anything is compiled, where measuring cannot follow."""
    if importlib.util.find_spec("torch") is None:
        parser.error("measuring needs torch and an NVIDIA GPU; here, --compile-only DIR works")


def compile_all(
    folder: Path, jobs: list[tuple[Problem, str, str]], report: bool = True
) -> list[dict[str, object]]:
    """Compile (problem, label, passes) into ``folder``; the index's entries, failures included."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for number, (problem, label, passes) in enumerate(jobs, 1):
        entry = _compile(folder, problem, label, passes)
        entries.append(entry)
        if report:
            said = entry.get("error") or f"{entry['seconds']:.1f} s, ptxas {entry['ptxas']:.1f} s"
            print(f"[{number}/{len(jobs)}] {problem.name} {label}: {said}", file=sys.stderr)
        (folder / INDEX).write_text(json.dumps(entries, indent=1), encoding="utf-8")
    return entries


def _compile(folder: Path, problem: Problem, label: str, passes: str) -> dict[str, object]:
    from gemm_ladder.compiler.compilation import Request, compile_source
    from gemm_ladder.compiler.errors import LadderError
    from gemm_ladder.compiler.resolve import resolve
    from gemm_ladder.compiler.source import Source
    from gemm_ladder.runtime.artefact_files import save_artefact

    entry: dict[str, object] = {"problem": asdict(problem), "label": label, "passes": passes}
    source = Source("<benchmark>", problem.text(), "linalg", "mm")
    started = time.perf_counter()
    try:
        request = Request(source, resolve(passes, TARGET), target=TARGET, stop="ptx", link="no")
        made = compile_source(request)
        middle = time.perf_counter()
        ptx = Source("<benchmark>", made.text, "ptx", "mm")
        done = compile_source(Request(ptx, [], target=TARGET, link="must"))
    except LadderError as error:
        return {**entry, "error": str(error).splitlines()[0]}
    assert done.artefact is not None
    path = folder / f"{problem.name}-{label}.json"
    save_artefact(done.artefact, path)
    seconds = {"seconds": middle - started, "ptxas": time.perf_counter() - middle}
    return {**entry, "file": path.name, **seconds}
