"""The copies passes, run: right in every landing mode, whole and ragged, one stage and several."""

from __future__ import annotations

import pytest
from interp.problems import Problem
from interp.running import every_mode, failures

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source

FRONT = (
    "import-matmul,tile-workgroup{{shape={shape} waves={waves}}},promote-to-lds{pad},matrix-core"
)
# Shape and waves of the workgroup, stages, then the passes under test.
CASES = [
    ("gfx1250", "32x64x32", "2x4", 2, "async-copies"),
    ("gfx1250", "32x32x32", "2x2", 4, "async-copies"),
    ("gfx1250", "16x128x32", "1x8", 2, "copy-engine"),
    ("gfx1250", "16x16x32", "1x1", 3, "copy-engine"),
    ("gfx1250", "32x32x64", "2x2", 2, "async-copies,register-pipeline{carry=true},copy-engine"),
    ("sm_90a", "32x32x32", "2x2", 3, "async-copies"),
    ("sm_90a", "32x32x32", "2x2", 1, "copy-engine"),
    ("sm_90a", "64x32x32", "4x2", 2, "async-copies,copy-engine"),
    ("sm_90a", "32x32x32", "2x2", 4, "async-copies,copy-engine"),
]
# M, N, K and layout: whole; one block; B's rows too ragged for TMA; A's; nothing aligned.
PROBLEMS = [
    (64, 64, 192, "nt"),
    (40, 40, 24, "tt"),
    (40, 36, 136, "nn"),
    (36, 40, 136, "tt"),
    (35, 79, 19, "nn"),
]


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("case", CASES)
def test_right_in_every_mode(
    case: tuple[str, str, str, int, str], problem: tuple[int, int, int, str]
) -> None:
    target, shape, waves, stages, tail = case
    pad = "{pad=0}" if target == "sm_90a" else ""
    front = FRONT.format(shape=shape, waves=waves, pad=pad)
    steps = resolve(f"{front},multi-buffer{{stages={stages}}},{tail},verify-tile", target)
    text = Problem(*problem, "bf16", "f32", accumulate=False).text()
    request = Request(Source("<matmul>", text, "linalg", "matmul"), steps, target, stop="tile")
    assert not failures(compile_source(request).text, every_mode(range(1)))
