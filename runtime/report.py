"""Print check results as one table, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from .results import CheckResult

REPORT = "gemm-ladder check report"
_COLUMNS = (
    "device",
    "kernel",
    "grid",
    "time",
    "max error / bound",
    "mismatches",
    "never written",
    "repeats identical",
    "result",
)


def render_table(results: Sequence[CheckResult]) -> str:
    """One aligned row for each result, then one line for each failure and note."""
    rows = [_COLUMNS, *(_row(result) for result in results)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    for result in results:
        lines += [f"{_name(result)}: FAIL: {failure}" for failure in result.failures]
        lines += [f"{_name(result)}: {note}" for note in result.notes]
    return "\n".join(line.rstrip() for line in lines)


def to_json(results: Sequence[CheckResult]) -> dict[str, object]:
    """All fields of all results as a JSON object; `ok` for each and overall."""
    return {
        "kind": REPORT,
        "ok": all(result.ok for result in results),
        "results": [{**asdict(result), "ok": result.ok} for result in results],
    }


def _name(result: CheckResult) -> str:
    return f"{result.source}: {result.kernel}" if result.source else result.kernel


def _row(result: CheckResult) -> tuple[str, ...]:
    error = "-"
    if result.max_error is not None and result.bound is not None:
        error = f"{result.max_error:.2e} / {result.bound:.2e}"
    identical = "-"
    if result.identical is not None:
        identical = f"{'yes' if result.identical else 'NO'} ({result.repeats})"
    return (
        result.device,
        _name(result),
        "x".join(str(extent) for extent in result.grid) if result.kernel != "-" else "-",
        _time(result.seconds),
        error,
        _count(result.mismatches),
        _count(result.never_written),
        identical,
        "ok" if result.ok else "FAIL",
    )


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _time(seconds: float | None) -> str:
    if not seconds:
        return "-"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"
