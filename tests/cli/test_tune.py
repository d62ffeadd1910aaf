"""`ladder tune` on devices without a GPU: what it tries, skips, keeps and prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_tools import Seen, ladder

from gemm_ladder.compiler.pipeline_text import parse_pipeline
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.tune.space import candidates, varied
from gemm_ladder.runtime.__main__ import main as runtime_main
from gemm_ladder.runtime.errors import DeviceError
from gemm_ladder.runtime.sampled import SampledProblem

PASSES = (
    "import-matmul,tile-workgroup{shape=32x32x32 waves=2x1},promote-to-lds,matrix-core,"
    "multi-buffer{stages=2}"
)
MATMUL = """func.func @mm(%A: memref<48x64xbf16>, %B: memref<64x32xbf16>, %C: memref<48x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<48x32xf32>)
  linalg.matmul ins(%A, %B : memref<48x64xbf16>, memref<64x32xbf16>) outs(%C : memref<48x32xf32>)
  return
}
"""
FOLDER = "48x32x64-mk-kn-bf16-bf16-f32-gfx1250"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with mm.mlir, and no cache of the user's."""
    monkeypatch.setenv("LADDER_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "mm.mlir").write_text(MATMUL)
    return tmp_path


def tune(capfd: pytest.CaptureFixture[str], store: Path, *more: str) -> Seen:
    """`ladder tune` of mm.mlir, over stages of the ring alone."""
    argv = ["tune", str(store / "mm.mlir"), "--passes", PASSES, "--count", "1", "--jobs", "1"]
    keep = ["--store", str(store), "--vary", "tile-workgroup.waves=2x1"]
    return ladder(capfd, *argv, *keep, "--vary", "multi-buffer.stages=3,99,none", *more)


def test_sim_prints_a_pipeline_and_counts_what_it_skips(
    store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seen = tune(capfd, store)
    assert seen.code == 0, seen.err
    assert parse_pipeline(seen.out.strip())[0].name == "import-matmul"
    assert "3 candidates compiled, 1 skipped" in seen.err
    assert "  1 x multi-buffer: needs N B of LDS, gfx1250 has N B" in seen.err
    assert "skipped (multi-buffer: needs 443,5" in seen.err
    assert "[2/4] compiled  multi-buffer{stages=3}" in seen.err
    assert "3 kernels measured, 0 failed" in seen.err
    listed = json.loads((store / FOLDER / "candidates.json").read_text())["candidates"]
    assert [entry["number"] for entry in listed] == [0, 1, 3]


def test_a_second_run_measures_nothing_again(
    store: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tune(capfd, store, "--device", "interp")
    (results,) = (store / FOLDER).glob("results-*.jsonl")
    before = results.read_text()

    def refuse(*_: object) -> str:
        raise AssertionError("measured again")

    monkeypatch.setattr(SampledProblem, "check", refuse)
    second = tune(capfd, store, "--device", "interp")
    assert (second.code, second.out) == (0, first.out)
    assert results.read_text() == before


def test_a_lost_device_costs_one_candidate(
    store: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def lose(self: SampledProblem, run: object) -> str:
        calls.append(run)
        if len(calls) == 2:
            raise DeviceError("the device is lost")
        return ""

    monkeypatch.setattr(SampledProblem, "check", lose)
    assert "the device is lost" in tune(capfd, store, "--device", "interp").err
    seen = tune(capfd, store, "--device", "interp")
    assert seen.code == 0
    assert "3 kernels measured, 1 failed" in seen.err
    assert "took the device with it" in seen.err
    assert len(calls) == 3


def test_wrong_results_do_not_win(
    store: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = SampledProblem.check
    monkeypatch.setattr(SampledProblem, "check", lambda self, run: right(self, lambda: 0.0))
    seen = tune(capfd, store, "--device", "interp")
    assert seen.code == 1
    assert "wrong in" in seen.err
    assert "error: no candidate is right" in seen.err


def test_compiled_here_measured_there(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert tune(capfd, store, "--compile-only").code == 0
    assert runtime_main(["tune", str(store / FOLDER), "--device", "sim", "--count", "1"]) == 0
    captured = capfd.readouterr()
    assert captured.out.startswith("import-matmul,")
    assert "3 kernels measured" in captured.err


def test_the_space_starts_at_the_pipeline_and_moves_away() -> None:
    steps = resolve(PASSES)
    space = varied({}, steps, ["multi-buffer.stages=3,4", "tile-workgroup.shape=64x32x32"])
    texts = list(candidates(steps, space))
    assert texts[0] == PASSES
    assert [text.count("stages=2") for text in texts] == [1, 0, 0, 1, 0, 0]
    assert "tile-workgroup{shape=64x32x32 waves=2x1}" in texts[3]


def test_what_is_asked_for_varies_first() -> None:
    steps = resolve(PASSES)
    known = {"tile-workgroup": [{"shape": "64x32x32"}]}
    texts = list(candidates(steps, varied(known, steps, ["multi-buffer.stages=3"])))
    assert ["stages=3" in text for text in texts] == [False, True, False, True]


def test_two_options_of_a_pass_vary_together() -> None:
    steps = resolve(PASSES)
    asked = ["tile-workgroup.shape=64x32x32,32x32x32", "tile-workgroup.waves=2x2,none"]
    assert varied({}, steps, asked)["tile-workgroup"] == [
        {"shape": "64x32x32", "waves": "2x2"},
        {"shape": "32x32x32", "waves": "2x2"},
        None,
    ]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        *(
            (("--vary", text), f"'{text}' is not of the form PASS.OPTION=VALUE,VALUE\n")
            for text in ("multi-buffer", "multi-buffer.stages", "=3", "a.b=")
        ),
        (
            ("--vary", "multi-bufer.stages=3"),
            "--vary multi-bufer.stages=3: no pass 'multi-bufer' in this pipeline; did you mean "
            "'multi-buffer'?\npasses: import-matmul, tile-workgroup, promote-to-lds, matrix-core, "
            "multi-buffer\n",
        ),
        (
            ("--vary", "multi-buffer.stges=none"),
            "--vary multi-buffer.stges=none: multi-buffer: unknown option 'stges' (known options: "
            "stages); did you mean 'stages'?\n",
        ),
        (
            ("--vary", "multi-buffer.stages=3,few"),
            "--vary multi-buffer.stages=3,few: multi-buffer: option 'stages' is 'few'; allowed: an "
            "integer of at least 1\n",
        ),
        (
            ("--device", "sim:soon"),
            "unknown simulator option 'soon'; known: late, early, random, seed=N, gfx1250\n",
        ),
    ],
)
def test_what_cannot_be_meant_is_said_before_anything_is_compiled(
    more: tuple[str, ...], said: str, store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seen = tune(capfd, store, *more)
    assert (seen.code, seen.out, seen.err) == (2, "", f"error: {said}")
    assert not (store / FOLDER).exists()


def test_a_level_does_not_start_at_tile_ir(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = store / "mm.tile.mlir"
    path.write_text("module {\n}\n")
    seen = ladder(capfd, "tune", str(path), "--store", str(store))
    assert (seen.code, seen.out) == (2, "")
    assert seen.err == (
        f"error: {path} is at stage tile, where no level starts; "
        "name the passes that are left with --passes\n"
    )
