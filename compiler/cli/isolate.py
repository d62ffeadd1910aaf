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
from typing import TextIO

from gemm_ladder.compiler.cli import frame
from gemm_ladder.compiler.crash import VARIABLE, what_crashed

FLAG = "--isolate"
HELP = (
    "run in an interpreter of its own that keeps the input of what crashes (a crash of a plain run "
    "leads there by itself)"
)
CRASHES = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)
_PR_SET_PDEATHSIG = 1  # prctl(2)
_PATIENCE = 1.0  # seconds until Ctrl-C is sent again


def run(main: Callable[[list[str] | None], int], module: str) -> int:
    """Run ``main``, the command of ``module``, on this process's arguments; its exit code."""
    argv = sys.argv[1:]
    _open_streams()
    if VARIABLE in os.environ:
        return main(argv)
    if FLAG in argv:
        return _in_new_interpreter([a for a in argv if a != FLAG], module, None)
    kept = os.memfd_create("stdin")
    child = os.fork()
    if child == 0:
        _die_with_parent()
        sys.stdin = _Kept(sys.stdin, kept)
        _leave(_ended(main, argv))
    status, stopped = _wait(child)
    if not os.WIFSIGNALED(status):
        return os.waitstatus_to_exitcode(status)
    if stopped:  # C++ that Python's exception went through may have aborted
        return frame.interrupted()
    if os.WTERMSIG(status) in CRASHES:
        read = os.pread(kept, os.fstat(kept).st_size, 0)
        return _in_new_interpreter(argv, module, read.decode() if read else None)
    name = signal.Signals(os.WTERMSIG(status)).name
    hint = "; out of memory?" if name == "SIGKILL" else ""
    print(f"error: ended by {name}{hint}", file=sys.stderr)
    return 128 + os.WTERMSIG(status)


class _Kept(io.TextIOBase):
    """Standard input, which can be read once and may be needed twice: a copy goes to ``kept``."""

    def __init__(self, stream: TextIO, kept: int) -> None:
        self._stream, self._copy = stream, kept

    def read(self, size: int | None = -1, /) -> str:
        """As of a file."""
        text = self._stream.read(-1 if size is None else size)
        with os.fdopen(os.dup(self._copy), "wb") as copy:
            copy.write(text.encode())
        return text


def _ended(main: Callable[[list[str] | None], int], argv: list[str]) -> int:
    """The command's exit code, also where Ctrl-C comes before or behind what handles it."""
    try:
        return main(argv)
    except OSError as error:  # of --help and the like: commands report their own
        return _cannot_write(error)
    except KeyboardInterrupt:
        return frame.interrupted()


def _leave(code: int) -> None:
    """End the fork: nothing is left to do; tearing MLIR down takes longer than many a command."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        code = code or _cannot_write(error)
    os._exit(code)


def _cannot_write(error: OSError) -> int:
    """Say so, unless the reader has left, who does not care."""
    if not isinstance(error, BrokenPipeError):
        os.write(2, f"error: cannot write: {error.strerror}\n".encode())
    return 1


def _open_streams() -> None:
    """Streams that the caller has closed: nothing to read, and nobody who reads."""
    sys.stdin = sys.stdin or io.StringIO()
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _die_with_parent() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _wait(child: int) -> tuple[int, bool]:
    """(status of ``child`` when it has ended, whether Ctrl-C came); a request to end is handed on.

    Ctrl-C reaches it by itself, but an import that it falls into may swallow it: it is sent again
    until the child has ended.
    """

    asked: list[int] = []

    def hand_on(number: int, _: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGINT if number == signal.SIGALRM else number)

    def repeat(number: int, _: object) -> None:
        asked.append(number)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _PATIENCE)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, hand_on)
    signal.signal(signal.SIGINT, repeat)
    return os.waitpid(child, 0)[1], bool(asked)


def _in_new_interpreter(argv: list[str], module: str, text: str | None) -> int:
    import subprocess  # here, as tempfile below: few starts need it, every one would pay for it

    with _kept_input() as kept:
        try:
            done = subprocess.run(
                [sys.executable, "-m", module, *argv],
                input=text,
                env={**os.environ, VARIABLE: str(kept)},
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
        except KeyboardInterrupt:
            kept.unlink(missing_ok=True)
            return frame.interrupted()
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
