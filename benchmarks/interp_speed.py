"""Time to check a kernel on the tile interpreter, all waves and the shadow of LDS included.

Prints a table, and JSON with --json; exits 1 if a limit is exceeded. The second kernel has the
shape of level 12: blocks of 256 x 256 x 128, 4 x 2 waves.

    python benchmarks/interp_speed.py [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.devices import open_device
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source
from gemm_ladder.compiler.tile_artefact import tile_artefact
from gemm_ladder.runtime.check import check_artefact

LEVEL = (
    "import-matmul,tile-workgroup{{shape={} waves={}}},promote-to-lds,matrix-core,"
    "multi-buffer{{stages=2}}"
)
# Side of the problem, workgroup's block, waves, landing, limit in seconds (None: no limit).
CASES = (
    (256, "64x64x32", "2x2", "late", 3.0),
    (256, "64x64x32", "2x2", "random", 3.0),
    (256, "64x64x32", "2x2", "exact", 3.0),
    (256, "256x256x128", "4x2", "late", 10.0),
    (256, "256x256x128", "4x2", "random", 10.0),
    (1024, "64x64x32", "2x2", "late", None),
    (1024, "256x256x128", "4x2", "late", None),
)


@dataclass(frozen=True)
class Row:
    """One measurement; seconds of one launch, and of compiling and checking two."""

    size: int
    block: str
    waves: str
    landing: str
    launch_seconds: float
    check_seconds: float
    limit: float | None


def measure(size: int, block: str, waves: str, landing: str, limit: float | None) -> Row:
    shape = f"memref<{size}x{size}xbf16>"
    out = f"memref<{size}x{size}xf32>"
    text = f"""func.func @matmul(%A: {shape}, %B: {shape}, %C: {out}) {{
      %z = arith.constant 0.0 : f32
      linalg.fill ins(%z : f32) outs(%C : {out})
      linalg.matmul ins(%A, %B : {shape}, {shape}) outs(%C : {out})
      return
    }}"""
    start = time.perf_counter()
    source = Source("<matmul>", text, "linalg", "matmul")
    steps = resolve(LEVEL.format(block, waves))
    result = compile_source(Request(source, steps, target="gfx1250", stop="tile"))
    (check,) = check_artefact(
        tile_artefact(result.text, "matmul"), open_device(f"interp:{landing}")
    )
    seconds = time.perf_counter() - start
    if not check.ok or check.seconds is None:
        raise SystemExit(f"error: {block}: {'; '.join(check.failures)}")
    return Row(size, block, waves, landing, check.seconds, seconds, limit)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the rows as JSON too")
    args = parser.parse_args()
    rows = [measure(*case) for case in CASES]
    heads = ("problem", "block", "waves", "landing", "launch", "check")
    print(
        "  ".join(h.rjust(w) for h, w in zip(heads, (8, 12, 5, 7, 8, 8), strict=True)) + "  limit"
    )
    for row in rows:
        limit = f"{row.limit:.0f} s" if row.limit else "-"
        print(
            f"{row.size:>6}^3  {row.block:>12}  {row.waves:>5}  {row.landing:>7}  "
            f"{row.launch_seconds:>6.2f} s  {row.check_seconds:>6.2f} s  {limit}"
        )
    if args.json:
        document = {"cpus": os.cpu_count(), "rows": [asdict(row) for row in rows]}
        args.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return int(any(row.limit is not None and row.check_seconds > row.limit for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
