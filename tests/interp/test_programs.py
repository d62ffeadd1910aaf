"""Correct programs: right, and without a finding, whatever the order of waves and of landing."""

from __future__ import annotations

import re

import pytest

from gemm_ladder.compiler.interp.machine import Settings
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.session import Session
from gemm_ladder.compiler.targets import load_target, target_names
from gemm_ladder.passes.base import PassContext

from .levels import level_text
from .running import NAMES, every_mode, failures, program


@pytest.mark.parametrize("name", NAMES)
def test_no_finding_in_any_mode_under_20_seeds(name: str) -> None:
    assert not failures(program(name), every_mode(range(20)))


@pytest.mark.parametrize("name", NAMES)
def test_one_workgroup_at_a_time_agrees(name: str) -> None:
    assert not failures(program(name), [Settings(seed=1, exact=True)])


@pytest.mark.parametrize("name", NAMES)
def test_verify_tile_accepts_it(name: str) -> None:
    session = Session()
    module = session.parse(program(name), "")
    context = PassContext(load_target, "gfx1250", lambda where, text: None)
    (step,) = resolve("verify-tile")
    assert step.pass_ is not None
    with session.context:
        step.pass_.run(module, context)


@pytest.mark.parametrize("target", [t for t in target_names() if t != "sm_120"])
@pytest.mark.parametrize("level", ("level0", "level1"))
def test_levels_after_every_prefix(level: str, target: str) -> None:
    steps = resolve(level, target)
    for count in range(1, len(steps) + 1):
        text = level_text(steps[:count], target, 96, 80, 72)
        assert not failures(text, every_mode(range(3))), steps[count - 1].name


def test_one_operand_may_fall_back_to_a_copy_through_registers() -> None:
    text, count = re.subn(
        r'scf\.if %second \{\s*"tile\.copy_async"(\([^)]*\)) \{align = 16[^}]*\}(.*?)-> \(\)\s*\}',
        r'"tile.copy"\1 {align = 16}\2-> ()',
        program("level7"),
        flags=re.DOTALL,
    )
    assert count == 2
    assert not failures(text, every_mode(range(5)))
    unwaited = text.replace('"tile.wait"() {kind = "copy", pending = 0} : () -> ()', "")
    assert any("tile.copy B" in line for line in failures(unwaited, every_mode(range(1))))
