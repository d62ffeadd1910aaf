"""`ladder run` on the simulator: modes, findings, and the way to switch the checks off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_tools import MATMUL, ladder

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Assembly of a level-1 matmul in which one wait is too weak by one."""
    from gemm_ladder.compiler.cli import main

    path = tmp_path_factory.mktemp("findings") / "mm.s"
    assert (
        main.main(["compile", MATMUL, "--target=gfx1250", "--passes=level1", "-o", str(path)]) == 0
    )
    text = path.read_text()
    assert "s_wait_loadcnt 0x0" in text
    path.write_text(text.replace("s_wait_loadcnt 0x0", "s_wait_loadcnt 0x1", 1))
    return str(path)


@pytest.mark.parametrize("mode", ["sim", "sim:early", "sim:random,seed=4"])
def test_a_finding_fails_the_run_in_every_mode(broken: str, capfd: Capture, mode: str) -> None:
    seen = ladder(capfd, "run", broken, "--device", mode)
    assert seen.code == 1
    assert "FAIL: missing-wait: line " in seen.out


def test_findings_as_json_name_both_instructions(broken: str, capfd: Capture) -> None:
    seen = ladder(capfd, "run", broken, "--findings", "json")
    assert seen.code == 1
    found = json.loads(seen.out)
    assert {f["kind"] for f in found} == {"missing-wait"}
    lines = Path(broken).read_text().splitlines()
    assert lines[found[0]["line"] - 1].split(";")[0].strip() == found[0]["text"]
    assert found[0]["text"].startswith("ds_store_b128")
    assert found[0]["other_text"].startswith("global_load_b128")
    assert lines[found[0]["other_line"] - 1].split(";")[0].strip() == found[0]["other_text"]


def test_without_checks_only_the_result_is_judged(broken: str, capfd: Capture) -> None:
    early = ladder(capfd, "run", broken, "--device", "sim:early", "--no-check-races")
    assert early.code == 0
    late = ladder(capfd, "run", broken, "--no-check-races")
    assert late.code == 1
    assert "missing-wait" not in late.out


def test_a_correct_kernel_has_an_empty_list(capfd: Capture) -> None:
    seen = ladder(capfd, "run", MATMUL, "--passes=level1", "--findings", "json")
    assert (seen.code, seen.out) == (0, "[]\n")


def test_what_does_not_fit_is_one_line(capfd: Capture) -> None:
    seen = ladder(capfd, "run", MATMUL, "--passes=level1", "--device=sim:soon")
    assert seen.code == 2
    assert seen.err == (
        "error: unknown simulator option 'soon'; known: late, early, random, seed=N, gfx1250\n"
    )
    seen = ladder(capfd, "run", MATMUL, "--passes=level1", "--device=interp", "--no-check-races")
    assert seen.code != 0
    assert seen.err == "error: --check-races and --no-check-races are for sim, not interp\n"
