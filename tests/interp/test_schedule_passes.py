"""What the schedule passes make is right and free of findings, whatever lands when."""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source

from .running import every_mode, failures

_HEAD = "import-matmul,tile-workgroup{{shape={} waves={}}},promote-to-lds,matrix-core"
_MAPS = {"n": ("(m, k)", "(k, n)"), "t": ("(k, m)", "(n, k)")}
_SIZES = {"m": 40, "n": 72, "k": 200}


def _matmul(layout: str) -> str:
    """C = A * B; each letter of ``layout`` says whether that operand is transposed in memory."""
    a_map, b_map = _MAPS[layout[0]][0], _MAPS[layout[1]][1]
    a, b = (
        "memref<" + "x".join(str(_SIZES[d]) for d in text[1:-1].split(", ")) + "xbf16>"
        for text in (a_map, b_map)
    )
    maps = ", ".join(f"affine_map<(m, n, k) -> {m}>" for m in (a_map, b_map, "(m, n)"))
    c = f"memref<{_SIZES['m']}x{_SIZES['n']}xf32>"
    return f"""
func.func @matmul(%A: {a}, %B: {b}, %C: {c}) {{
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : {c})
  linalg.matmul indexing_maps = [{maps}] ins(%A, %B : {a}, {b}) outs(%C : {c})
  return
}}
"""


def _findings(passes: str, target: str, layout: str) -> list[str]:
    source = Source("<matmul>", _matmul(layout), "linalg", "matmul")
    steps = resolve(f"{passes},verify-tile", target)
    text = compile_source(Request(source, steps, target=target, stop="tile")).text
    return failures(text, every_mode(range(1)))


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize(
    "passes",
    [
        "register-pipeline",
        "register-pipeline{slots=3},split-barriers",
        "register-pipeline{carry=true},split-barriers{after=1}",
    ],
)
def test_every_layout_at_a_ragged_size(passes: str, layout: str) -> None:
    head = _HEAD.format("32x64x128", "1x2")
    assert not _findings(f"{head},multi-buffer,{passes}", "gfx1250", layout)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("waves", ["1x2", "2x1", "2x2"])
def test_every_number_of_stages_and_wave_grid(waves: str, stages: int) -> None:
    head = f"{_HEAD.format('32x32x128', waves)},multi-buffer{{stages={stages}}}"
    slots = 2 + stages % 2
    passes = f"register-pipeline{{slots={slots}}},split-barriers"
    assert not _findings(f"{head},{passes}", "gfx1250", "nt")
    if stages > 1:
        carried = f"register-pipeline{{slots={slots} carry=true}},split-barriers,pin-schedule"
        assert not _findings(f"{head},{carried}", "gfx1250", "nt")


@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("kind", ["register-pipeline,swizzle-lds,copy-engine", "wgmma"])
def test_stages_handed_back_by_mbarriers(kind: str, stages: int) -> None:
    waves = "4x1" if kind == "wgmma" else "2x2"
    passes = kind.replace("wgmma", "swizzle-lds,copy-engine,wgmma")
    head = f"{_HEAD.format('64x64x64', waves)},multi-buffer{{stages={stages}}},async-copies"
    assert not _findings(f"{head},{passes},split-barriers", "sm_90a", "nt")


def test_a_loop_without_register_pipeline_splits() -> None:
    head = _HEAD.format("32x32x32", "2x1")
    for stages in (1, 3):
        passes = f"{head},multi-buffer{{stages={stages}}},split-barriers"
        assert not _findings(passes, "gfx1250", "nn")
