"""The README is true: each command of its tour is run and printed as it stands there.

``python tests/test_readme.py`` writes the outputs anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from pathlib import Path

import pytest

from gemm_ladder.compiler.cli import main as ladder_main
from gemm_ladder.compiler.cli import opt

REPO = Path(__file__).parents[1]
BLOCK = re.compile(r"```console\n\$ (.*)\n((?:.*\n)*?)```\n")
COMMANDS = {"ladder": ladder_main.main, "ladder-opt": opt.main}


def _blocks() -> list[tuple[str, str]]:
    return BLOCK.findall((REPO / "README.md").read_text(encoding="utf-8"))


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
    assert code == 0, command
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _still(text: str) -> str:
    """``text`` without times, whose width moves the columns of a table."""
    return re.sub(r"[ ]+", " ", re.sub(r"\b[\d.]+ (ns|us|ms|s)\b", "TIME", text))


@pytest.mark.parametrize("block", _blocks(), ids=lambda b: b[0])
def test_tour(block: tuple[str, str], tmp_path: Path) -> None:
    command, shown = block
    assert _still(_run(command, tmp_path)) == _still(shown)


def test_tour_has_four_commands() -> None:
    assert len(_blocks()) == 4


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        path = REPO / "README.md"
        text = path.read_text(encoding="utf-8")
        path.write_text(
            BLOCK.sub(lambda m: f"```console\n$ {m[1]}\n{_run(m[1], Path(name))}```\n", text),
            encoding="utf-8",
        )
