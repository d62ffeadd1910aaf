"""One GEMM to compile and check: its linalg source, its artefact, and the products of cases."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source
from gemm_ladder.runtime.artefact import Artefact

# M x N x K that broke other compilers, and the plain ones. The last two: K = 1, K = 0.
SHAPES = (
    (64, 64, 32),
    (128, 128, 64),
    (256, 256, 256),
    (256, 256, 192),
    (7, 7, 7),
    (35, 79, 19),
    (1, 105, 107),
    (3, 3, 431),
    (16, 104, 64),
    (64, 64, 24),
    (127, 65, 33),
    (130, 258, 514),
    (33, 70, 1),
    (5, 66, 0),
)
# What every level of a ladder is proven on; the last one: K = 1.
LADDER_SHAPES = (
    (7, 7, 7),
    (35, 79, 19),
    (1, 105, 107),
    (33, 70, 1),
    (256, 256, 256),
    (257, 511, 130),
    (512, 512, 512),
    (1024, 1024, 1024),
    (1000, 999, 1001),
)
LAYOUTS = ("nn", "nt", "tn", "tt")
# Input and output element types.
TYPES = (("bf16", "f32"), ("bf16", "bf16"), ("f16", "f32"), ("f16", "f16"), ("f32", "f32"))
LADDER_TYPES = (("bf16", "bf16"), ("bf16", "f32"))


@dataclass(frozen=True)
class Case:
    """C[m, n] (+)= A * B; ``layout`` has t where an operand is stored transposed."""

    m: int
    n: int
    k: int
    layout: str = "nn"
    types: tuple[str, str] = ("bf16", "f32")
    accumulate: bool = False
    passes: str = "level1"

    @property
    def name(self) -> str:
        """A file name for the case."""
        how = "acc" if self.accumulate else "fill"
        types = "-".join(self.types)
        passes = "".join(c if c.isalnum() else "_" for c in self.passes)
        return f"{passes}.{self.m}x{self.n}x{self.k}.{self.layout}.{types}.{how}"

    def source(self) -> str:
        """The case as linalg on tensors."""
        elem, out = self.types
        flip_a, flip_b = (x == "t" for x in self.layout)
        a = f"tensor<{self.k}x{self.m}x{elem}>" if flip_a else f"tensor<{self.m}x{self.k}x{elem}>"
        b = f"tensor<{self.n}x{self.k}x{elem}>" if flip_b else f"tensor<{self.k}x{self.n}x{elem}>"
        maps = ("k, m" if flip_a else "m, k", "n, k" if flip_b else "k, n", "m, n")
        indexing = ", ".join(f"affine_map<(m, n, k) -> ({x})>" for x in maps)
        shape = f"{self.m}x{self.n}x"
        # A filled product is rounded once, by a truncf; an accumulating one reads C as it is.
        inner = f"tensor<{shape}{out if self.accumulate else 'f32'}>"
        matmul = (
            f"  %r = linalg.matmul indexing_maps = [{indexing}] ins(%A, %B : {a}, {b})"
            f" outs(%i : {inner}) -> {inner}"
        )
        arguments, start, end = f"%A: {a}, %B: {b}", "", "  return %r"
        if self.accumulate:
            arguments += f", %i: {inner}"
        else:
            start = (
                f"  %z = arith.constant 0.0 : f32\n  %e = tensor.empty() : {inner}\n"
                f"  %i = linalg.fill ins(%z : f32) outs(%e : {inner}) -> {inner}\n"
            )
        result = f"tensor<{shape}{out}>"
        if result != inner:
            end = f"  %t = arith.truncf %r : {inner} to {result}\n  return %t"
        return f"func.func @mm({arguments}) -> {result} {{\n{start}{matmul}\n{end} : {result}\n}}\n"

    def artefact(self, target: str, link: str = "no") -> Artefact:
        """Compile for ``target``; ``link`` "must" makes the binary too."""
        return build(self.source(), self.passes, target, link)


def build(text: str, passes: str, target: str, link: str = "no", stage: str = "linalg") -> Artefact:
    """Compile ``text``, which is at ``stage``, through ``passes``."""
    source = Source("case.mlir", text, stage, "case")
    steps = resolve(passes, target) if passes else []
    result = compile_source(Request(source, steps, target=target, link=link))
    assert result.artefact is not None
    return result.artefact


def product(names: Sequence[str]) -> Iterator[Case]:
    """Every combination of shape, layout, types, fill or accumulate, and level."""
    for shape, layout, types, accumulate, level in itertools.product(
        SHAPES, LAYOUTS, TYPES, (False, True), names
    ):
        yield Case(*shape, layout, types, accumulate, level)


def ladder(names: Sequence[str]) -> Iterator[Case]:
    """What each level must get right: the small shapes of all levels before the large ones."""
    for shape, layout, types, level in itertools.product(
        LADDER_SHAPES, LAYOUTS, LADDER_TYPES, names
    ):
        yield Case(*shape, layout, types, passes=level)
