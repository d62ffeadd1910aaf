"""Names and options: looked up before anything runs, with the nearest known one in the error."""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.pipeline_text import PipelineTextError
from gemm_ladder.compiler.pipelines import LADDERS, Row, expand, levels, pass_name
from gemm_ladder.compiler.resolve import pipeline_text, resolve
from gemm_ladder.compiler.targets import target_names


def test_every_target_has_a_ladder() -> None:
    assert sorted(LADDERS) == target_names()


@pytest.mark.parametrize("target", LADDERS)
def test_every_level_resolves_and_round_trips(target: str) -> None:
    for name in levels(target):
        steps = resolve(name, target)
        assert resolve(pipeline_text(steps)) == steps
        assert [step.text for step in steps] == list(expand(name, target))


@pytest.mark.parametrize("target", LADDERS)
def test_a_row_changes_only_what_its_base_has(target: str) -> None:
    for name, row in LADDERS[target].items():
        below = [pass_name(text) for text in (expand(row.base, target) if row.base else ())]
        assert {pass_name(text) for text in row.replace} | set(row.drop) <= set(below), name
        added = [pass_name(text) for text in row.add]
        assert not {*added} & {*below} and len({*added}) == len(added), name
        assert row.technique


def test_a_level_of_another_target_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LADDERS["sm_90a"], "level1-own", Row("of one target", "level1"))
    with pytest.raises(PipelineTextError, match="gfx1250 has no level 'level1-own', only sm_90a"):
        resolve("level1-own", "gfx1250")


def test_level_and_passes_mix() -> None:
    names = [step.name for step in resolve("level1,\n verify-tile // check\n, mlir:cse")]
    assert names == [*(step.name for step in resolve("level1")), "verify-tile", "mlir:cse"]


# (text, token under the caret, parts of the message)
WRONG = [
    ("level99", "level99", ["did you mean 'level9'?", "levels of gfx1250: level0, level1"]),
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
