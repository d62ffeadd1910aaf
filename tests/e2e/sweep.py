"""A resumable product of cases: one JSON line for each case and mode in a log."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gemm_case import Case

from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import open_device

MODES = ("sim", "sim:early", "sim:random,seed=1")


def run_sweep(cases: Iterable[Case], log: Path, modes: tuple[str, ...] = MODES) -> list[str]:
    """Run what ``log`` does not have yet; "case mode: failures" of every row that is not right."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    if log.exists():
        for row in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
            rows[row["case"], row["mode"]] = row
    wanted = []
    with log.open("a", encoding="utf-8") as out:
        for case in cases:
            wanted += [(case.name, mode) for mode in modes]
            left = [mode for mode in modes if (case.name, mode) not in rows]
            for row in _rows(case, left):
                rows[row["case"], row["mode"]] = row
                out.write(json.dumps(row) + "\n")
                out.flush()
    return [f"{' '.join(key)}: {rows[key]['failures']}" for key in wanted if not rows[key]["ok"]]


def _rows(case: Case, modes: list[str]) -> Iterable[dict[str, Any]]:
    """Compile ``case`` once, if any of ``modes`` is left, and check it in each."""
    if not modes:
        return
    try:
        artefact = case.artefact("gfx1250")
    except LadderError as error:
        for mode in modes:
            yield {"case": case.name, "mode": mode, "ok": False, "failures": [str(error)]}
        return
    for mode in modes:
        start = time.perf_counter()
        results = check_artefact(artefact, open_device(mode))
        failures = [text for result in results for text in result.failures]
        seconds = round(time.perf_counter() - start, 1)
        yield {
            "case": case.name, "mode": mode, "ok": not failures, "failures": failures,
            "seconds": seconds,
        }  # fmt: skip
