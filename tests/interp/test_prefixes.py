"""Every prefix of every level, as tile IR: right and without a finding, in an order of its turn."""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.interp.device import LANDINGS
from gemm_ladder.compiler.interp.machine import Settings
from gemm_ladder.compiler.pipelines import LADDERS
from gemm_ladder.compiler.resolve import resolve

from .levels import level_text, prefixes
from .running import failures

CASES = [
    (number, target, text) for target in LADDERS for number, text in enumerate(prefixes(target))
]


@pytest.mark.parametrize(("number", "target", "passes"), CASES, ids=str)
def test_prefix(number: int, target: str, passes: str) -> None:
    text = level_text(resolve(passes), target, 300, 72, 336)
    setting = Settings(LANDINGS[number % len(LANDINGS)], number)
    assert not failures(text, [setting])
