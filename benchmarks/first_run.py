"""Time of the README's first job: compile a matmul at level 1, simulate it, check the result.

The first run after an installation compiles Python's byte code; the second is what a user waits
for every day. Prints both; nothing is asserted.

    python benchmarks/first_run.py
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

REPO = Path(__file__).parents[1]
JOB = ["run", "examples/matmul.mlir", "--passes=level1", "--device", "sim"]


def main() -> int:
    command = [sys.executable, "-m", "gemm_ladder.compiler.cli.main", *JOB]
    for label in ("first run", "second run"):
        start = time.perf_counter()
        done = subprocess.run(command, cwd=REPO, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if done.returncode != 0:
            raise SystemExit(f"error: the job failed:\n{done.stdout}{done.stderr}")
        print(f"{label}: {seconds:.2f} s")
    print(done.stdout, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
