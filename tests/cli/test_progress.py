"""The progress line: only on a terminal, only after a while, and gone afterwards."""

from __future__ import annotations

import io
import sys
import time

import pytest

from gemm_ladder.compiler.cli import progress


class Terminal(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "patience", "shown"),
    [(Terminal(), 0.01, True), (Terminal(), 60.0, False), (io.StringIO(), 0.01, False)],
)
def test_progress(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, patience: float, shown: bool
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.progress("compiling"):
        deadline = time.monotonic() + (5 if shown else 0.2)
        while not stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert ("compiling: 0 s" in stream.getvalue()) == shown
    assert stream.getvalue().endswith("\r\x1b[K") == shown
