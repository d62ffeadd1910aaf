"""Files that reproduce a failure: the IR before a pass, the pass, and what was seen."""

from __future__ import annotations

from pathlib import Path

from gemm_ladder.compiler.errors import InputError
from gemm_ladder.compiler.resolve import Step


def write_reproducer(path: Path, step: Step, before: str, why: str, command: str = "") -> None:
    """Write ``before`` to ``path`` with comments in front: the pass, ``why``, and how to repeat.

    ``command`` defaults to ladder-opt with the pass. Raises InputError if it cannot be written.
    """
    again = command or f"ladder-opt --passes='{step.text}' {path}"
    lines = [f"Reproducer for pass {step.text}", *why.splitlines(), f"Again: {again}"]
    comment = "".join(f"// {line}".rstrip() + "\n" for line in lines)
    write_file(path, f"{comment}{before}")


def write_file(path: Path, text: str) -> None:
    """Write ``text``; InputError in one line if that fails."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: error: cannot write: {error.strerror}") from None
