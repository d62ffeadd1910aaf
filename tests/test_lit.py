"""Runs the lit suite as one test, so that one pytest run covers everything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SUITE = Path(__file__).parents[1] / "lit_tests"


def test_lit_suite(tmp_path: Path) -> None:
    # Half the workers: pytest-xdist runs other tests meanwhile.
    workers = max(1, (os.cpu_count() or 2) // 2)
    command = [
        sys.executable,
        "-c",
        "from lit.main import main; main()",
        "-v",
        f"-j{workers}",
        str(SUITE),
    ]
    environment = {**os.environ, "LADDER_LIT_OUT": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr
    assert "Passed" in done.stdout, f"lit ran no test:\n{done.stdout}"
