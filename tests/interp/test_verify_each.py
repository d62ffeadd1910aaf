"""A broken version of each pass is caught at that pass, named, and kept in a reproducer."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

from gemm_ladder.compiler.cli import main as ladder_main
from gemm_ladder.compiler.cli import opt

from .breakage import (
    Damage,
    broken_pass,
    drop,
    drop_last,
    drop_waits,
    ops,
    set_attr,
    shift_operand,
    swap_operands,
)
from .levels import matmul_text

# What a broken pass does -> (the pass, the damage, a part of the finding).
BROKEN: dict[str, tuple[str, Damage, str]] = {
    "import: the other layout": (
        "import-matmul", set_attr("tile.contract", "b_order", '"nk"'), "parts that do not fit"),
    "import: adds to C": (
        "import-matmul", set_attr("tile.contract", "accumulate", "true"), "are wrong"),
    "tile: no coordinates": (
        "tile-workgroup", swap_operands("tile.store", 2, 3), "elements are wrong"),
    "tile: one K block off": (
        "tile-workgroup", shift_operand("tile.load", 1, 32), "elements are wrong"),
    "lds: no wait for the copies": (
        "promote-to-lds", drop_waits("copy"), "use before arrival: tile.load"),
    "lds: no barrier": (
        "promote-to-lds", drop("tile.barrier"), "use before arrival: tile.load"),
    "lds: no barrier before the next copy": (
        "promote-to-lds", drop_last("tile.barrier"), "write before all readers are done"),
    "lds: the wrong rows": (
        "promote-to-lds", swap_operands("tile.copy", 3, 4), "tile.copy"),
    "core: half of the atoms": (
        "matrix-core", set_attr("tile.mma", "atoms", "[0, 2]"), "elements are wrong"),
    "buffers: no wait": (
        "multi-buffer", drop_waits("copy"), "use before arrival: tile.load"),
    "buffers: waits too weak": (
        "multi-buffer", set_attr("tile.wait", "pending", "1 : i64"), "use before arrival"),
    "buffers: arrives, never waits": (
        "multi-buffer", drop("tile.wait_barrier"), "barrier phase skipped: tile.arrive"),
    "buffers: waits, never arrives": (
        "multi-buffer", drop("tile.arrive"), "wait that never completes: tile.wait_barrier"),
    "buffers: one slot only": (
        "multi-buffer", shift_operand("tile.copy", 2, 1), "tile."),
}  # fmt: skip


def _run(folder: Path, *argv: str) -> int:
    source = folder / "mm.mlir"
    source.write_text(matmul_text(96, 64, 128), encoding="utf-8")
    return ladder_main.main(["run", str(source), "--passes=level1", *argv])


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_pass_is_named(
    what: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    name, damage, finding = BROKEN[what]
    broken_pass(monkeypatch, name, damage)
    monkeypatch.chdir(tmp_path)
    assert _run(tmp_path, "--verify-each") == 1
    err = capfd.readouterr().err
    assert f"error: the kernel is wrong after pass '{name}" in err
    assert finding in err
    (reproducer,) = tmp_path.glob("mm.*.reproducer.*.mlir")
    assert reproducer.name in err
    # The reproducer does what it says, with the broken pass and not with the real one.
    again = ["run", str(reproducer), f"--passes={_text(err)}", "--verify-each"]
    assert ladder_main.main(again) == 1
    assert f"after pass '{name}" in capfd.readouterr().err
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert ladder_main.main(again) == 0


def _text(err: str) -> str:
    return err.partition("after pass '")[2].partition("'")[0]


def test_the_real_passes_are_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for device in ("interp", "interp:random,seed=5", "sim"):
        assert _run(tmp_path, "--verify-each", f"--device={device}") == 0
        out = capfd.readouterr()
        assert out.out.splitlines()[1].endswith("ok"), out
    assert not list(tmp_path.glob("*.reproducer.*"))


def test_places_are_those_of_the_file_that_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    broken_pass(monkeypatch, "promote-to-lds", drop_waits("copy"))
    monkeypatch.chdir(tmp_path)
    _run(tmp_path, "--verify-each")
    err = capfd.readouterr().err
    name, line, column = err.partition("(mm.promote")[2].partition(")")[0].split(":")
    lines = (tmp_path / f"mm.promote{name}").read_text(encoding="utf-8").splitlines()
    assert "tile.load" in lines[int(line) - 1][int(column) - 1 :]


def test_ladder_opt_verifies_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "mm.mlir"
    source.write_text(matmul_text(64, 64, 64), encoding="utf-8")
    flags = [str(source), "--passes=level0", "--verify-each", "-o", "/dev/null"]
    assert opt.main(flags) == 0
    broken_pass(monkeypatch, "matrix-core", set_attr("tile.mma", "atoms", "[0, 1]"))
    assert opt.main(flags) == 1
    assert "the kernel is wrong after pass 'matrix-core'" in capfd.readouterr().err


TWO = """
func.func @two(%A: memref<48x40xbf16>, %B: memref<40x56xbf16>, %C: memref<48x56xf32>,
               %D: memref<56x72xf16>, %F: memref<72x16xf16>, %G: memref<56x16xf32>) {
  linalg.matmul ins(%A, %B : memref<48x40xbf16>, memref<40x56xbf16>) outs(%C : memref<48x56xf32>)
  linalg.matmul ins(%D, %F : memref<56x72xf16>, memref<72x16xf16>) outs(%G : memref<56x16xf32>)
  return
}
"""


def test_every_kernel_of_a_module_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.mlir").write_text(TWO, encoding="utf-8")
    argv = ["run", "two.mlir", "--passes=level1", "--verify-each"]
    assert ladder_main.main(argv) == 0
    assert len(capfd.readouterr().out.splitlines()) == 3

    def damage(module: ir.Module) -> None:
        ops(module, "tile.wait")[-1].erase()

    broken_pass(monkeypatch, "multi-buffer", damage)
    assert ladder_main.main(argv) == 1
    err = capfd.readouterr().err
    assert "  two_1: " in err
    assert "  two_0: " not in err
