"""Whole-process compile time of `ladder compile` against `iree-compile`, same matmul, gfx1250.

Both start from the same file and end with device code on disk; runs alternate, so that whatever
else the machine does meets both. Prints a table of medians and their ratio; --json OUT writes the
samples too.

    python benchmarks/compile_time.py --runs 7 --json compile-time.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

INPUT = Path(__file__).parents[1] / "examples" / "matmul.mlir"
TARGET = "gfx1250"


def find_iree() -> str | None:
    """The path of iree-compile, of this environment or on PATH."""
    return shutil.which("iree-compile", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")


def commands(source: Path, level: str, folder: Path) -> dict[str, list[str]]:
    """The two command lines; SystemExit if iree-compile is not installed."""
    iree = find_iree()
    if iree is None:
        raise SystemExit("error: iree-compile (package iree-base-compiler) is not installed")
    ladder = [sys.executable, "-m", "gemm_ladder.compiler.cli.main", "compile", str(source)]
    return {
        "ladder": [
            *ladder,
            "--no-cache",
            f"--passes={level}",
            "--target",
            TARGET,
            "-o",
            f"{folder}/mm.hsaco",
        ],
        "iree-compile": [
            iree,
            "--iree-hal-target-backends=rocm",
            f"--iree-rocm-target={TARGET}",
            str(source),
            "-o",
            f"{folder}/mm.vmfb",
        ],
    }


def measure(command: list[str]) -> float:
    """Seconds of one run; SystemExit with its output if it fails."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(command)} failed:\n{done.stderr}")
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", type=Path, default=INPUT, help="default: examples/matmul.mlir")
    parser.add_argument("--level", default="level1", help="default: level1")
    parser.add_argument("--runs", type=int, default=5, help="of each, after one warm-up")
    parser.add_argument("--json", type=Path, help="write the samples here")
    args = parser.parse_args()
    samples: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        both = commands(args.input, args.level, Path(folder))
        for run in range(args.runs + 1):
            for name, command in both.items():
                seconds = measure(command)
                if run:  # the first fills the file cache
                    samples.setdefault(name, []).append(seconds)
    medians = {name: median(values) for name, values in samples.items()}
    ratio = medians["ladder"] / medians["iree-compile"]
    print(f"{'compiler':14} {'median':>8} {'fastest':>8} {'slowest':>8}")
    for name, values in samples.items():
        print(f"{name:14} {medians[name]:7.2f}s {min(values):7.2f}s {max(values):7.2f}s")
    print(f"ladder / iree-compile: {ratio:.2f}")
    if args.json:
        record = {
            "input": args.input.name,
            "level": args.level,
            "target": TARGET,
            "seconds": samples,
            "ratio_of_medians": ratio,
            "iree": version("iree-base-compiler"),
            "python": platform.python_version(),
            "cpus": os.cpu_count(),
        }
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
