"""From pipeline text to steps that can run: every name and option is looked up first."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gemm_ladder.compiler.errors import closest
from gemm_ladder.compiler.pipeline_text import (
    UPSTREAM,
    Entry,
    PipelineTextError,
    Span,
    parse_pipeline,
)
from gemm_ladder.compiler.pipelines import LADDERS, expand, levels
from gemm_ladder.compiler.targets import FALLBACK
from gemm_ladder.passes.base import Pass
from gemm_ladder.passes.options import OptionError, option_infos, parse_options
from gemm_ladder.passes.registry import pass_class, pass_names


@dataclass(frozen=True)
class Step:
    """One pass to run: ours (``pass_``) or an upstream pipeline (``upstream``, its text).

    ``name`` is what --print-ir-after takes; ``text`` the entry with its options as written; a
    ``quiet`` step is not warned about when it changes nothing.
    """

    name: str
    text: str
    pass_: Pass | None = None
    upstream: str = ""
    quiet: bool = False


def resolve(text: str, target: str = FALLBACK) -> list[Step]:
    """The steps of pipeline ``text``, levels being those of ``target``; raises PipelineTextError.

    ``target`` is the name of a target (targets.find_target checks one that a user gave).
    """
    steps: list[Step] = []
    for entry in parse_pipeline(text):
        steps.extend(_resolve_entry(text, entry, target))
    return steps


def upstream_step(pipeline: str, quiet: bool = False) -> Step:
    """A step for upstream text that is known to parse."""
    return Step(upstream_name(pipeline), UPSTREAM + pipeline, upstream=pipeline, quiet=quiet)


def upstream_name(pipeline: str) -> str:
    """The name that stands for upstream text: ``mlir:`` and its passes without options."""
    bare = re.sub(r"\{[^{}]*\}", "", pipeline)
    return UPSTREAM + re.sub(r"\s", "", bare)


def pipeline_text(steps: list[Step]) -> str:
    """The text of ``steps``, which resolve() turns into the same steps."""
    return ",".join(step.text for step in steps)


def _resolve_entry(text: str, entry: Entry, target: str) -> list[Step]:
    if entry.upstream:
        _check_upstream(text, entry)
        return [upstream_step(entry.name)]
    if entry.name in levels(target):
        texts = expand(entry.name, target)
        if entry.options:
            message = f"'{entry.name}' is a level and takes no options"
            hint = f"its passes: {', '.join(texts)}"
            raise PipelineTextError(text, entry.options[0].span, message, hint)
        return [step for part in texts for step in resolve(part)]
    if entry.name not in pass_names():
        raise _unknown(text, entry, target)
    return [_own_step(text, entry)]


def _unknown(text: str, entry: Entry, target: str) -> PipelineTextError:
    known = pass_names() + levels(target)
    elsewhere = [name for name in LADDERS if entry.name in levels(name)]
    guess = closest(entry.name, known)
    if not guess and _upstream_error(entry.name) is None:
        guess = f"; did you mean '{UPSTREAM}{entry.name}', the upstream pass?"
    message = f"unknown pass or level '{entry.name}'{guess}"
    if elsewhere:
        message = f"{target} has no level '{entry.name}', only {', '.join(elsewhere)}"
    passes = f"passes: {', '.join(pass_names())}"
    hint = f"{passes}\nlevels of {target}: {', '.join(levels(target))}"
    return PipelineTextError(text, entry.span, message, hint)


def _own_step(text: str, entry: Entry) -> Step:
    cls = pass_class(entry.name)
    given = {o.name: o.value for o in entry.options}
    try:
        made: Pass = parse_options(cls, given)
    except OptionError as error:
        span = next((o.span for o in entry.options if o.name == error.option), entry.span)
        known = [info.name for info in option_infos(cls)]
        guess = "" if error.option in known else closest(error.option, known)
        raise PipelineTextError(text, span, f"{entry.name}: {error}{guess}") from None
    options = " ".join(f"{name}={value}" for name, value in given.items())
    written = f"{entry.name}{{{options}}}" if options else entry.name
    return Step(entry.name, written, pass_=made)


def _upstream_error(pipeline: str) -> str | None:
    """MLIR's own complaint about an upstream pipeline, or None if it parses."""
    from mlir import ir
    from mlir.passmanager import PassManager

    from gemm_ladder.compiler.session import captured_stderr

    with captured_stderr() as noise:
        try:
            PassManager.parse(f"builtin.module({pipeline})", context=ir.Context())
        except ValueError as error:
            return f"{noise()}{error}"
    return None


def _check_upstream(text: str, entry: Entry) -> None:
    complaint = _upstream_error(entry.name)
    if complaint is None:
        return
    place = re.search(r"Parser:1:(\d+): error: (.*)", complaint)
    added = re.search(r"failed to add `([^`]+)` with options", complaint)
    if place is not None:
        start = entry.span.start + int(place[1]) - 1
        token = re.match(r"[\w.-]+", text[start:])
        span = Span(start, start + (len(token[0]) if token else 1))
        raise PipelineTextError(text, span, place[2])
    lines = [line for line in complaint.splitlines() if line.strip()]
    start = text.find(added[1], entry.span.start) if added else entry.span.start
    span = Span(start, start + len(added[1])) if added else entry.span
    reason = re.sub(r"^<[^>]*>: |^: for the --\S+ option: ", "", lines[0])
    raise PipelineTextError(text, span, f"{added[1] if added else 'mlir'}: {reason}")
