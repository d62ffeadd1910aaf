"""A line on the terminal while something takes longer than two seconds."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

PATIENCE = 2.0


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """Show ``what`` and the seconds on stderr, if it is a terminal, from two seconds on.

    Yields a function that takes what is being done now.
    """
    now = [""]

    def say(step: str) -> None:
        now[0] = f" ({step})" if step else ""

    if not sys.stderr.isatty():
        yield say
        return
    done = threading.Event()
    line = threading.Thread(target=_tick, args=(what, now, done), daemon=True)
    line.start()
    try:
        yield say
    finally:
        done.set()
        line.join()


def _tick(what: str, now: list[str], done: threading.Event) -> None:
    start, wait, shown = time.monotonic(), PATIENCE, False
    while not done.wait(wait):
        shown, wait = True, 0.5
        seconds = time.monotonic() - start
        print(f"\r\x1b[K{what}{now[0]}: {seconds:.0f} s ", end="", file=sys.stderr, flush=True)
    if shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
