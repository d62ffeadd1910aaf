"""Time launches fairly: warm-up, caches flushed, device events, alternating, the median."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Protocol, runtime_checkable


@runtime_checkable
class Flushable(Protocol):
    """A device that can evict its caches between launches."""

    def flush_cache(self) -> None:
        """Leave no operand of an earlier launch in a cache."""


@dataclass(frozen=True)
class Timing:
    """Device seconds over `count` launches; `flushed`: caches were evicted before each."""

    median: float
    fastest: float
    slowest: float
    count: int
    flushed: bool


def measure(
    runs: Mapping[str, Callable[[], float]],
    device: object,
    *,
    warmup: int = 3,
    count: int = 30,
) -> dict[str, Timing]:
    """Time several contenders alternately, so that clocks and heat bear on all alike.

    Each call of a contender makes one launch and returns its device seconds. Raises ValueError if
    `count` is not positive.
    """
    if count < 1:
        raise ValueError("count must be at least 1")
    for run in runs.values():
        for _ in range(warmup):
            run()
    flush = device.flush_cache if isinstance(device, Flushable) else None
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(count):
        for name, run in runs.items():
            if flush is not None:
                flush()
            samples[name].append(run())
    return {
        name: Timing(median(taken), min(taken), max(taken), count, flush is not None)
        for name, taken in samples.items()
    }


def ratio(ours: Timing, baseline: Timing) -> float:
    """How many times as fast as the baseline (medians): above 1 is faster."""
    return baseline.median / ours.median
