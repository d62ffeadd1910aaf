"""What reaches ptxas for NVIDIA targets: the instructions, and its verdict on them."""

from __future__ import annotations

import re

import pytest
from e2e.gemm_case import Case

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.resolve import pipeline_text, resolve
from gemm_ladder.compiler.source import Source

TARGETS = ["sm_90a", "sm_120"]


def kernels(elem: str, c_elem: str, k: int = 96, n: int = 136) -> Source:
    """C = A * B in three layouts, one kernel each, 130 x n x k."""
    m = 130
    text = 'gpu.module @kernels attributes {tile.target = "TARGET"} {\n'
    for name, a_order, b_order in (("nn", "mk", "kn"), ("nt", "mk", "nk"), ("tt", "km", "nk")):
        a = f"memref<{m}x{k}x{elem}>" if a_order == "mk" else f"memref<{k}x{m}x{elem}>"
        b = f"memref<{k}x{n}x{elem}>" if b_order == "kn" else f"memref<{n}x{k}x{elem}>"
        facts = f'a_order = "{a_order}", b_order = "{b_order}", accumulate = false'
        text += f"""gpu.func @{name}(%A: {a}, %B: {b}, %C: memref<{m}x{n}x{c_elem}>) kernel
  attributes {{tile.names = ["A", "B", "C"],
              tile.contract = {{m = {m}, n = {n}, k = {k}, {facts}}}}} {{
  "tile.contract"(%A, %B, %C) {{{facts}}} : ({a}, {b}, memref<{m}x{n}x{c_elem}>) -> ()
  gpu.return
}}
"""
    return Source("test.tile.mlir", text + "}\n", "tile", "test")


def ptx(target: str, source: Source) -> dict[str, str]:
    """Kernel name -> its PTX, at level 1."""
    source = Source(source.name, source.text.replace("TARGET", target), source.stage, source.stem)
    steps = resolve("level1")[1:]  # the source is what import-matmul would have made
    text = compile_source(Request(source, steps, stop="ptx")).text
    parts = re.split(r"\.entry (\w+)\(", text)
    assert f".target {target}" in parts[0]
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("target", TARGETS)
def test_operands_come_by_ldmatrix_in_the_form_that_memory_asks_for(target: str) -> None:
    code = ptx(target, kernels("bf16", "bf16"))
    forms = {
        name: set(re.findall(r"ldmatrix\.sync\.aligned\.m8n8\.x4(\.trans)?\.shared", text))
        for name, text in code.items()
    }
    assert forms == {"nn": {"", ".trans"}, "nt": {""}, "tt": {"", ".trans"}}
    for text in code.values():
        # A wave's 32 x 32 x 32: 2 x 4 accumulators times 2 along k, in each of an unrolled loop's
        # three blocks.
        assert text.count("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32") in (16, 48)
        assert not re.search(r"ld\.shared", text)
        # C is converted in pairs.
        assert "cvt.rn.bf16x2.f32" in text
        assert "cvt.rn.bf16.f32" not in text


def test_f32_is_multiplied_in_f32() -> None:
    for text in ptx("sm_90a", kernels("f32", "f32")).values():
        assert "fma.rn.f32" in text
        assert not re.search(r"tf32|mma\.", text)


@pytest.mark.parametrize("target", TARGETS)
def test_ptxas_spills_nothing(target: str) -> None:
    source = kernels("f16", "f32")
    source = Source(source.name, source.text.replace("TARGET", target), source.stage, source.stem)
    artefact = compile_source(Request(source, resolve("level1")[1:], link="must")).artefact
    assert artefact is not None
    for kernel in artefact.kernels:
        assert (kernel.spills, kernel.lds_bytes) == (0, 0)
        assert kernel.dynamic_lds_bytes == 2 * 2 * 64 * 72
        assert kernel.vgprs is not None and kernel.vgprs <= 255


@pytest.mark.parametrize("level", ["level6", "level12"])
def test_ptxas_spills_nothing_where_rows_are_unaligned(level: str) -> None:
    # Pieces of 2 bytes: 96 of them a thread, besides 128 accumulators; 192 of a producer's.
    source = kernels("bf16", "f32", k=1001, n=999)
    source = Source(source.name, source.text.replace("TARGET", "sm_90a"), "tile", source.stem)
    steps = resolve(level, "sm_90a")[1:]
    artefact = compile_source(Request(source, steps, link="must")).artefact  # a spill is an error
    assert artefact is not None and len(artefact.kernels) == 3


# 192 columns of B, then 112 of a C that is staged, of which a thread has pieces all over its rows.
@pytest.mark.parametrize(
    ("width", "n", "k", "layout"), [(192, 999, 1001, "nn"), (224, 511, 130, "nt")]
)
def test_ptxas_spills_nothing_where_a_row_is_no_part_of_a_round(
    width: int, n: int, k: int, layout: str
) -> None:
    passes = pipeline_text(resolve("level12", "sm_90a")).replace("128x256x64", f"128x{width}x64")
    case = Case(257, n, k, layout, ("bf16", "bf16"), passes=passes)
    assert case.artefact("sm_90a", link="must").binary is not None


def test_ptxas_spills_nothing_where_an_unaligned_c_is_accumulated() -> None:
    text = """func.func @mm(%A: tensor<257x130xbf16>, %B: tensor<130x511xbf16>,
                         %C: tensor<257x511xbf16>) -> tensor<257x511xbf16> {
      %r = linalg.matmul ins(%A, %B : tensor<257x130xbf16>, tensor<130x511xbf16>)
                         outs(%C : tensor<257x511xbf16>) -> tensor<257x511xbf16>
      return %r : tensor<257x511xbf16>
    }"""
    source = Source("test.mlir", text, "linalg", "test")
    steps = resolve("level6", "sm_90a")
    assert compile_source(Request(source, steps, target="sm_90a", link="must")).artefact is not None


def test_cp_async_fills_what_ldmatrix_reads() -> None:
    source = kernels("bf16", "f32")
    source = Source(source.name, source.text.replace("TARGET", "sm_90a"), "tile", source.stem)
    text = compile_source(Request(source, resolve("level6", "sm_90a")[1:], stop="ptx")).text
    assert text is not None
    for body in re.split(r"\.entry \w+\(", text)[1:]:
        assert "cp.async.cg.shared.global" in body and "cp.async.wait_group" in body
        assert not re.search(r"(ld|st)\.shared", body)
