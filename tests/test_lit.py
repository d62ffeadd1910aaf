"""Runs the lit suite, so that one pytest run covers everything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = Path(__file__).parents[1] / "lit_tests"
FOLDERS = sorted({path.parent.name for path in SUITE.glob("*/*.mlir")})


@pytest.mark.parametrize("folder", FOLDERS)
def test_lit_suite(folder: str, tmp_path: Path) -> None:
    """A folder at a time, so that the workers of pytest-xdist share them."""
    command = [sys.executable, "-c", "from lit.main import main; main()", "-v", "-j1"]
    environment = {**os.environ, "LADDER_LIT_OUT": str(tmp_path)}
    done = subprocess.run(
        [*command, str(SUITE / folder)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr
    assert "Passed" in done.stdout, f"lit ran no test:\n{done.stdout}"
