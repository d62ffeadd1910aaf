"""Runs the lit suite, so that one pytest run covers everything."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

SUITE = Path(__file__).parents[1] / "lit_tests"
FOLDERS = sorted({path.parent.name for path in SUITE.glob("*/*.mlir")})


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The socket of a process that runs the commands, each in a fork with everything imported."""
    with tempfile.TemporaryDirectory() as name:
        path = f"{name}/socket"
        command = [sys.executable, str(SUITE / "warm.py"), path]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield path
            process.kill()


@pytest.mark.parametrize("folder", FOLDERS)
def test_lit_suite(folder: str, tmp_path: Path, server: str) -> None:
    """A folder at a time, so that the workers of pytest-xdist share them."""
    command = [sys.executable, "-c", "from lit.main import main; main()", "-v", "-j1"]
    environment = {**os.environ, "LADDER_LIT_OUT": str(tmp_path), "LADDER_LIT_SERVER": server}
    done = subprocess.run(
        [*command, str(SUITE / folder)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr
    assert "Passed" in done.stdout, f"lit ran no test:\n{done.stdout}"
