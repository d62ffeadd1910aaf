"""Bad input: one clear message on stderr, a non-zero exit, no traceback, nothing half-written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_tools import MATMUL, Seen, ladder, ladder_opt

from gemm_ladder.compiler.problem import Problem

Capture = pytest.CaptureFixture[str]


def _refused(seen: Seen, code: int, *parts: str) -> None:
    assert seen.code == code, seen
    assert seen.out == ""
    assert "Traceback" not in seen.err
    assert "internal" not in seen.err
    for part in parts:
        assert part in seen.err


# (pipeline text, parts of the message)
PIPELINES = [
    ("level99", ["unknown pass or level 'level99'; did you mean", "^~~~~~~", "gfx1250: level0"]),
    ("level0,multi-bufer", ["did you mean 'multi-buffer'?", "         ^~~~~~~~~~"]),
    ("multi-buffer{stages=0}", ["option 'stages' is '0'", "^~~~~~~~"]),
    ("tile-workgroup{waves=0x2}", ["option 'waves' is '0x2'", "at least 1"]),
    ("tile-workgroup{shape=17}", ["option 'shape' is '17'", "3 integers"]),
    ("multi-buffer{stges=2}", ["unknown option 'stges'", "known options: stages"]),
    ("cse", ["'mlir:cse', the upstream pass"]),
    ("builtin.module(func.func(nope))", ["builtin.module(func.func(nope))", "^~~~"]),
    ("mlir:func.func(nope)", ["'nope' does not refer to a registered pass"]),
    ("", ["the pipeline is empty"]),
]


@pytest.mark.parametrize(("text", "parts"), PIPELINES)
@pytest.mark.parametrize("command", ["compile", "run", "show"])
def test_pipeline_text(capfd: Capture, command: str, text: str, parts: list[str]) -> None:
    _refused(ladder(capfd, command, MATMUL, f"--passes={text}"), 2, *parts, text)


def test_pipeline_over_lines_is_shown_whole(capfd: Capture) -> None:
    text = "level0, // naive\nmulti-bufer,\nverify-tile"
    seen = ladder_opt(capfd, f"--passes={text}", MATMUL)
    _refused(seen, 2, "  level0, // naive\n  multi-bufer,\n  ^~~~~~~~~~~\n  verify-tile\n")


def test_linalg_without_passes(capfd: Capture) -> None:
    _refused(ladder(capfd, "compile", MATMUL), 2, "needs passes, such as --passes=level1")


def test_wrong_order_names_the_missing_pass(capfd: Capture) -> None:
    seen = ladder(capfd, "compile", MATMUL, "--passes=import-matmul,multi-buffer")
    _refused(seen, 1, f"{MATMUL}:", "error: multi-buffer: ", "in pass 'multi-buffer'")


def test_tile_over_the_budget(capfd: Capture) -> None:
    text = "import-matmul,tile-workgroup{shape=512x512x256 waves=4x4},promote-to-lds,matrix-core"
    seen = ladder(capfd, "compile", MATMUL, f"--passes={text}")
    _refused(seen, 1, "error: ", "gfx1250")


def test_unparsable_file_has_mlirs_location(capfd: Capture, tmp_path: Path) -> None:
    bad = tmp_path / "bad.mlir"
    bad.write_text("func.func @f() {\n  nonsense\n}\n")
    place = f"{bad}:2:3: error: "
    _refused(ladder(capfd, "run", str(bad), "--passes=level1"), 2, place)
    _refused(ladder_opt(capfd, str(bad)), 1, place)


def test_invalid_op_has_mlirs_location(capfd: Capture, tmp_path: Path) -> None:
    bad = tmp_path / "bad.mlir"
    bad.write_text('module {\n  "tile.typo"() : () -> ()\n}\n')
    _refused(ladder(capfd, "run", str(bad), "--passes=level1"), 2, f"{bad}:2:3: error: ")


def test_no_matmul(capfd: Capture, tmp_path: Path) -> None:
    empty = tmp_path / "empty.mlir"
    empty.write_text("func.func @f() {\n  return\n}\n")
    seen = ladder(capfd, "compile", str(empty), "--passes=level1")
    _refused(seen, 1, "error: import-matmul: ")


def test_unreadable_input(capfd: Capture, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.mlir")
    for command in ("compile", "run", "show"):
        seen = ladder(capfd, command, missing, "--passes=level1")
        _refused(seen, 2, f"{missing}: error: cannot read: No such file or directory")
    _refused(ladder_opt(capfd, str(tmp_path)), 2, "cannot read: Is a directory")
    binary = tmp_path / "binary.mlir"
    binary.write_bytes(b"\xff\xfe\x00")
    _refused(ladder(capfd, "compile", str(binary), "--passes=level1"), 2, "not UTF-8 text")
    code = binary.rename(tmp_path / "mm.hsaco")
    _refused(ladder(capfd, "show", str(code)), 2, "a binary; name the assembly or PTX beside it")


def test_unknown_suffix_and_stage(capfd: Capture, tmp_path: Path) -> None:
    odd = tmp_path / "kernel.txt"
    odd.write_text("")
    _refused(ladder(capfd, "compile", str(odd)), 2, "its suffix names no stage", ".tile.mlir")
    seen = ladder(capfd, "compile", MATMUL, "--passes=level1", "--stop-after", "tiles")
    _refused(seen, 2, "unknown stage 'tiles'; did you mean 'tile'?", "stages: linalg, tile")


def test_unwritable_output_is_refused_before_any_work(capfd: Capture, tmp_path: Path) -> None:
    for output in (str(tmp_path / "no" / "folder" / "mm.hsaco"), str(tmp_path)):
        # These passes would fail: the output is looked at first.
        text = "--passes=import-matmul,multi-buffer"
        seen = ladder(capfd, "compile", MATMUL, text, "--stop-after=s", "-o", output)
        _refused(seen, 2, f"{output}: error: cannot write: ")
    assert list(tmp_path.iterdir()) == []


def test_a_binary_where_no_file_can_lie_beside_it(capfd: Capture) -> None:
    seen = ladder(capfd, "compile", MATMUL, "--passes=level1", "-o", os.devnull)
    _refused(seen, 2, "-o /dev/null is no regular file: a binary has JSON beside it")
    assert not Path("/dev/null.json").exists()


def test_a_binary_under_an_unknown_suffix(capfd: Capture, tmp_path: Path) -> None:
    # These passes would fail: the output is looked at first.
    text = "--passes=import-matmul,multi-buffer"
    for more in ((), ("--stop-after=hsaco",)):
        seen = ladder(capfd, "compile", MATMUL, text, *more, "-o", str(tmp_path / "mm.foo"))
        _refused(seen, 2, "mm.foo: '.foo' is no known suffix", "\n  .hsaco        AMD: binary, ")
    # Text goes wherever it is asked to.
    out = str(tmp_path / "mm.foo")
    seen = ladder(
        capfd, "compile", MATMUL, "--passes=import-matmul", "--stop-after=tile", "-o", out
    )
    assert (seen.code, [p.name for p in tmp_path.iterdir()]) == (0, ["mm.foo"])


def test_a_description_of_another_targets_binary_stays(
    capfd: Capture, tmp_path: Path, kernel: Path
) -> None:
    described, other = tmp_path / "k.json", tmp_path / "k.cubin"
    described.write_text('{"binary": "k.cubin", "asm": "k.ptx"}')
    other.write_text("")
    # By the suffix before any work, by what was made else.
    bad = (MATMUL, "--passes=import-matmul,multi-buffer")
    for source, output in ((bad, "k.hsaco"), ((str(kernel),), "k"), ((str(kernel),), "k.json")):
        seen = ladder(capfd, "compile", *source, "-o", str(tmp_path / output))
        hsaco = tmp_path / "k.hsaco"
        message = f"{described} describes {other}, and would describe {hsaco} instead; "
        _refused(seen, 2, message, f"name another output, or remove {other}")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.cubin", "k.gpu.mlir", "k.json"]
    other.unlink()
    assert ladder(capfd, "compile", str(kernel), "-o", str(tmp_path / "k")).code == 0


def test_a_failed_compilation_leaves_the_old_output(capfd: Capture, tmp_path: Path) -> None:
    output = tmp_path / "mm.tile.mlir"
    output.write_text("old")
    text = "--passes=import-matmul,multi-buffer"
    assert ladder(capfd, "compile", MATMUL, text, "-o", str(output)).code == 1
    assert output.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["mm.tile.mlir"]


def test_unknown_target(capfd: Capture) -> None:
    seen = ladder(capfd, "compile", MATMUL, "--passes=level1", "--target=gfx125")
    _refused(seen, 2, "unknown target 'gfx125'; did you mean 'gfx1250'?", "targets: gfx1250")
    _refused(ladder(capfd, "targets", "sm90"), 2, "unknown target 'sm90'")


def test_unknown_names_in_listings(capfd: Capture) -> None:
    _refused(ladder(capfd, "passes", "multi"), 2, "unknown pass 'multi'")
    message = "unknown gfx1250 level 'level-1'; did you mean"
    _refused(ladder(capfd, "pipelines", "level-1"), 2, message)


def test_unknown_print_ir_and_show_after(capfd: Capture) -> None:
    seen = ladder(capfd, "compile", MATMUL, "--passes=level0", "--print-ir-after=matrix-cor")
    _refused(seen, 2, "did you mean 'matrix-core'?", "passes: import-matmul, tile-workgroup")
    seen = ladder(capfd, "show", MATMUL, "--passes=level0", "--after=multi-buffer")
    _refused(seen, 2, "no pass 'multi-buffer' in this pipeline", "passes: import-matmul")


@pytest.mark.parametrize("command", ["run", "tune"])
def test_a_device_that_runs_another_targets_code(capfd: Capture, command: str) -> None:
    argv = [MATMUL, "--passes=level1", "--target=sm_90a", "--device=sim"]
    _refused(ladder(capfd, command, *argv), 2, "runs gfx1250 code, not sm_90a")


def test_unknown_or_absent_device(capfd: Capture) -> None:
    seen = ladder(capfd, "run", MATMUL, "--passes=level1", "--device=gpu")
    _refused(seen, 2, "unknown device 'gpu'", "devices: interp, sim, cuda, hip")
    # Whether or not there is such a GPU here.
    for kind in ("cuda", "hip"):
        seen = ladder(capfd, "run", MATMUL, "--passes=level1", f"--device={kind}:one")
        _refused(seen, 2, f"device '{kind}:one': the part after the colon is a GPU's number")


@pytest.mark.parametrize("device", ["cuda", "hip"])
def test_no_device_is_one_line(capfd: Capture, device: str) -> None:
    from gemm_ladder.runtime.device import device_statuses

    if any(s.kind == device and s.available for s in device_statuses()):
        pytest.skip(f"a {device} device is here")
    seen = ladder(capfd, "run", MATMUL, "--passes=level1", f"--device={device}")
    _refused(seen, 1, f"error: no {device.upper()} device: ")
    assert len(seen.err.splitlines()) == 1


def test_artefact_for_another_architecture(capfd: Capture, tmp_path: Path) -> None:
    from gemm_ladder.runtime.artefact import Arg, Artefact, Contract, Kernel
    from gemm_ladder.runtime.artefact_files import save_artefact

    args = tuple(Arg(n, "bf16", (4, 4), (4, 1), "read") for n in "AB")
    args += (Arg("C", "f32", (4, 4), (4, 1), "write"),)
    contract = Contract(4, 4, 4, "mk", "kn", accumulate=False)
    kernel = Kernel("mm", args, (1, 1, 1), (32, 1, 1), contract=contract)
    path = tmp_path / "mm.ptx"
    save_artefact(Artefact("sm_90a", "ptx", None, ".version 8.0\n", (kernel,)), path)
    seen = ladder(capfd, "run", str(tmp_path / "mm.json"), "--device=sim")
    _refused(seen, 1, "sm_90a", "gfx1250")


def test_damaged_artefact(capfd: Capture, tmp_path: Path) -> None:
    path = tmp_path / "mm.json"
    path.write_text("{")
    _refused(ladder(capfd, "run", str(path)), 2, f"{path}: not valid JSON")
    seen = ladder(capfd, "run", str(path), "--passes=level1")
    _refused(seen, 2, "is compiled already")


def test_wrong_numbers_on_the_command_line(capfd: Capture) -> None:
    for option in ("--repeats=0", "--seed=-1", "--repeats=two"):
        seen = ladder(capfd, "run", MATMUL, option)
        _refused(seen, 2, "is not a whole number")


def test_opt_takes_one_pass(capfd: Capture) -> None:
    _refused(ladder_opt(capfd, "--pass=level0", MATMUL), 2, "--pass takes one pass")
    seen = ladder_opt(capfd, "--pass=mlir:cse", "--passes=level0", MATMUL)
    _refused(seen, 2, "--pass or --passes, not both")


def test_a_missing_linker_is_named(capfd: Capture, tmp_path: Path, kernel: Path) -> None:
    command = [sys.executable, "-m", "gemm_ladder.compiler.cli.main", "compile", str(kernel)]
    environment = {**os.environ, "LADDER_LLD": "/nowhere/ld.lld"}
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "out.hsaco")],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr == "error: $LADDER_LLD is '/nowhere/ld.lld', which is no program\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == [kernel.name]


def test_a_reader_that_leaves_is_no_traceback(kernel: Path) -> None:
    command = f"{sys.executable} -m gemm_ladder.compiler.cli.main compile {kernel} --stop-after s"
    done = subprocess.run(
        ["bash", "-c", f"{command} | true"], capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""


def test_the_input_is_not_overwritten(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mm.mlir"
    path.write_text(Path(MATMUL).read_text())
    seen = ladder(capfd, "compile", str(path), "--passes=level1", "-o", str(path))
    assert seen.code == 2
    assert seen.err == f"error: -o {path} is the input; name another file\n"
    assert path.read_text() == Path(MATMUL).read_text()


def test_a_suffix_of_another_stage(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "mm.hsaco"
    flags = ("--passes=level1", "--stop-after", "tile", "-o", str(out))
    seen = ladder(capfd, "compile", MATMUL, *flags)
    assert seen.code == 2
    assert seen.err == f"error: -o {out} names another stage than --stop-after tile\n"
    assert not out.exists()


def test_what_was_written_is_named(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    seen = ladder(capfd, "compile", MATMUL, "--passes=level0", "-o", str(out))
    assert seen.code == 0
    assert f"wrote {out}.hsaco and {out}.json" in seen.out
    assert (tmp_path / "out.hsaco").exists()


def test_a_linker_that_links_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "LADDER_LLD": "/bin/true"}
    command = [sys.executable, "-m", "gemm_ladder.compiler.cli.main", "compile", MATMUL]
    done = subprocess.run(
        [*command, "--passes=level0", "-o", str(tmp_path / "mm.hsaco")],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 1
    assert done.stderr == "error: linking the HSACO: /bin/true ended well but made no file\n"


def test_a_problem_that_no_memory_holds(capfd: Capture, tmp_path: Path) -> None:
    huge = tmp_path / "huge.mlir"
    huge.write_text(Problem(10_000_000, 4_000_000, 1, out="f32").mlir())
    seen = ladder(capfd, "run", str(huge), "--passes=level1", "--device", "sim")
    assert (seen.code, seen.out) == (1, "")
    assert seen.err.startswith("error: not enough memory here: ")
    assert seen.err.count("\n") == 1
