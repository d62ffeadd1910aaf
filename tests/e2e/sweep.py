"""A resumable product of cases on the simulator: one JSON line for each case and mode in a log.

python tests/e2e/sweep.py ladder LOG --jobs 16   # or: types; what is right in LOG is not run again
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from gemm_case import Case, ladder, product

from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.compiler.pipelines import levels
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import open_device

MODES = ("sim", "sim:early", "sim:random,seed=1")
Row = dict[str, Any]


def run_sweep(
    cases: Iterable[Case], log: Path, modes: tuple[str, ...] = MODES, jobs: int | None = None
) -> list[str]:
    """Run what ``log`` does not have as right; "case mode: failures" of every other row."""
    rows: dict[tuple[str, str], Row] = {}
    if log.exists():
        for row in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
            rows[row["case"], row["mode"]] = row
    wanted = [(case, mode) for case in cases for mode in modes]
    left: dict[Case, list[str]] = {}
    for case, mode in wanted:
        if not rows.get((case.name, mode), {}).get("ok"):
            left.setdefault(case, []).append(mode)
    with log.open("a", encoding="utf-8") as out, ProcessPoolExecutor(jobs) as pool:
        started = [pool.submit(_rows, case, missing) for case, missing in left.items()]
        for number, done in enumerate(as_completed(started), start=1):
            for row in done.result():
                rows[row["case"], row["mode"]] = row
                out.write(json.dumps(row) + "\n")
            out.flush()
            if sys.stderr.isatty() or number % 50 == 0:
                print(f"{number} of {len(started)} artefacts", file=sys.stderr)
    keys = ((case.name, mode) for case, mode in wanted)
    return [f"{' '.join(key)}: {rows[key]['failures']}" for key in keys if not rows[key]["ok"]]


def _rows(case: Case, modes: list[str]) -> list[Row]:
    return list(_checked(case, modes))


def _checked(case: Case, modes: list[str]) -> Iterator[Row]:
    """Compile ``case`` once and check it in each of ``modes``."""
    try:
        artefact = case.artefact("gfx1250")
    except LadderError as error:
        for mode in modes:
            yield {"case": case.name, "mode": mode, "ok": False, "failures": [str(error)]}
        return
    for mode in modes:
        start = time.perf_counter()
        try:
            results = check_artefact(artefact, open_device(mode))
            failures = [text for result in results for text in result.failures]
        except Exception as error:  # one broken case must not end a product of hours
            failures = [f"{type(error).__name__}: {error}"]
        seconds = round(time.perf_counter() - start, 1)
        yield {
            "case": case.name, "mode": mode, "ok": not failures, "failures": failures,
            "seconds": seconds,
        }  # fmt: skip


def main() -> int:
    """Run one of the products; 1, with what is wrong, if anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("product", choices=("ladder", "types"))
    parser.add_argument("log", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    # The processes share the cores: numpy's own threads would only get in the way.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if args.product == "ladder":
        wrong = run_sweep(ladder(levels("gfx1250")), args.log, jobs=args.jobs)
    else:
        wrong = run_sweep(product(("level0", "level1")), args.log, ("sim",), args.jobs)
    print("\n".join(wrong) if wrong else "all right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
