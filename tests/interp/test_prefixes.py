"""Every prefix of every level, as tile IR: right and without a finding, in an order of its turn."""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.interp.device import LANDINGS
from gemm_ladder.compiler.interp.machine import Settings
from gemm_ladder.compiler.pipelines import LADDERS, levels
from gemm_ladder.compiler.resolve import pipeline_text, resolve

from .levels import level_text
from .running import failures


def prefixes(target: str) -> list[str]:
    """Every distinct prefix of a pipeline of ``target``'s levels, in the order of the ladder."""
    found: dict[str, None] = {}
    for name in levels(target):
        steps = resolve(name, target)
        for length in range(1, len(steps) + 1):
            found[pipeline_text(steps[:length])] = None
    return list(found)


CASES = [
    (number, target, text) for target in LADDERS for number, text in enumerate(prefixes(target))
]


@pytest.mark.parametrize(("number", "target", "passes"), CASES, ids=str)
def test_prefix(number: int, target: str, passes: str) -> None:
    text = level_text(resolve(passes), target, 300, 72, 336)
    setting = Settings(LANDINGS[number % len(LANDINGS)], number)
    assert not failures(text, [setting])
