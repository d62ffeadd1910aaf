"""Commands in a process of its own that may die: what each printed, and how it ended."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

SECONDS = 90


@dataclass(frozen=True)
class Ended:
    """Exit code (negative: the signal that ended the process) and both streams."""

    code: int
    out: str
    err: str


def run(argv: list[str], folder: Path) -> Ended:
    """`ladder` as a user starts it."""
    command = [sys.executable, "-m", "gemm_ladder.compiler.cli.main", *argv]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=SECONDS
    )
    return Ended(done.returncode, done.stdout, done.stderr)


class Worker:
    """Runs commands one after the other in one process: no start-up for each of hundreds."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def run(self, argv: list[str], folder: Path) -> Ended:
        """Run one; a process that dies, or takes longer than SECONDS, is replaced for the next."""
        if self._process is None:
            self._pipe, theirs = self._context.Pipe()
            self._process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
        assert self._pipe is not None
        self._pipe.send((argv, str(folder)))
        try:
            if self._pipe.poll(SECONDS):
                return Ended(*self._pipe.recv())
        except (EOFError, ConnectionResetError):
            self._process.join()
            ended = Ended(self._process.exitcode or -signal.SIGKILL, "", "")
            self.stop()
            return ended
        self.stop()
        return Ended(-signal.SIGALRM, "", f"took more than {SECONDS} s")

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = None


def _serve(pipe: Connection) -> None:
    from gemm_ladder.compiler.cli import main

    # C++ writes to the descriptor; nobody reads that here.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with contextlib.suppress(EOFError):
        while True:
            argv, folder = pipe.recv()
            os.chdir(folder)
            out, err = io.StringIO(), io.StringIO()
            sys.stdin = io.StringIO("")
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main.main(argv)
            pipe.send((code, out.getvalue(), err.getvalue()))
