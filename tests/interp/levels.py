"""Tile IR of a pipeline, for a problem of any size."""

from __future__ import annotations

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.resolve import Step
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
