"""The matmul of a ladder, as linalg on tensors, for whoever has no input of their own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """C[m, n] = A * B, bf16 to ``out``; ``layout`` has t where an operand is stored transposed."""

    m: int
    n: int
    k: int
    layout: str = "nt"
    out: str = "bf16"

    def mlir(self) -> str:
        """The problem as a function of tensors, named @matmul."""
        a_flip, b_flip = (letter == "t" for letter in self.layout)
        a = f"tensor<{_shape(self.m, self.k, a_flip)}xbf16>"
        b = f"tensor<{_shape(self.k, self.n, b_flip)}xbf16>"
        maps = ("k, m" if a_flip else "m, k", "n, k" if b_flip else "k, n", "m, n")
        indexing = ", ".join(f"affine_map<(m, n, k) -> ({x})>" for x in maps)
        sums, result = f"tensor<{self.m}x{self.n}xf32>", f"tensor<{self.m}x{self.n}x{self.out}>"
        end = "" if self.out == "f32" else f"  %C = arith.truncf %sum : {sums} to {result}\n"
        return (
            f"func.func @matmul(%A: {a}, %B: {b}) -> {result} {{\n"
            "  %zero = arith.constant 0.0 : f32\n"
            f"  %empty = tensor.empty() : {sums}\n"
            f"  %start = linalg.fill ins(%zero : f32) outs(%empty : {sums}) -> {sums}\n"
            f"  %sum = linalg.matmul indexing_maps = [{indexing}]\n"
            f"    ins(%A, %B : {a}, {b}) outs(%start : {sums}) -> {sums}\n"
            f"{end}  return %{'C' if end else 'sum'} : {result}\n}}\n"
        )


def _shape(rows: int, cols: int, flip: bool) -> str:
    return f"{cols}x{rows}" if flip else f"{rows}x{cols}"
