"""A line on the terminal while something takes longer than two seconds."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

PATIENCE = 2.0


@contextlib.contextmanager
def progress(what: str) -> Iterator[None]:
    """Show ``what`` and the seconds on stderr, if it is a terminal, from two seconds on."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    line = threading.Thread(target=_tick, args=(what, done), daemon=True)
    line.start()
    try:
        yield
    finally:
        done.set()
        line.join()


def _tick(what: str, done: threading.Event) -> None:
    start, wait, shown = time.monotonic(), PATIENCE, False
    while not done.wait(wait):
        shown, wait = True, 0.5
        print(f"\r{what}: {time.monotonic() - start:.0f} s ", end="", file=sys.stderr, flush=True)
    if shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
