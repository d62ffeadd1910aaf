"""Random problems through random pipelines: each is refused with a reason, or right at every pass.

CI runs a fixed minute's worth; `pytest -m sweep tests/interp/test_generator.py` runs longer, from
another start each time. A failure shrinks to a command that can be pasted.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.errors import InternalError, LadderError
from gemm_ladder.compiler.observe import Watcher
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source
from gemm_ladder.compiler.verify_each import BrokenPassError, VerifyEach

from .breakage import DropWaits, broken_pass
from .problems import Problem, pipelines, problems, targets

_DEVICES = st.sampled_from(["interp", "interp:early", "interp:random,seed=1"])
_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def check(problem: Problem, pipeline: str, target: str, device: str, folder: Path) -> str:
    """ "ok" or the reason of a refusal; AssertionError with a command to paste otherwise."""
    source = Source("<problem>", problem.text(), "linalg", "problem")
    watcher = Watcher(verify=VerifyEach(device, folder=folder))
    request = Request(source, resolve(pipeline), target, stop="tile", watcher=watcher)
    try:
        compile_source(request)
    except (BrokenPassError, InternalError) as error:
        raise AssertionError(_paste(problem, pipeline, target, device, str(error))) from None
    except LadderError as error:
        reason = str(error)
        assert re.search(r"error: (\w|-)+: .{10,}", reason), _paste(
            problem, pipeline, target, device, f"refused without a reason: {reason}"
        )
        return reason
    return "ok"


def _paste(problem: Problem, pipeline: str, target: str, device: str, why: str) -> str:
    command = (
        f"ladder run - --passes='{pipeline}' --target {target} --verify-each --device {device}"
    )
    return f"{why}\n\n{command} <<'END'\n{problem.text()}END\n"


@seed(20261130)
@settings(max_examples=100, deadline=None, database=None, suppress_health_check=_CALM)
@given(problem=problems(), pipeline=pipelines(), target=targets(), device=_DEVICES)
def test_refused_with_a_reason_or_right(
    tmp_path_factory: pytest.TempPathFactory,
    problem: Problem,
    pipeline: str,
    target: str,
    device: str,
) -> None:
    check(problem, pipeline, target, device, tmp_path_factory.getbasetemp())


@pytest.mark.sweep
@settings(max_examples=5000, deadline=None, suppress_health_check=_CALM)
@given(problem=problems(), pipeline=pipelines(), target=targets(), device=_DEVICES)
def test_sweep(
    tmp_path_factory: pytest.TempPathFactory,
    problem: Problem,
    pipeline: str,
    target: str,
    device: str,
) -> None:
    check(problem, pipeline, target, device, tmp_path_factory.getbasetemp())


def test_most_pipelines_are_not_refused(tmp_path: Path) -> None:
    """The generator would prove nothing if it mostly made pipelines that do not run."""
    seen = []

    @seed(7)
    @settings(max_examples=30, deadline=None, database=None, suppress_health_check=_CALM)
    @given(problem=problems(), pipeline=pipelines())
    def run(problem: Problem, pipeline: str) -> None:
        seen.append((pipeline, check(problem, pipeline, "gfx1250", "interp", tmp_path)))

    run()
    right = [pipeline for pipeline, result in seen if result == "ok"]
    assert len(right) > len(seen) / 3, seen
    assert any("multi-buffer" in pipeline for pipeline in right)


def test_a_failure_shrinks_to_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken_pass(monkeypatch, "promote-to-lds", DropWaits)

    @seed(7)
    @settings(
        max_examples=100, deadline=None, database=None, suppress_health_check=_CALM,
        phases=(Phase.generate, Phase.shrink),
    )  # fmt: skip
    @given(problem=problems(), pipeline=pipelines())
    def run(problem: Problem, pipeline: str) -> None:
        check(problem, pipeline, "gfx1250", "interp", tmp_path)

    with pytest.raises(AssertionError) as failure:
        run()
    text = str(failure.value)
    assert "the kernel is wrong after pass 'promote-to-lds" in text
    command = re.search(
        r"--passes='import-matmul,tile-workgroup\{[^}]*\},promote-to-lds[^,]*'", text
    )
    assert command, text
    assert "memref<1x1x" in text or "tensor<1x1x" in text
