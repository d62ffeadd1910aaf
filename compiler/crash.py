"""What a process that may crash is doing: its input, kept in a file until it has succeeded."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemm_ladder.compiler.observe import Watcher

VARIABLE = "LADDER_CRASH_FILE"
_PARSING = "Reproducer for parsing"


def crash_file() -> Path | None:
    """Where to keep inputs, if this process is one that may crash."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def keep_module(text: str, name: str) -> None:
    """Keep module ``text`` of file ``name``, which is about to be parsed."""
    keep_text(f"// {_PARSING} {name}\n{text}")


def keep_passes(watcher: Watcher) -> None:
    """Have ``watcher`` keep the input of each pass."""
    if watcher.reproducer is None:
        watcher.reproducer = crash_file()


def keep_text(text: str) -> None:
    """Keep ``text``, from which code is about to be generated."""
    path = crash_file()
    if path is not None:
        path.write_text(text, encoding="utf-8")


def what_crashed(path: Path) -> tuple[str, str]:
    """("in pass 'x'", "; again: ladder-opt ..."), as far as the kept input says."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return "before it read its input", ""
    found = re.match(r"// Reproducer for pass (.*)", text)
    again = re.search(r"^// Again: (.*)", text, re.MULTILINE)
    if found is not None:
        return f"in pass '{found[1]}'", f"; again: {again[1]}" if again else ""
    if text.startswith(f"// {_PARSING}"):
        return "while parsing", f"; again: ladder-opt --isolate {path}"
    return "while generating code", ""
