"""The last measured run on an H200, as a table: all levels, or one beside cuBLAS.

    python benchmarks/h200_table.py             # conditions and every level
    python benchmarks/h200_table.py level7      # one level
    python benchmarks/h200_table.py shapes      # twelve shapes of models

Reads benchmarks/results/h200-ladder.json and h200-shapes.json, which h200_ladder.py --json and
h200_shapes.py --json wrote on the GPU machine.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

RESULTS = Path(__file__).parent / "results" / "h200-ladder.json"
SHAPES = RESULTS.with_name("h200-shapes.json")
HEADER = ("problem", "kernel", "TFLOP/s", "cuBLAS", "registers", "shared", "clock", "power")


def cells(row: dict[str, Any]) -> list[str]:
    """A row of the table; problems read MxNxK-layout-out."""
    p = row["problem"]
    name = f"{p['m']}x{p['n']}x{p['k']}-{p['layout']}-{p['out']}"
    if "tflops" not in row:
        return [name, row["label"], "-", "-", "-", "-", "-", "-"]
    kernel = [str(row["registers"]), f"{row['shared']:,} B"] if "registers" in row else ["-", "-"]
    clock, power = row.get("clock_mhz"), row.get("power_w")
    return [
        name, row["label"], f"{row['tflops']:.1f}", f"{row['ratio']:.3f}x", *kernel,
        f"{clock:.0f} MHz" if clock else "-", f"{power:.0f} W" if power else "-",
    ]  # fmt: skip


def print_table(rows: list[dict[str, Any]]) -> None:
    """``rows`` under the header, numbers right-aligned."""
    table = [list(HEADER), *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for first, second, *numbers in table:
        right = (text.rjust(width) for text, width in zip(numbers, widths[2:], strict=True))
        print("  ".join([first.ljust(widths[0]), second.ljust(widths[1]), *right]))


def print_conditions(found: dict[str, Any]) -> None:
    """What the run was made on, and how."""
    for key in ("device", "nvidia-smi", "torch", "time", "data", "flush", "count"):
        value = found.get(key)
        if value:
            print(f"{key}: {', '.join(value) if isinstance(value, list) else value}")
    print()


def print_shapes() -> int:
    """The twelve shapes, and the geometric mean of their ratios; 1 if there are none."""
    rows = json.loads(SHAPES.read_text(encoding="utf-8"))["rows"]
    ratios = [row["ratio"] for row in rows if row["label"] != "cublas" and "ratio" in row]
    print_table(rows)
    if ratios:
        print(f"\ngeometric mean {geometric_mean(ratios):.3f}x, worst {min(ratios):.3f}x")
    return int(not ratios)


def main(argv: Sequence[str] | None = None) -> int:
    """1 if the level was not measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("level", nargs="?", help="or shapes; default: all, with conditions")
    args = parser.parse_args(argv)
    if args.level == "shapes":
        return print_shapes()
    if not RESULTS.is_file():
        raise SystemExit(f"error: no run was recorded: {RESULTS.name} is missing")
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = found["rows"]
    if args.level is None:
        print_conditions(found["conditions"])
        print_table(rows)
        return 0
    rows = [row for row in rows if row["label"] in (args.level, "cublas")]
    if not any(row["label"] == args.level for row in rows):
        raise SystemExit(f"error: {args.level} was not measured in the last run")
    print_table(rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
