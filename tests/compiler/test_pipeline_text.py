"""Pipeline text: what parses, and where the caret stands when it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemm_ladder.compiler.pipeline_text import PipelineTextError, parse_pipeline


def _entries(text: str) -> list[tuple[str, dict[str, str]]]:
    return [(e.name, {o.name: o.value for o in e.options}) for e in parse_pipeline(text)]


def test_names_options_comments_and_newlines() -> None:
    text = "a, // first, {not} (parsed\n  b{x=1\n y = 2x2 } , // last\n c{}"
    assert _entries(text) == [("a", {}), ("b", {"x": "1", "y": "2x2"}), ("c", {})]


def test_upstream_text_reaches_to_a_top_level_comma() -> None:
    text = "mlir:gpu.module(canonicalize,cse{a=b c=d}),x,mlir:cse"
    found = parse_pipeline(text)
    assert [(e.name, e.upstream) for e in found] == [
        ("gpu.module(canonicalize,cse{a=b c=d})", True),
        ("x", False),
        ("cse", True),
    ]


def test_upstream_text_keeps_its_columns_over_lines_and_comments() -> None:
    text = "mlir:func.func( // why\n  nope)"
    (entry,) = parse_pipeline(text)
    assert text[entry.span.start + entry.name.index("nope") :].startswith("nope")


# (text, the token under the caret, a part of the message)
WRONG = [
    ("", "", "the pipeline is empty"),
    ("// nothing", "", "the pipeline is empty"),
    ("a,,b", ",", "expected the name of a pass"),
    ("a,", "", "found the end of the text"),
    ("a b", "b", "expected ','"),
    ("a{", "{", "never closed"),
    ("a{x}", "x", "option 'x' has no value"),
    ("a{x=}", "}", "expected a value"),
    ("a{x=1 x=2}", "x=2", "given twice"),
    ("a{x=1}}", "}", "expected ','"),
    ("a{=1}", "=", "expected the name of an option"),
    ("mlir:", "mlir:", "names no pass"),
    ("mlir:f(cse", "(", "never closed"),
    ("mlir:f(cse}", "}", "closes nothing"),
    ("mlir:cse)", ")", "closes nothing"),
    ("a,\nbuiltin.module(cse)", "builtin.module", "not how one of our passes"),
]


@pytest.mark.parametrize(("text", "token", "message"), WRONG)
def test_error_shows_the_whole_text_and_points_at_the_token(
    text: str, token: str, message: str
) -> None:
    with pytest.raises(PipelineTextError) as caught:
        parse_pipeline(text)
    shown = str(caught.value)
    assert message in shown.splitlines()[0]
    span = caught.value.span
    assert text[span.start : span.end] == token
    for line in text.split("\n"):
        assert f"  {line}" in shown.split("\n")
    caret = next(line for line in shown.split("\n") if line.lstrip().startswith("^"))
    above = shown.split("\n")[shown.split("\n").index(caret) - 1]
    assert above[caret.index("^") :].startswith(token.split("\n")[0])


@given(st.text(alphabet="ab{}()=,:mlir \n\t/1.é-", max_size=40))
def test_any_text_parses_or_is_refused_with_a_caret(text: str) -> None:
    try:
        parse_pipeline(text)
    except PipelineTextError as error:
        assert "^" in str(error)
        assert 0 <= error.span.start <= len(text)
