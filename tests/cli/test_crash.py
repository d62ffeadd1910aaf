"""A crash inside MLIR or a pass is one error that names the input it kept."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_tools import MATMUL

LADDER = [sys.executable, "-m", "gemm_ladder.compiler.cli.main"]
OPT = [sys.executable, "-m", "gemm_ladder.compiler.cli.opt"]
# MLIR's parser recurses without a limit.
DEEP = f"module attributes {{a = {'[' * 200_000}{']' * 200_000}}} {{}}\n"
# Read by every interpreter that has its folder on PYTHONPATH.
ABORTING = """import os
from gemm_ladder.passes.matrix_core import MatrixCore
MatrixCore.run = lambda self, module, ctx: os.abort()
"""


def command(
    folder: Path, *argv: str, text: str | None = None, path: str = ""
) -> subprocess.CompletedProcess[str]:
    known = os.pathsep.join(filter(None, (path, os.environ.get("PYTHONPATH", ""))))
    environment = {**os.environ, "PYTHONPATH": known}
    return subprocess.run(
        argv, cwd=folder, input=text, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("flag", [[], ["--isolate"]])
def test_the_parser_crashes(tmp_path: Path, flag: list[str]) -> None:
    (tmp_path / "deep.mlir").write_text(DEEP)
    seen = command(tmp_path, *OPT, "deep.mlir", *flag)
    assert (seen.returncode, seen.stdout) == (1, "")
    first, note = seen.stderr.splitlines()
    assert first == "error: MLIR or LLVM crashed (SIGSEGV) while parsing"
    kept = re.fullmatch(r"note: its input is kept in (\S+); again: ladder-opt --isolate \1", note)
    assert kept is not None
    assert (tmp_path / kept[1]).read_text().endswith(DEEP)


def test_stdin_is_read_once_and_kept(tmp_path: Path) -> None:
    seen = command(tmp_path, *LADDER, "compile", "-", "--passes=level1", text=DEEP)
    assert seen.returncode == 1
    assert "crashed (SIGSEGV) while parsing" in seen.stderr
    (kept,) = tmp_path.iterdir()
    assert kept.read_text().endswith(DEEP)


def test_stdin_that_nobody_named_is_kept_too(tmp_path: Path) -> None:
    seen = command(tmp_path, *OPT, text=DEEP)
    assert (seen.returncode, seen.stdout) == (1, "")
    (kept,) = tmp_path.iterdir()
    assert kept.read_text().endswith(DEEP)


def test_an_output_called_stdout_reads_no_stdin(tmp_path: Path) -> None:
    source, sink = os.pipe()  # open for as long as the command runs
    argv = [*LADDER, "compile", MATMUL, "--passes=level1", "--stop-after", "tile", "-o", "-"]
    seen = subprocess.run(argv, stdin=source, capture_output=True, text=True, timeout=120)
    os.close(sink)
    os.close(source)
    assert (seen.returncode, "tile.mma" in seen.stdout) == (0, True)


@pytest.mark.parametrize("argv", [["passes"], ["--version"]])
def test_a_full_or_closed_output_is_no_traceback(argv: list[str]) -> None:
    with open("/dev/full", "w") as full:
        seen = subprocess.run(
            [*LADDER, *argv], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120
        )
    assert seen.returncode == 1
    assert seen.stderr == "error: cannot write: No space left on device\n"
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&- <&-', "sh", *LADDER, *argv], capture_output=True, timeout=120
    )
    assert (closed.returncode, closed.stderr) == (0, b"")


def test_a_pass_crashes(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(ABORTING)
    argv = ["compile", MATMUL, "--passes=level1", "-o", "mm.hsaco"]
    seen = command(tmp_path, *LADDER, *argv, path=str(tmp_path / "site"))
    assert (seen.returncode, seen.stdout) == (1, "")
    assert "error: MLIR or LLVM crashed (SIGABRT) in pass 'matrix-core'" in seen.stderr
    kept = re.search(r"kept in (\S+); again: ladder-opt (.*)", seen.stderr)
    assert kept is not None
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["site", kept[1]])
    # The command that it names works once the pass does.
    again = kept[2].replace("--passes='matrix-core'", "--passes=matrix-core").split()
    assert command(tmp_path, *OPT, *again).returncode == 0


def test_without_a_crash_nothing_is_kept(tmp_path: Path) -> None:
    seen = command(tmp_path, *LADDER, "--isolate", "show", MATMUL, "--passes=level1")
    assert seen.returncode == 0
    assert "tile.mma" in seen.stdout
    assert list(tmp_path.iterdir()) == []


def test_errors_and_exit_codes_come_through(tmp_path: Path) -> None:
    for flag in ([], ["--isolate"]):
        seen = command(tmp_path, *LADDER, *flag, "compile", "absent.mlir")
        assert (seen.returncode, seen.stdout) == (2, "")
        assert seen.stderr == "absent.mlir: error: cannot read: No such file or directory\n"


def test_ctrl_c_that_makes_cpp_abort_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        ABORTING.replace("os.abort()", "(os.kill(os.getppid(), 2), os.abort())")
    )
    argv = ["compile", MATMUL, "--passes=level1", "-o", "mm.hsaco"]
    seen = command(tmp_path, *LADDER, *argv, path=str(tmp_path))
    assert (seen.returncode, seen.stdout) == (130, "")
    assert seen.stderr.endswith("error: interrupted\n")
    assert not list(tmp_path.glob("ladder-crash*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_to_end_ends_the_fork_too(tmp_path: Path, number: int) -> None:
    """The fork waits in a pass; whoever ends the command ends it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, time\n"
        "from gemm_ladder.passes.matrix_core import MatrixCore\n"
        "def run(self, module, ctx):\n"
        "    print(os.getpid(), flush=True)\n"
        "    time.sleep(100)\n"
        "MatrixCore.run = run\n"
    )
    known = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    running = subprocess.Popen(
        [*LADDER, "compile", MATMUL, "--passes=level1", "-o", str(tmp_path / "mm.hsaco")],
        env={**os.environ, "PYTHONPATH": known},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert running.stdout is not None
    fork = int(running.stdout.readline())
    # As a terminal does: Ctrl-C goes to the whole group, a request to end to the command.
    if number == signal.SIGINT:
        os.killpg(running.pid, number)
    else:
        running.send_signal(number)
    running.communicate(timeout=30)
    assert running.returncode in (130, 128 + number)
    for _ in range(100):
        if not Path(f"/proc/{fork}").exists():
            break
        time.sleep(0.05)
    else:
        pytest.fail("the fork goes on")
