"""Random problems and pipelines for Hypothesis, and their text forms."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from gemm_ladder.compiler.targets import target_names

LAYOUTS = ("nn", "nt", "tn", "tt")
TYPES = (("bf16", "f32"), ("f16", "f32"), ("f32", "f32"), ("bf16", "bf16"), ("f16", "f16"))


@dataclass(frozen=True)
class Problem:
    """C[m, n] (+)= A * B. ``layout`` tells, for A then B, whether it is stored transposed."""

    m: int
    n: int
    k: int
    layout: str
    elem: str
    out: str
    accumulate: bool

    def text(self) -> str:
        """A linalg module of memrefs, or of tensors where the result is narrower than f32."""
        maps = ", ".join(
            f"affine_map<(m, n, k) -> ({dims})>"
            for dims in (
                "m, k" if self.layout[0] == "n" else "k, m",
                "k, n" if self.layout[1] == "n" else "n, k",
                "m, n",
            )
        )
        a = (self.m, self.k) if self.layout[0] == "n" else (self.k, self.m)
        b = (self.k, self.n) if self.layout[1] == "n" else (self.n, self.k)
        build = _memrefs if self.out == "f32" else _narrow
        return build(self, maps, a, b)


def _type(kind: str, shape: tuple[int, int], elem: str) -> str:
    return f"{kind}<{shape[0]}x{shape[1]}x{elem}>"


def _memrefs(p: Problem, maps: str, a: tuple[int, int], b: tuple[int, int]) -> str:
    ta, tb, tc = (_type("memref", s, e) for s, e in ((a, p.elem), (b, p.elem), ((p.m, p.n), "f32")))
    fill = "" if p.accumulate else f"  linalg.fill ins(%z : f32) outs(%C : {tc})\n"
    return f"""func.func @matmul(%A: {ta}, %B: {tb}, %C: {tc}) {{
  %z = arith.constant 0.0 : f32
{fill}  linalg.matmul indexing_maps = [{maps}] ins(%A, %B : {ta}, {tb}) outs(%C : {tc})
  return
}}
"""


def _narrow(p: Problem, maps: str, a: tuple[int, int], b: tuple[int, int]) -> str:
    ta, tb = _type("tensor", a, p.elem), _type("tensor", b, p.elem)
    wide, narrow = (_type("tensor", (p.m, p.n), e) for e in ("f32", p.out))
    return f"""func.func @matmul(%A: {ta}, %B: {tb}) -> {narrow} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {wide}
  %i = linalg.fill ins(%z : f32) outs(%e : {wide}) -> {wide}
  %r = linalg.matmul indexing_maps = [{maps}] ins(%A, %B : {ta}, {tb}) outs(%i : {wide}) -> {wide}
  %t = arith.truncf %r : {wide} to {narrow}
  return %t : {narrow}
}}
"""


def problems() -> st.SearchStrategy[Problem]:
    """Small problems; ragged and degenerate ones as likely as whole tiles."""
    extent = st.one_of(st.integers(1, 9), st.integers(10, 150), st.sampled_from([16, 32, 64, 128]))
    return st.builds(
        lambda m, n, k, layout, types, accumulate: Problem(
            m, n, k, layout, *types, accumulate and types[1] == "f32"
        ),
        extent, extent, extent,
        st.sampled_from(LAYOUTS), st.sampled_from(TYPES), st.booleans(),
    )  # fmt: skip


@st.composite
def _tile_workgroup(draw: st.DrawFn) -> str:
    """Mostly whole fragments for every wave; sometimes a block that does not divide."""
    down, right = draw(st.sampled_from([(1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (4, 2)]))
    k = draw(st.sampled_from([16, 32, 48, 64]))
    sides = st.sampled_from([16, 32, 48])
    m, n = down * draw(sides), right * draw(sides)
    if draw(_rarely):
        m = draw(st.sampled_from([8, 24, 40]))
    return f"tile-workgroup{{shape={m}x{n}x{k} waves={down}x{right}}}"


# The first of the choices is what a failure shrinks to.
_rarely = st.sampled_from([False] * 7 + [True])
_mostly = st.sampled_from([False] + [True] * 7)


def _entries() -> list[st.SearchStrategy[str]]:
    """One strategy for each pass."""
    pad = st.sampled_from(["promote-to-lds", "promote-to-lds{pad=0}", "promote-to-lds{pad=32}"])
    return [
        _tile_workgroup(),
        pad,
        st.just("matrix-core"),
        st.sampled_from([f"multi-buffer{{stages={n}}}" for n in (1, 2, 3, 4)]),
        st.sampled_from(["mlir:canonicalize", "mlir:cse", "verify-tile"]),
    ]


@st.composite
def pipelines(draw: st.DrawFn) -> str:
    """A subset of the passes, mostly in the ladder's order, sometimes shuffled or repeated."""
    chosen = [draw(entry) for entry in _entries() if draw(_mostly)]
    if draw(_rarely):
        chosen = draw(st.permutations(chosen))
    if chosen and draw(_rarely):
        chosen.insert(draw(st.integers(0, len(chosen))), draw(st.sampled_from(chosen)))
    return ",".join(["import-matmul", *chosen])


def targets() -> st.SearchStrategy[str]:
    """Every target there is."""
    return st.sampled_from(target_names())
