"""Names and options: looked up before anything runs, with the nearest known one in the error."""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.pipeline_text import PipelineTextError
from gemm_ladder.compiler.pipelines import PIPELINES, TECHNIQUES, expand
from gemm_ladder.compiler.resolve import pipeline_text, resolve


def test_every_level_resolves_and_round_trips() -> None:
    assert list(TECHNIQUES) == list(PIPELINES)
    for name in PIPELINES:
        steps = resolve(name)
        assert resolve(pipeline_text(steps)) == steps
        assert [step.text for step in steps] == list(expand(name))


def test_level_and_passes_mix() -> None:
    names = [step.name for step in resolve("level1,\n verify-tile // check\n, mlir:cse")]
    assert names == [*(step.name for step in resolve("level1")), "verify-tile", "mlir:cse"]


# (text, token under the caret, parts of the message)
WRONG = [
    ("level99", "level99", ["did you mean 'level1'?", "levels: level0, level1"]),
    ("promot-to-lds", "promot-to-lds", ["did you mean 'promote-to-lds'?", "passes: import-matmul"]),
    ("cse", "cse", ["did you mean 'mlir:cse', the upstream pass?"]),
    ("level0{stages=2}", "stages=2", ["takes no options", "import-matmul"]),
    ("multi-buffer{stage=2}", "stage=2", ["unknown option 'stage'", "did you mean 'stages'?"]),
    ("multi-buffer{stages=0}", "stages=0", ["'0'", "at least"]),
    ("multi-buffer{stages=x}", "stages=x", ["'x'", "integer"]),
    ("level0,tile-workgroup{waves=0}", "waves=0", ["2 integers of at least 1"]),
    ("tile-workgroup{shape=17}", "shape=17", ["'17'", "3 integers"]),
    ("tile-workgroup{shape=64x64x-1}", "shape=64x64x-1", ["'64x64x-1'"]),
    ("mlir:nope", "nope", ["does not refer to a registered pass"]),
    ("mlir:func.func(\n nope)", "nope", ["does not refer to a registered pass"]),
    ("mlir:cse{x=1}", "cse", ["no such option x"]),
    ("mlir:canonicalize{max-iterations=z}", "canonicalize", ["'z' value invalid"]),
]


@pytest.mark.parametrize(("text", "token", "parts"), WRONG)
def test_unknown_or_illegal(
    text: str, token: str, parts: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PipelineTextError) as caught:
        resolve(text)
    span = caught.value.span
    assert text[span.start : span.end] == token
    for part in parts:
        assert part in str(caught.value)
    # LLVM's option parser writes on its own to stderr: that text belongs in the message.
    assert capfd.readouterr().err == ""
