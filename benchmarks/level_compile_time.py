"""Whole-process time of `ladder compile` for each level of a target, up to the binary and without.

The difference is ptxas's share for NVIDIA targets, the assembler's for AMD's. Medians of a few runs
with no cache; nothing is asserted.

    python benchmarks/level_compile_time.py --target sm_90a
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

INPUT = Path(__file__).parents[1] / "examples" / "helios.mlir"
# The formats of a binary and of what it is assembled from.
FORMATS = {"sm_": ("cubin", "ptx"), "gfx": ("hsaco", "s")}


def seconds(level: str, target: str, out: Path, runs: int) -> float:
    """Median of ``runs`` processes; SystemExit with the output of one that fails."""
    command = [sys.executable, "-m", "gemm_ladder.compiler.cli.main", "compile", str(INPUT)]
    command += ["--no-cache", "--target", target, f"--passes={level}", "-o", str(out)]
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        taken.append(time.perf_counter() - start)
        if done.returncode != 0:
            raise SystemExit(f"error: {' '.join(command)} failed:\n{done.stderr}")
    return median(taken)


def main() -> int:
    from gemm_ladder.compiler.pipelines import levels

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="sm_90a", help="default: sm_90a")
    parser.add_argument("--runs", type=int, default=3, help="of each (default 3)")
    args = parser.parse_args()
    binary, text = FORMATS[args.target[:3]]
    print(f"{'level':12} {text:>7} {binary:>7} {'difference':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for level in levels(args.target):
            without, whole = (
                seconds(level, args.target, Path(folder) / f"mm.{suffix}", args.runs)
                for suffix in (text, binary)
            )
            print(f"{level:12} {without:6.2f}s {whole:6.2f}s {whole - without:10.2f}s", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
