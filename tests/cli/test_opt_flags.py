"""Flags of `ladder-opt` for tests and for failures, and of `ladder run` for the interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_tools import MATMUL, ladder, ladder_opt

from gemm_ladder.compiler import resolve as resolve_module
from gemm_ladder.compiler.cli.expected import check_diagnostics, expectations

Capture = pytest.CaptureFixture[str]

PIECES = """// first piece: right
module {
}
// -----
// second piece
func.func @f(%x: memref<4x4xf32>) {
  // expected-error@+1 {{attribute "pending" is expected}}
  "tile.wait"() {kind = "copy"} : () -> ()
  return
}
// -----
module {
}
"""


def test_both_commands_tell_their_version(capfd: Capture) -> None:
    for command in (ladder, ladder_opt):
        seen = command(capfd, "--version")
        assert (seen.code, seen.out.startswith("gemm-ladder ")) == (0, True)


@pytest.fixture
def pieces(tmp_path: Path) -> str:
    path = tmp_path / "pieces.mlir"
    path.write_text(PIECES, encoding="utf-8")
    return str(path)


def test_split_input_file_keeps_line_numbers(capfd: Capture, pieces: str) -> None:
    seen = ladder_opt(capfd, "--split-input-file", pieces)
    assert seen.code == 1
    assert f"{pieces}:8:3: error: " in seen.err
    assert seen.out == ""
    path = Path(pieces)
    path.write_text(path.read_text().replace('{kind = "copy"}', '{kind = "copy", pending = 0}'))
    seen = ladder_opt(capfd, "--split-input-file", pieces)
    assert seen.code == 0
    assert seen.out.count("module {") == 3
    assert seen.out.count("// -----\n") == 2


def test_split_input_from_stdin(tmp_path: Path) -> None:
    code = "import sys; from gemm_ladder.compiler.cli.opt import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "--split-input-file", "-"],
        input=PIECES, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "<stdin>:8:3: error: " in done.stderr


def test_verify_diagnostics(capfd: Capture, pieces: str) -> None:
    flags = ["--split-input-file", "--verify-diagnostics"]
    assert ladder_opt(capfd, *flags, pieces).code == 0
    path = Path(pieces)
    path.write_text(path.read_text().replace("is expected", "is unwanted"), encoding="utf-8")
    seen = ladder_opt(capfd, *flags, pieces)
    assert seen.code == 1
    assert f"{pieces}:8:1: error: unexpected error: " in seen.err
    assert (
        f'{pieces}:8:1: error: expected error "attribute "pending" is unwanted" was not produced'
        in seen.err
    )


def test_expected_places() -> None:
    source = (
        "// expected-note@below {{a}}\nx // expected-error {{b}}\n// expected-error@above {{c}}"
    )
    found = [(e.line, e.severity, e.text) for e in expectations(source)]
    assert found == [(2, "note", "a"), (2, "error", "b"), (2, "error", "c")]
    unknown = "// expected-error@unknown {{nothing}}"
    for place in ("", "f.mlir: "):
        said = [f"{place}error: found nothing here", "note: by the way: error: none"]
        assert not check_diagnostics(unknown, "f", said)
    assert check_diagnostics("", "f", ["f:3:1: warning: hm"]) == [
        "f:3:1: error: unexpected warning: hm"
    ]


def test_a_refusal_leaves_a_reproducer_where_asked(capfd: Capture, tmp_path: Path) -> None:
    path = tmp_path / "why.mlir"
    flags = ("--passes=import-matmul,multi-buffer", f"--reproducer={path}")
    seen = ladder_opt(capfd, MATMUL, *flags)
    assert seen.code == 1
    assert f"note: reproducer: {path}" in seen.err
    text = path.read_text(encoding="utf-8")
    first, second, *_ = text.splitlines()
    assert first == "// Reproducer for pass multi-buffer"
    assert second.startswith("// ") and "error: multi-buffer: found no loop" in second
    assert f"// Again: ladder-opt --passes='multi-buffer' {path}\n" in text
    again = ladder_opt(capfd, str(path), "--passes=multi-buffer")
    assert "error: multi-buffer: found no loop" in again.err


def test_success_leaves_none(capfd: Capture, tmp_path: Path) -> None:
    path = tmp_path / "why.mlir"
    assert ladder_opt(capfd, MATMUL, "--passes=level0", f"--reproducer={path}").code == 0
    assert not path.exists()


def test_an_internal_error_always_leaves_a_reproducer(
    capfd: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        name, analysis = "matrix-core", False

        def run(self, module: object, ctx: object) -> None:
            raise RuntimeError("boom")

    monkeypatch.setattr(resolve_module, "parse_options", lambda cls, given: Failing())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen = ladder_opt(capfd, MATMUL, "--pass=matrix-core")
    assert seen.code == 1
    (path,) = tmp_path.glob("ladder-reproducer-*.mlir")
    assert f"note: reproducer: {path}" in seen.err
    assert "linalg.matmul" in path.read_text(encoding="utf-8")


def test_a_process_that_dies_in_a_pass_leaves_a_reproducer(tmp_path: Path) -> None:
    path = tmp_path / "died.mlir"
    code = f"""
import os
from gemm_ladder.compiler import resolve
from gemm_ladder.compiler.cli.opt import main
class Dying:
    name, analysis = "matrix-core", False
    def run(self, module, ctx): os.abort()
resolve.parse_options = lambda cls, given: Dying()
main([{MATMUL!r}, "--pass=matrix-core", "--reproducer={path}"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode < 0
    assert "// the process ended in the pass\n" in path.read_text(encoding="utf-8")


def test_options_of_the_interpreter(capfd: Capture) -> None:
    for device in ("interp", "interp:early", "interp:random,seed=3", "interp:late,exact"):
        seen = ladder(capfd, "run", MATMUL, "--passes=level0", f"--device={device}")
        assert seen.code == 0, seen
    seen = ladder(capfd, "run", MATMUL, "--passes=level0", "--device=interp:never")
    assert seen.code == 2
    assert seen.err == (
        "error: interp has no option 'never'; known: late, early, random, seed=N, exact\n"
    )


def test_both_targets_run_on_the_interpreter(capfd: Capture) -> None:
    for target in ("gfx1250", "sm_90a"):
        flags = ("--passes=level1", "--device=interp", f"--target={target}")
        assert ladder(capfd, "run", MATMUL, *flags).code == 0


def test_what_is_behind_tile_ir_does_not_run_on_it(capfd: Capture) -> None:
    flags = ("--passes=level0,lower-tile-to-amdgpu", "--device=interp")
    seen = ladder(capfd, "run", MATMUL, *flags)
    assert seen.code == 1
    assert "Traceback" not in seen.err


def test_findings_of_the_interpreter_as_json(capfd: Capture, tmp_path: Path) -> None:
    wait = '"tile.wait"() {kind = "copy", pending = 0} : () -> ()'
    program = Path(__file__).parents[1] / "interp" / "programs" / "level2.mlir"
    path = tmp_path / "bad.tile.mlir"
    path.write_text(program.read_text(encoding="utf-8").replace(wait, ""), encoding="utf-8")
    seen = ladder(capfd, "run", str(path), "--device=interp", "--findings=json")
    assert seen.code == 1
    first = json.loads(seen.out)[0]
    lines = path.read_text(encoding="utf-8").splitlines()
    assert first["kind"] == "use before arrival"
    assert "tile.load" in lines[first["line"] - 1]
    assert "tile.copy_async" in lines[first["other_line"] - 1]
