"""Timing alternates, flushes before each launch and reports medians."""

from __future__ import annotations

import pytest

from gemm_ladder.runtime.timing import measure, ratio


class Flushing:
    def __init__(self) -> None:
        self.log: list[str] = []

    def flush_cache(self) -> None:
        self.log.append("flush")


def contender(log, name, seconds):
    values = iter(seconds)

    def run():
        log.append(name)
        return next(values)

    return run


def test_contenders_alternate_and_caches_are_flushed():
    device = Flushing()
    runs = {
        "ours": contender(device.log, "ours", [9.0, 1.0, 2.0, 6.0]),
        "vendor": contender(device.log, "vendor", [9.0, 4.0, 5.0, 3.0]),
    }
    found = measure(runs, device, warmup=1, count=3)
    assert device.log == ["ours", "vendor", *["flush", "ours", "flush", "vendor"] * 3]
    assert (found["ours"].median, found["ours"].fastest, found["ours"].slowest) == (2.0, 1.0, 6.0)
    assert found["ours"].flushed
    assert ratio(found["ours"], found["vendor"]) == 2.0


def test_a_device_without_caches_is_not_flushed():
    found = measure({"x": lambda: 1.0}, object(), warmup=0, count=1)
    assert not found["x"].flushed
    with pytest.raises(ValueError, match="at least 1"):
        measure({"x": lambda: 1.0}, object(), count=0)
