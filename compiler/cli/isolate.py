"""A crash inside MLIR or LLVM becomes one error: the command runs in a fork of this process.

Forking before anything is imported costs a millisecond. Only after the fork has died, or with
--isolate, the command runs (again) in a new interpreter that keeps the input of what it is doing.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from gemm_ladder.compiler.crash import VARIABLE, what_crashed

FLAG = "--isolate"
HELP = (
    "run in an interpreter of its own that keeps the input of what crashes (a crash of a plain run "
    "leads there by itself)"
)
CRASHES = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)
_PR_SET_PDEATHSIG = 1  # prctl(2)


def run(main: Callable[[list[str] | None], int], module: str) -> int:
    """Run ``main``, the command of ``module``, on this process's arguments; its exit code."""
    argv = sys.argv[1:]
    if VARIABLE in os.environ:
        return main(argv)
    text = None
    if "-" in argv:
        # It can be read once, and may be needed twice.
        text = sys.stdin.read()
        sys.stdin = io.StringIO(text)
    if FLAG in argv:
        return _in_new_interpreter([a for a in argv if a != FLAG], module, text)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _die_with_parent()
        code = main(argv)
        sys.stdout.flush()
        sys.stderr.flush()
        # Nothing is left to do, and tearing MLIR down takes longer than many a command.
        os._exit(code)
    status = _wait(child)
    if not os.WIFSIGNALED(status):
        return os.waitstatus_to_exitcode(status)
    if os.WTERMSIG(status) in CRASHES:
        return _in_new_interpreter(argv, module, text)
    name = signal.Signals(os.WTERMSIG(status)).name
    hint = "; out of memory?" if name == "SIGKILL" else ""
    print(f"error: ended by {name}{hint}", file=sys.stderr)
    return 128 + os.WTERMSIG(status)


def _die_with_parent() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _wait(child: int) -> int:
    """Wait for ``child``; Ctrl-C reaches it by itself, a request to end is handed on."""

    def hand_on(number: int, _: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, hand_on)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return os.waitpid(child, 0)[1]


def _in_new_interpreter(argv: list[str], module: str, text: str | None) -> int:
    import subprocess  # here, as tempfile below: few starts need it, every one would pay for it

    with _kept_input() as kept:
        done = subprocess.run(
            [sys.executable, "-m", module, *argv],
            input=text,
            env={**os.environ, VARIABLE: str(kept)},
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        if done.returncode >= 0:
            kept.unlink(missing_ok=True)
            sys.stderr.write(done.stderr)
            return done.returncode
        name = signal.Signals(-done.returncode).name
        doing, again = what_crashed(kept)
        said = [line for line in done.stderr.splitlines() if line.strip()]
        lines = [f"error: MLIR or LLVM crashed ({name}) {doing}"]
        lines += [f"note: it said: {said[-1].strip()[:200]}"] if said else []
        if kept.is_file():
            lines.append(f"note: its input is kept in {kept}{again}")
        print("\n".join(lines), file=sys.stderr)
        return 1


@contextlib.contextmanager
def _kept_input() -> Iterator[Path]:
    """A file beside the user's, which stays only if something is written to it and not removed."""
    import tempfile

    here = os.access(".", os.W_OK)
    handle, name = tempfile.mkstemp(".mlir", "ladder-crash-", "." if here else None)
    os.close(handle)
    path = Path(name)
    path = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    path.unlink()
    yield path
