"""Every deleted, weakened or misdirected wait, arrival and barrier is reported where it matters.

Mutants that the semantics leave right are listed, with the reason; any other that survives, and
any that is listed and does not, fails.
"""

from __future__ import annotations

import pytest

from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.targets import target_names

from .levels import level_text
from .mutants import mutants
from .running import NAMES, every_mode, failures, program

_OPERANDS = "only products use the loads that it waits for, and a product has its operands"
_CARRIED = "the wait at the loop's end left nothing in flight"
_TWO = "slots are released in order, so the release of the later of two implies the other's"
_OWN = "a wave stores out of the slots that it alone wrote"
_AHEAD = "more K blocks than stages: the consumers' next tile orders their staging of C"

# Program -> mutant -> why it is right.
RIGHT: dict[str, dict[str, str]] = {}


def _both(reason: str, *labels: str) -> dict[str, str]:
    return {f"{label}: {what}": reason for label in labels for what in ("delete", "pending + 1")}


RIGHT["level2"] = _both(_OPERANDS, "wait lds #16")
RIGHT["level5"] = _both(_OPERANDS, *(f"wait lds #{n}" for n in (18, 22, 26, 28)))
RIGHT["level7"] = _both(_OPERANDS, *(f"wait lds #{n}" for n in (18, 22, 26, 28)))
RIGHT["level8"] = _both(_OPERANDS, *(f"wait lds #{n}" for n in (18, 22, 26)))
RIGHT["level9"] = _both(_OPERANDS, "wait lds #18")
RIGHT["level10"] = {
    **_both(_OPERANDS, "wait lds #19"),
    **_both(_CARRIED, "wait lds #26", "wait copy #27"),
}
RIGHT["level11"] = _both(_OPERANDS, *(f"wait lds #{n}" for n in (20, 24, 26)))
RIGHT["level12"] = _both(_OPERANDS, "wait lds #26")
RIGHT["hopper"] = {"barrier #25: delete": _AHEAD}
RIGHT["hopper-cluster"] = {
    "wait_barrier #7: other slot in operand 1": _TWO,
    "arrive #17: other slot in operand 1": _TWO,
}
RIGHT["hopper-parts"] = {
    "wait_barrier #7: other slot in operand 1": _TWO,
    "arrive #15: other slot in operand 1": _TWO,
}
RIGHT["hopper-fallback"] = {
    "wait_barrier #5: other slot in operand 1": _TWO,
    "arrive #17: other slot in operand 1": _TWO,
}
RIGHT["hopper-staged"] = {
    **_both(_OPERANDS, "wait lds #15"),
    "barrier #21: delete": _OWN,
}

RIGHT_LEVELS = {
    "level0": _both(_OPERANDS, "wait lds #12"),
    "level1": _both(_OPERANDS, "wait lds #15"),
}


def _survivors(text: str) -> tuple[set[str], int]:
    """Mutants that no mode and seed tried here reports, and how many there were."""
    found, count = set(), 0
    for mutant in mutants(text):
        count += 1
        if not failures(mutant.text, every_mode(range(4))):
            found.add(mutant.name)
    return found, count


@pytest.mark.parametrize("name", NAMES)
def test_hand_written_programs(name: str) -> None:
    survivors, count = _survivors(program(name))
    assert count > 10
    assert survivors == set(RIGHT[name])


@pytest.mark.parametrize("target", [t for t in target_names() if t != "sm_120"])
@pytest.mark.parametrize("level", ["level0", "level1"])
def test_levels(level: str, target: str) -> None:
    text = level_text(resolve(level), target, 64, 64, 96)
    survivors, count = _survivors(text)
    assert count > 5
    assert survivors == set(RIGHT_LEVELS[level])
