"""Twelve GEMM shapes of real models on an H200, each beside cuBLAS in the same process.

One pipeline, level 12's, with the options that compiler/tune/heuristic.py chooses for the shape. As
with h200_ladder.py the halves may run on two machines:

    python benchmarks/h200_shapes.py --compile-only DIR
    python benchmarks/h200_shapes.py --artifacts DIR --json h200-shapes.json

Ends with the geometric mean of the ratios and the worst of them.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from h200_compile import Problem, check_torch, compile_all

# M x N x K: rows are tokens, N and K a layer's features; weights are stored [N, K], as torch does.
SHAPES = {
    "llama-3-8b down": (4096, 4096, 14336),
    "llama-3-8b up": (4096, 14336, 4096),
    "llama-3-70b up": (8192, 28672, 8192),
    "llama-3-70b qkv, a shard of 8": (16384, 1280, 8192),
    "decode, 128 requests": (128, 8192, 8192),
    "decode, 64 requests": (64, 4096, 4096),
    "llama-2-13b attention": (2048, 5120, 5120),
    "short prompt": (512, 14336, 4096),
    "square 2048": (2048, 2048, 2048),
    "square 8192": (8192, 8192, 8192),
    "square 16384": (16384, 16384, 16384),
    "no multiple of a tile": (5000, 5000, 5000),
}


def main() -> int:
    """Compile, measure, or both; 1 if a shape is missing, wrong or below 0.9 of cuBLAS."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    half = parser.add_mutually_exclusive_group()
    half.add_argument("--compile-only", metavar="DIR", type=Path, help="compile into DIR, stop")
    half.add_argument("--artifacts", metavar="DIR", type=Path, help="measure what is in DIR")
    parser.add_argument("--count", type=int, default=30, help="launches of each (default 30)")
    parser.add_argument("--json", type=Path, help="write rows and conditions")
    args = parser.parse_args()
    folder: Path = args.compile_only or args.artifacts or Path("h200-shapes")
    if not args.compile_only:
        check_torch(parser)
    if args.artifacts is None:
        entries = compile_all(folder, _jobs())
        if args.compile_only:
            return int(any("error" in entry for entry in entries))
    from h200_measure import measure_folder

    found = measure_folder(folder, args.count, 0.0)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return _judge(found["rows"])


def _jobs() -> list[tuple[Problem, str, str]]:
    from gemm_ladder.compiler.tune.heuristic import pipeline

    return [(Problem(*shape), "level12", pipeline(*shape)) for shape in SHAPES.values()]


def _judge(rows: list[dict]) -> int:
    ours = [row for row in rows if row["label"] != "cublas"]
    ratios = [row["ratio"] for row in ours if "ratio" in row and not row.get("wrong")]
    if not ratios:
        print("nothing was measured")
        return 1
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(
        f"{len(ratios)} of {len(ours)} shapes: geometric mean {mean:.3f}x, worst {min(ratios):.3f}x"
    )
    return int(len(ratios) < len(ours) or min(ratios) < 0.9)


if __name__ == "__main__":
    raise SystemExit(main())
