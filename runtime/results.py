"""What a check found about one kernel."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CheckResult:
    """One kernel on one device, over all inputs, seeds and repeats.

    `seconds` is the median device time of a launch, None if nothing ran. `max_error` and `bound`
    belong to one element of the normal inputs, that nearest to (or furthest beyond) its bound.
    `mismatches` and `never_written` are the largest of any launch. `failures` and `notes` hold one
    line each; the check passed if there are no failures. `findings` are those of the failures that
    the device itself saw, as objects.
    """

    device: str
    kernel: str
    grid: tuple[int, int, int]
    seconds: float | None = None
    max_error: float | None = None
    bound: float | None = None
    mismatches: int | None = None
    never_written: int | None = None
    launches: int = 0
    repeats: int = 0
    identical: bool | None = None
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[dict[str, object], ...] = ()
    source: str = ""

    @property
    def ok(self) -> bool:
        """Whether everything that was checked held."""
        return not self.failures
