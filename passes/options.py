"""Options of a pass: typed dataclass fields that parse, print and check themselves.

A pass is a frozen dataclass whose fields are its options, so the text form
``multi-buffer{stages=3}``, the help of ``ladder passes`` and the range checks come from one place.
"""

from __future__ import annotations

import dataclasses
import typing
from typing import Any


class OptionError(ValueError):
    """An option's text does not parse or its value is out of range.

    ``option`` is the option's name as written in a pipeline; the message states value and limits.
    """

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


def option(
    default: Any,
    *,
    help: str,
    minimum: int | None = None,
    dims: int | None = None,
    choices: tuple[str, ...] | None = None,
) -> Any:
    """Declare a pass option as a dataclass field.

    ``default`` fixes the value used when the option is absent; ``minimum`` bounds an int, or every
    extent of a tuple; ``dims`` is the number of extents of a tuple option, written ``2x2``;
    ``choices`` lists the legal strings.
    """
    metadata = {"help": help, "minimum": minimum, "dims": dims, "choices": choices}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class OptionInfo:
    """One option as ``ladder passes`` shows it: name, kind, default (as text), limits and help."""

    name: str
    kind: str
    default: str
    allowed: str
    help: str


def _kinds(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {f.name: hints[f.name] for f in dataclasses.fields(cls)}


def _base(hint: Any) -> Any:
    """The type of a value that is present: ``int`` for both ``int`` and ``int | None``."""
    members = [a for a in typing.get_args(hint) if a is not type(None)]
    if typing.get_origin(hint) is tuple or not members:
        return hint
    return members[0]


def _allowed(field: dataclasses.Field[Any], hint: Any) -> str:
    base, meta = _base(hint), field.metadata
    if meta["choices"]:
        return "one of " + ", ".join(meta["choices"])
    if base is bool:
        return "true or false"
    low = "" if meta["minimum"] is None else f" of at least {meta['minimum']}"
    if typing.get_origin(base) is tuple:
        return f"{meta['dims']} integers{low} joined by 'x'"
    return f"an integer{low}"


def option_infos(cls: type) -> list[OptionInfo]:
    """Every option of pass class ``cls``, in declaration order."""
    infos = []
    kinds = _kinds(cls)
    for field in dataclasses.fields(cls):
        base = _base(kinds[field.name])
        kind = "tuple" if typing.get_origin(base) is tuple else base.__name__
        text = format_value(field.default)
        allowed = _allowed(field, kinds[field.name])
        infos.append(OptionInfo(field.name, kind, text, allowed, field.metadata["help"]))
    return infos


def format_value(value: Any) -> str:
    """The pipeline-text form of an option's value (``2x2``, ``true``, ``auto`` for None)."""
    if value is None:
        return "auto"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "x".join(str(v) for v in value)
    return str(value)


def parse_options(cls: type, texts: dict[str, str]) -> Any:
    """Build pass ``cls`` from option texts; raises OptionError naming the option and its limits."""
    fields = {f.name: f for f in dataclasses.fields(cls)}
    kinds = _kinds(cls)
    values = {}
    for name, text in texts.items():
        if name not in fields:
            known = ", ".join(sorted(fields)) or "none"
            raise OptionError(name, f"unknown option '{name}' (known options: {known})")
        values[name] = _parse_value(fields[name], kinds[name], text)
    return cls(**values)


def _parse_value(field: dataclasses.Field[Any], hint: Any, text: str) -> Any:
    base, meta = _base(hint), field.metadata
    wrong = OptionError(
        field.name, f"option '{field.name}' is '{text}'; allowed: {_allowed(field, hint)}"
    )
    if text == "auto" and field.default is None:
        return None
    if meta["choices"]:
        if text not in meta["choices"]:
            raise wrong
        return text
    if base is bool:
        if text not in ("true", "false"):
            raise wrong
        return text == "true"
    parts = text.split("x") if typing.get_origin(base) is tuple else [text]
    if len(parts) != (meta["dims"] or 1) or not all(_is_int(p) for p in parts):
        raise wrong
    numbers = tuple(int(p) for p in parts)
    if meta["minimum"] is not None and any(n < meta["minimum"] for n in numbers):
        raise wrong
    return numbers if typing.get_origin(base) is tuple else numbers[0]


def _is_int(text: str) -> bool:
    digits = text[1:] if text.startswith("-") else text
    return digits.isascii() and digits.isdigit() and len(digits) <= 9
