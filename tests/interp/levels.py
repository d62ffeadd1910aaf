"""Tile IR of a pipeline, for a problem of any size; and the prefixes of every pipeline."""

from __future__ import annotations

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.pipelines import levels
from gemm_ladder.compiler.resolve import Step, pipeline_text, resolve
from gemm_ladder.compiler.source import Source


def matmul_text(m: int, n: int, k: int, elem: str = "bf16", out: str = "f32") -> str:
    """A matmul of memrefs, C = A * B."""
    a, b, c = f"memref<{m}x{k}x{elem}>", f"memref<{k}x{n}x{elem}>", f"memref<{m}x{n}x{out}>"
    zero = "arith.constant 0.0 : " + out
    return f"""
func.func @matmul(%A: {a}, %B: {b}, %C: {c}) {{
  %zero = {zero}
  linalg.fill ins(%zero : {out}) outs(%C : {c})
  linalg.matmul ins(%A, %B : {a}, {b}) outs(%C : {c})
  return
}}
"""


def level_text(steps: list[Step], target: str, m: int, n: int, k: int) -> str:
    """The IR after ``steps`` on a bf16 matmul of that size."""
    source = Source("<matmul>", matmul_text(m, n, k), "linalg", "matmul")
    return compile_source(Request(source, steps, target=target, stop="tile")).text


def prefixes(target: str) -> list[str]:
    """Every distinct prefix of a pipeline of ``target``'s levels, in the order of the ladder."""
    found: dict[str, None] = {}
    for name in levels(target):
        steps = resolve(name, target)
        for length in range(1, len(steps) + 1):
            found[pipeline_text(steps[:length])] = None
    return list(found)
