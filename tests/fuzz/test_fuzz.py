"""500 mutated inputs: a result that is right, or one clear error; no traceback, hang or crash."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import mutate
import pytest
from commands import Ended, Worker, run

from gemm_ladder.compiler.cli import main
from gemm_ladder.compiler.problem import Problem
from gemm_ladder.runtime.artefact_files import load_artefact

SMALL = Problem(32, 48, 64, out="f32")
PIPELINE = (
    "import-matmul,tile-workgroup{shape=32x32x32 waves=1x1},promote-to-lds{pad=16},matrix-core,"
    "multi-buffer{stages=2},async-copies,mlir:gpu.module(canonicalize,cse)"
)
OPTIONS = (
    ["--passes=level1"], ["--target", "sm_90a"], ["--target", "gfx1250"], ["--device", "interp"],
    ["--device", "sim:random,seed=3"], ["--seed", "3"], ["--repeats", "2"], ["--json"],
    ["--no-cache"], ["--start-at", "tile"], ["--findings", "json"], ["--stop-after", "s"],
    ["--print-ir-after", "matrix-core"], ["--dump-dir", "dumps"], ["-o", "out.s"], ["--after", "x"],
    ["--as", "pseudocode"], ["--diff", "level0", "level1"], ["--verify-each"], ["--isolate"],
)  # fmt: skip


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small problem at each stage, and its artefact."""
    folder = tmp_path_factory.mktemp("bases")
    (folder / "mm.mlir").write_text(SMALL.mlir())
    for stage in ("tile.mlir", "gpu.mlir", "llvm.mlir", "ll", "s", "hsaco"):
        argv = ["compile", str(folder / "mm.mlir"), f"--passes={PIPELINE}", "--no-cache"]
        assert main.main([*argv, "-o", str(folder / f"mm.{stage}")]) == 0
    return folder


def judge(ended: Ended, argv: list[str], folder: Path) -> None:
    """A command may refuse, in lines that say error and no more; what it computes is right."""
    if ended.code < 0:
        # As a user meets it: the crash is caught and named.
        assert ended.code in (-6, -11), f"{argv}: {ended}"
        ended = run(argv, folder)
        assert ended.code == 1, f"{argv}: {ended}"
        assert re.search(r"^error: MLIR or LLVM crashed", ended.err, re.MULTILINE), ended.err
    both = ended.out + ended.err
    assert "Traceback" not in both, f"{argv}: {both}"
    assert "internal" not in both, f"{argv}: {both}"
    assert ended.code in (0, 1, 2), f"{argv}: {ended}"
    if ended.code == 2:
        assert "error" in ended.err, f"{argv}: {ended}"
    assert not list(folder.glob(".*.tmp*")), f"{argv}: left a temporary file"


def check(worker: Worker, argv: list[str], folder: Path) -> Ended:
    ended = worker.run(argv, folder)
    judge(ended, argv, folder)
    return ended


@pytest.mark.parametrize("seed", range(16))
def test_linalg(worker: Worker, bases: Path, tmp_path: Path, seed: int) -> None:
    """Whatever still is a matmul is compiled right."""
    rng = random.Random(f"linalg {seed}")
    for _ in range(8):
        (tmp_path / "mm.mlir").write_text(mutate.text((bases / "mm.mlir").read_text(), rng))
        ended = check(worker, ["run", "mm.mlir", f"--passes={PIPELINE}"], tmp_path)
        assert "FAIL" not in ended.out, (tmp_path / "mm.mlir").read_text()


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("stage", ["tile.mlir", "gpu.mlir", "llvm.mlir", "ll", "s"])
def test_later_stages(worker: Worker, bases: Path, tmp_path: Path, stage: str, seed: int) -> None:
    """A program that a user broke may compute anything; it ends, and says what it can."""
    rng = random.Random(f"{stage} {seed}")
    for _ in range(2):
        mutant = mutate.text((bases / f"mm.{stage}").read_text(), rng)
        (tmp_path / f"mm.{stage}").write_text(mutant)
        end = "interp" if stage == "tile.mlir" and rng.random() < 0.5 else "compile"
        argv = ["run", f"mm.{stage}", "--device", end]
        if end == "compile":
            argv = ["compile", f"mm.{stage}", "--stop-after", "s", "-o", "out.s"]
        check(worker, argv, tmp_path)


@pytest.mark.parametrize("seed", range(12))
def test_pipeline_text(worker: Worker, bases: Path, tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"pipeline {seed}")
    for _ in range(8):
        passes = mutate.text(PIPELINE, rng).replace("\x00", "")
        argv = ["run", str(bases / "mm.mlir"), f"--passes={passes}", "--device", "interp"]
        ended = check(worker, argv, tmp_path)
        assert "FAIL" not in ended.out, passes


@pytest.mark.parametrize("seed", range(12))
def test_options(worker: Worker, bases: Path, tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"options {seed}")
    for _ in range(5):
        command = rng.choice(["compile", "run", "show", "passes", "pipelines", "targets", "cache"])
        flags = [word for flag in rng.sample(OPTIONS, rng.randint(1, 4)) for word in flag]
        if rng.random() < 0.5:
            at = rng.randrange(len(flags))
            flags[at] = mutate.text(flags[at], rng).replace("\x00", "")
        check(worker, [command, str(bases / "mm.mlir"), *flags], tmp_path)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("suffix", ["json", "s", "hsaco"])
def test_artefacts(worker: Worker, bases: Path, tmp_path: Path, suffix: str, seed: int) -> None:
    """A damaged artefact is refused; one whose damage does not matter runs right."""
    rng = random.Random(f"artefact {suffix} {seed}")
    for _ in range(2):
        for name in ("mm.json", "mm.s", "mm.hsaco"):
            (tmp_path / name).write_bytes((bases / name).read_bytes())
        path = tmp_path / f"mm.{suffix}"
        good = path.read_bytes()
        path.write_bytes(mutate.data(good, rng))
        ended = check(worker, ["run", "mm.json", "--device", "sim"], tmp_path)
        assert suffix == "json" or ended.code == 2 or path.read_bytes() == good


@pytest.mark.parametrize("seed", range(8))
def test_the_cache(
    worker: Worker, bases: Path, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever happens to an entry, the binary is the one that a fresh compilation makes."""
    monkeypatch.setenv("LADDER_CACHE_DIR", str(tmp_path / "cache"))
    rng = random.Random(f"cache {seed}")
    argv = ["compile", str(bases / "mm.mlir"), f"--passes={PIPELINE}", "-o"]
    good = load_artefact(bases / "mm.json")
    for _ in range(3):
        assert main.main([*argv, str(tmp_path / "a.hsaco")]) == 0
        for entry in (tmp_path / "cache").iterdir():
            entry.write_bytes(mutate.data(entry.read_bytes(), rng))
        assert main.main([*argv, str(tmp_path / "b.hsaco")]) == 0
        made = load_artefact(tmp_path / "b.json")
        assert (made.binary, made.asm, made.kernels) == (good.binary, good.asm, good.kernels)
