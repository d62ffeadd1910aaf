"""A real browser without a window: what it logs, and what a script finds on a page."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

BROWSER = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    None,
)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium on PATH")


_FRAME = """<!doctype html><title>no answer</title>
<iframe src="{page}" width="{width}" height="900" style="border: 0"></iframe>
<script>addEventListener("message", (event) => {{ document.title = event.data; }});</script>
"""


def evaluate(page: Path, script: str, width: int = 1280) -> tuple[str, list[str]]:
    """What ``script``, a function body, returns on ``page``, and every line of the console.

    The page stands in a frame: the window of a browser without one is never narrower than 500.
    """
    probe = f"<script>parent.postMessage(String((() => {{ {script} }})()), '*');</script></body>"
    inner = page.with_suffix(f".{width}.probe.html")
    inner.write_text(page.read_text().replace("</body>", probe))
    outer = page.with_suffix(f".{width}.frame.html")
    outer.write_text(_FRAME.format(page=inner.as_uri(), width=width))
    command = [
        str(BROWSER),
        *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *("--enable-logging=stderr", "--virtual-time-budget=10000"),
        *(f"--window-size={width + 40},1000", f"--user-data-dir={page.parent / 'profile'}"),
        *("--dump-dom", outer.as_uri()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None, done.stderr
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return unescape(title[1]), console
