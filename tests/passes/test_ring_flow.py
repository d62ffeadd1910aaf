"""verify-tile on loops whose fills engines make: each is accepted, and each defect refused.

What is let pass is listed with the reason; the interpreter reports those that are wrong.
"""

from __future__ import annotations

import pytest
from interp.levels import level_text
from interp.mutants import mutants

from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.session import Session
from gemm_ladder.compiler.targets import load_target
from gemm_ladder.passes.base import PassContext, PassError

# Nothing reads the fragments before the product, which waits for them itself.
DRAIN = {"wait lds #{}: delete", "wait lds #{}: pending + 1"}
# B's waves' arrival at `full` is missing: a wait that never ends, not a race; their copies are
# handed over by the workgroup's barrier, too.
SILENT = {"arrive #23: delete", "arrive #23: other slot in operand 1"}
FRONT = "import-matmul,tile-workgroup{shape=32x32x32 waves=2x2},promote-to-lds"
PROGRAMS = {
    "tdm": ("gfx1250", f"{FRONT},matrix-core,multi-buffer{{stages=3}},copy-engine", 18, set()),
    "tma": (
        "sm_90a",
        f"{FRONT}{{pad=0}},matrix-core,multi-buffer{{stages=3}},copy-engine",
        19,
        set(),
    ),
    "tma of A": (
        "sm_90a",
        f"{FRONT}{{pad=0}},matrix-core,multi-buffer{{stages=3}},async-copies,copy-engine",
        20,
        SILENT,
    ),
}


def verdict(text: str, target: str) -> str:
    """What verify-tile says of ``text``; nothing if it accepts it."""
    session = Session()
    module = session.parse(text, "")
    (step,) = resolve("verify-tile")
    assert step.pass_ is not None
    with session.context:
        try:
            step.pass_.run(module, PassContext(load_target, target, lambda where, text: None))
        except PassError as error:
            return error.message
    return ""


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_defect_is_refused(name: str) -> None:
    target, pipeline, drain, silent = PROGRAMS[name]
    width = 36 if name == "tma of A" else 64
    text = level_text(resolve(pipeline), target, 64, width, 200)
    assert verdict(text, target) == ""
    accepted = {m.name for m in mutants(text) if not verdict(m.text, target)}
    assert accepted == {label.format(drain) for label in DRAIN} | silent
