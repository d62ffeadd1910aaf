"""The text of a pipeline: ``a,b{x=1 y=2x2},mlir:cse`` with spaces, newlines and ``//`` comments.

MLIR cannot parse the name of a pass written in Python, so this is our own small parser. It knows
no pass: names and options are looked up in resolve.py, before anything runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gemm_ladder.compiler.errors import UsageError

UPSTREAM = "mlir:"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_VALUE = re.compile(r"[^\s{}=,()]+")
_CLOSES = {"(": ")", "{": "}"}


@dataclass(frozen=True)
class Span:
    """A part of a pipeline text, as offsets [start, end)."""

    start: int
    end: int


@dataclass(frozen=True)
class OptionText:
    """One ``name=value`` of an entry."""

    name: str
    value: str
    span: Span


@dataclass(frozen=True)
class Entry:
    """One element of a pipeline: one of our names with options, or upstream text after `mlir:`.

    ``span`` covers the name, for carets; for an upstream entry the text after `mlir:`.
    """

    name: str
    span: Span
    upstream: bool = False
    options: tuple[OptionText, ...] = field(default_factory=tuple)


class PipelineTextError(UsageError):
    """A pipeline text is wrong: shows the whole text with a caret under the token at fault."""

    def __init__(self, text: str, span: Span, message: str, hint: str = "") -> None:
        self.span = span
        parts = [f"error: {message}", *_underline(text, span)]
        super().__init__("\n".join(parts + ([hint] if hint else [])))


def _underline(text: str, span: Span) -> list[str]:
    """``text``, indented, with ``^~~~`` below the line that holds the start of ``span``."""
    lines, begin = [], 0
    for line in text.split("\n"):
        end = begin + len(line)
        lines.append(f"  {line}")
        if begin <= span.start <= end:
            width = max(1, min(span.end, end) - span.start)
            # Keep tabs, so that the caret stands where the terminal puts the token.
            lead = re.sub(r"[^\t]", " ", line[: span.start - begin])
            lines.append(f"  {lead}^{'~' * (width - 1)}")
        begin = end + 1
    return lines


def parse_pipeline(text: str) -> list[Entry]:
    """The entries of ``text``; raises PipelineTextError at the first token that does not fit."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self.original = text
        # Comments become spaces, so that every offset stays that of the original.
        self.text = re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), text)
        self.at = 0

    def parse(self) -> list[Entry]:
        self._skip()
        if self.at == len(self.text):
            raise self._error("the pipeline is empty", Span(0, 0))
        entries = [self._entry()]
        self._skip()
        while self.at < len(self.text):
            if self.text[self.at] != ",":
                raise self._error(f"expected ',' before {self._token()}")
            self.at += 1
            entries.append(self._entry())
            self._skip()
        return entries

    def _entry(self) -> Entry:
        self._skip()
        if self.text.startswith(UPSTREAM, self.at):
            return self._upstream()
        found = _NAME.match(self.text, self.at)
        if found is None:
            raise self._error(f"expected the name of a pass or a level, found {self._token()}")
        self.at = found.end()
        options = self._options() if self._peek() == "{" else ()
        if self._peek() == "(":
            hint = f"an upstream MLIR pipeline is written {UPSTREAM}{found[0]}(...)"
            if found[0] == "builtin.module":
                hint = f"write what is inside it, upstream passes as {UPSTREAM}NAME"
            span = Span(found.start(), self.at)
            raise self._error(f"'{found[0]}(' is not how one of our passes is written", span, hint)
        return Entry(found[0], Span(*found.span()), options=options)

    def _options(self) -> tuple[OptionText, ...]:
        opening = self.at
        self.at += 1
        options: dict[str, OptionText] = {}
        while self._peek() != "}":
            if self.at == len(self.text):
                raise self._error("this '{' is never closed", Span(opening, opening + 1))
            made = self._option()
            if made.name in options:
                raise self._error(f"option '{made.name}' is given twice", made.span)
            options[made.name] = made
        self.at += 1
        return tuple(options.values())

    def _option(self) -> OptionText:
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise self._error(f"expected the name of an option, found {self._token()}")
        self.at = name.end()
        if self._peek() != "=":
            span = Span(*name.span())
            raise self._error(f"option '{name[0]}' has no value", span, "write name=value")
        self.at += 1
        self._skip()
        value = _VALUE.match(self.text, self.at)
        if value is None:
            raise self._error(f"expected a value for option '{name[0]}', found {self._token()}")
        self.at = value.end()
        return OptionText(name[0], value[0], Span(name.start(), value.end()))

    def _upstream(self) -> Entry:
        self.at += len(UPSTREAM)
        start = self.at
        open_: list[int] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "," and not open_:
                break
            if char in _CLOSES:
                open_.append(self.at)
            elif char in _CLOSES.values() and (
                not open_ or _CLOSES[self.text[open_.pop()]] != char
            ):
                raise self._error(f"this '{char}' closes nothing", Span(self.at, self.at + 1))
            self.at += 1
        if open_:
            char = self.text[open_[-1]]
            raise self._error(f"this '{char}' is never closed", Span(open_[-1], open_[-1] + 1))
        raw = self.text[start : self.at].rstrip()
        if not raw.strip():
            raise self._error("'mlir:' names no pass", Span(start - len(UPSTREAM), start))
        return Entry(re.sub(r"\s", " ", raw), Span(start, start + len(raw)), upstream=True)

    def _skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _peek(self) -> str:
        self._skip()
        return self.text[self.at] if self.at < len(self.text) else ""

    def _token(self) -> str:
        found = re.match(r"[\w.:-]+|\S", self.text[self.at :])
        return f"'{found[0]}'" if found else "the end of the text"

    def _error(self, message: str, span: Span | None = None, hint: str = "") -> PipelineTextError:
        if span is None:
            length = len(self._token()) - 2 if self.at < len(self.text) else 1
            span = Span(self.at, self.at + length)
        return PipelineTextError(self.original, span, message, hint)
