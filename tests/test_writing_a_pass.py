"""docs/writing-a-pass.md is true: its pass, in both versions, does what the page shows.

``python tests/test_writing_a_pass.py`` writes the outputs anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path

from gemm_ladder.compiler.cli import main as ladder_main
from gemm_ladder.passes import registry

REPO = Path(__file__).parents[1]
PAGE = REPO / "docs" / "writing-a-pass.md"
BLOCK = re.compile(r"```(python|text)\n(.*?)```\n", re.DOTALL)
MODULE = "gemm_ladder.passes.early_arrive"


@contextlib.contextmanager
def the_pass() -> Iterator[types.ModuleType]:
    """A module for the page's pass, known to the registry."""
    module = types.ModuleType(MODULE)
    sys.modules[MODULE] = module
    registry._PASSES["early-arrive"] = "EarlyArrive"
    try:
        yield module
    finally:
        del sys.modules[MODULE], registry._PASSES["early-arrive"]


def run(command: str, folder: Path) -> str:
    """What ``command`` prints on both streams, run in ``folder`` with the examples at hand."""
    program, *arguments = shlex.split(command)
    assert program == "ladder"
    out = io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            ladder_main.main(arguments)
    finally:
        os.chdir(before)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def written(text: str) -> str:
    """The page with every command's output as it is now."""
    with the_pass() as module, tempfile.TemporaryDirectory() as name:
        (Path(name) / "examples").symlink_to(REPO / "examples")

        def block(match: re.Match[str]) -> str:
            kind, body = match.groups()
            if kind == "python":
                exec(compile(body, "early_arrive.py", "exec"), module.__dict__)
                return match[0]
            command = body.splitlines()[0].removeprefix("$ ")
            return f"```text\n$ {command}\n{run(command, Path(name))}```\n"

        return BLOCK.sub(block, text)


def still(text: str) -> str:
    """``text`` without times, whose width moves the columns of a table."""
    return re.sub(r"[ ]+", " ", re.sub(r"\b[\d.]+ (ns|us|ms|s)\b", "TIME", text))


def test_the_page_shows_what_happens() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert still(written(text)) == still(text)


def test_the_first_version_is_caught_and_the_second_is_not() -> None:
    outputs = [body for kind, body in BLOCK.findall(PAGE.read_text("utf-8")) if kind == "text"]
    _, caught, *right = outputs
    assert "error: the kernel is wrong after pass 'early-arrive'" in caught
    assert "write before all readers are done" in caught
    assert "use before arrival" in caught
    assert len(right) == 3
    assert all(body.rstrip().endswith(" ok") for body in right)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
