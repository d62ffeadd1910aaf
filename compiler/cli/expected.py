"""`--verify-diagnostics`: what a module's comments say must be reported, and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SEVERITIES = "error|warning|remark|note"
_EXPECTED = re.compile(
    rf"expected-({_SEVERITIES})(?:@([+-]\d+|above|below|unknown))?\s*\{{\{{(.*?)\}}\}}"
)
_SEEN = re.compile(rf"(?:.*:(\d+):\d+: |(?!(?:{_SEVERITIES}): )[^:]+: )?({_SEVERITIES}): (.*)")


@dataclass(frozen=True)
class Expected:
    """A diagnostic: its line (0: no location), severity and a part of its text."""

    line: int
    severity: str
    text: str


def expectations(source: str) -> list[Expected]:
    """Every `expected-error@+1 {{text}}` comment of ``source``, with the line that it is about.

    `@above` is the line before, `@below` the one after, `@unknown` a diagnostic without a place.
    """
    found = []
    for number, line in enumerate(source.splitlines(), start=1):
        if "//" not in line:
            continue
        for severity, offset, text in _EXPECTED.findall(line.partition("//")[2]):
            steps = {"": 0, "above": -1, "below": 1, "unknown": -number}
            at = number + (steps[offset] if offset in steps else int(offset))
            found.append(Expected(at, severity, text))
    return found


def check_diagnostics(source: str, name: str, reported: list[str]) -> list[str]:
    """Complaints, as diagnostics in file ``name``: expected and not seen, or seen and not expected.

    ``reported`` are lines of text. Notes that nobody expects are no complaint.
    """
    pending, complaints = expectations(source), []
    for line in (part for text in reported for part in text.splitlines()):
        match = _SEEN.fullmatch(line)
        if match is None:
            continue
        number, severity, message = match.groups()
        at = int(number or 0)
        hit = next(
            (e for e in pending if (e.line, e.severity) == (at, severity) and e.text in message),
            None,
        )
        if hit is not None:
            pending.remove(hit)
        elif severity != "note":
            place = f"{name}:{at}:1: " if at else ""
            complaints.append(f"{place}error: unexpected {severity}: {message}")
    for left in pending:
        place = f"{name}:{left.line}:1" if left.line else name
        said = f'expected {left.severity} "{left.text}" was not produced'
        complaints += [f"{place}: error: {said}"]
    return complaints
