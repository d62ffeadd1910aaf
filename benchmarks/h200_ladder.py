"""Every level of the Hopper ladder and cuBLAS on an H200, alternately in one process.

The two halves may run on different machines; the second needs the runtime, torch and a GPU only:

    python benchmarks/h200_ladder.py --compile-only DIR
    python benchmarks/h200_ladder.py --artifacts DIR --json h200-ladder.json

Prints a row a kernel: TFLOP/s, the ratio to cuBLAS, registers, shared memory, and the clock and the
power that the kernel settles at when it runs back to back.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from h200_compile import TARGET, check_torch, compile_all, parse_problem

PROBLEMS = "8192x8192x8192-nt,8192x8192x8192-nn,4096x4096x4096-nt,4096x4096x4096-nn"


def main() -> int:
    """Compile, measure, or both; 1 if a kernel is missing or wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    half = parser.add_mutually_exclusive_group()
    half.add_argument("--compile-only", metavar="DIR", type=Path, help="compile into DIR, stop")
    half.add_argument("--artifacts", metavar="DIR", type=Path, help="measure what is in DIR")
    parser.add_argument("--problems", default=PROBLEMS, help="MxNxK-LAYOUT[-f32], by commas")
    parser.add_argument("--levels", help="by commas (default: all of sm_90a)")
    parser.add_argument("--count", type=int, default=30, help="launches of each (default 30)")
    parser.add_argument("--sustain", type=float, default=0.5, help="seconds back to back (0: none)")
    parser.add_argument("--json", type=Path, help="write rows and conditions")
    args = parser.parse_args()
    folder: Path = args.compile_only or args.artifacts or Path("h200-ladder")
    if not args.compile_only:
        check_torch(parser)
    if args.artifacts is None:
        entries = compile_all(folder, _jobs(args.problems, args.levels))
        if args.compile_only:
            return int(any("error" in entry for entry in entries))
    from h200_measure import measure_folder

    found = measure_folder(folder, args.count, args.sustain)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return int(any("error" in row or row.get("wrong") for row in found["rows"]))


def _jobs(problems: str, levels: str | None) -> list[tuple]:
    from gemm_ladder.compiler.pipelines import levels as known

    names = levels.split(",") if levels else known(TARGET)
    return [(parse_problem(p), name, name) for p in problems.split(",") for name in names]


if __name__ == "__main__":
    raise SystemExit(main())
