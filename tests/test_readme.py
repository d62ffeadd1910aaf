"""README and guide are true: each command in them is run and prints what stands there.

``python tests/test_readme.py [PAGE ...]`` writes the outputs anew, of all pages or the named ones.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from gemm_ladder.compiler.cli import main as ladder_main
from gemm_ladder.compiler.cli import opt

REPO = Path(__file__).parents[1]
BLOCK = re.compile(r"```console\n\$ (.*)\n((?:.*\n)*?)```\n")


def _python(arguments: list[str]) -> int:
    """`python benchmarks/NAME.py ARGUMENTS` within this process."""
    script = REPO / arguments[0]
    if str(script.parent) not in sys.path:
        sys.path.insert(0, str(script.parent))
    return int(importlib.import_module(script.stem).main(arguments[1:]))


COMMANDS = {"ladder": ladder_main.main, "ladder-opt": opt.main, "python": _python}

PAGES = (REPO / "README.md", *sorted((REPO / "docs").rglob("*.md")))


def _blocks(pages: tuple[Path, ...] = PAGES) -> list[tuple[str, str]]:
    found = [block for page in pages for block in BLOCK.findall(page.read_text(encoding="utf-8"))]
    return list(dict.fromkeys(found))


def _run(command: str, folder: Path) -> str:
    """What ``command`` prints, run in ``folder`` with the examples at hand."""
    program, *arguments = shlex.split(command)
    if not (folder / "examples").exists():
        (folder / "examples").symlink_to(REPO / "examples")
    out = io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out):
            code = COMMANDS[program](arguments)
    finally:
        os.chdir(before)
    assert code == 0, f"{command}\n{out.getvalue()}"
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _still(text: str) -> str:
    """``text`` without times, whose width moves the columns of a table."""
    return re.sub(r"[ ]+", " ", re.sub(r"\b[\d.]+ (ns|us|ms|s)\b", "TIME", text))


@pytest.mark.parametrize("block", _blocks(), ids=lambda b: b[0])
def test_command(block: tuple[str, str], tmp_path: Path) -> None:
    command, shown = block
    assert _still(_run(command, tmp_path)) == _still(shown)


def test_tour_has_four_commands() -> None:
    assert len(_blocks(PAGES[:1])) == 4


if __name__ == "__main__":
    import tempfile

    for path in [Path(name) for name in sys.argv[1:]] or PAGES:
        with tempfile.TemporaryDirectory() as name:
            text = path.read_text(encoding="utf-8")
            written = BLOCK.sub(
                lambda m, name=name: f"```console\n$ {m[1]}\n{_run(m[1], Path(name))}```\n", text
            )
        path.write_text(written, encoding="utf-8")
