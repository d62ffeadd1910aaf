"""Whole-process time of `ladder compile` for each level of a target, up to the binary and without.

The difference is ptxas's share for NVIDIA targets, the assembler's for AMD's. Medians of a few runs
with no cache; nothing is asserted.

    python benchmarks/level_compile_time.py --target sm_90a
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median

from compile_time import measure

INPUT = Path(__file__).parents[1] / "examples" / "helios.mlir"


def seconds(level: str, target: str, out: Path, runs: int) -> float:
    """Median of ``runs`` processes; SystemExit with the output of one that fails."""
    command = [sys.executable, "-m", "gemm_ladder.compiler.cli.main", "compile", str(INPUT)]
    command += ["--no-cache", "--target", target, f"--passes={level}", "-o", str(out)]
    return median(measure(command) for _ in range(runs))


def main() -> int:
    from gemm_ladder.compiler.pipelines import levels
    from gemm_ladder.compiler.stages import stages_of
    from gemm_ladder.compiler.targets import find_target

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="sm_90a", help="default: sm_90a")
    parser.add_argument("--runs", type=int, default=3, help="of each (default 3)")
    args = parser.parse_args()
    text, binary = stages_of(find_target(args.target).backend)[-2:]
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
