"""ptxas's remarks: a schedule that it gave up is an error, whatever the kernel's result."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemm_ladder.compiler.codegen import nvptx
from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.compiler.targets import load_target

# What ptxas's remarks look like.
SERIALISED = (
    "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are "
    "serialized due to non wgmma instructions defining accumulator registers of a wgmma between "
    "start and end of the pipeline stage in the function 'matmul'"
)
NOT_RESIZED = (
    "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum "
    "register requirements."
)


@pytest.fixture
def assembler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in ptxas's place that makes a file and says what is in ``says``."""
    program, says = tmp_path / "ptxas", tmp_path / "says"
    program.write_text(
        f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho code > "$2"\ncat {says} >&2\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("LADDER_PTXAS", str(program))
    return says


@pytest.mark.parametrize("remark", [SERIALISED, NOT_RESIZED])
def test_a_schedule_given_up_is_an_error(assembler: Path, remark: str) -> None:
    assembler.write_text(
        f"ptxas info    : 0 bytes gmem\n{remark}\nptxas info    : Used 9 registers\n"
    )
    with pytest.raises(LadderError) as caught:
        nvptx.to_cubin("// ptx", load_target("sm_90a"))
    assert str(caught.value).startswith("error: ptxas gave up a schedule: ptxas info")
    assert "(C75" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_remarks_are_not(assembler: Path) -> None:
    said = "ptxas info    : (C7999) nothing to do with it\nptxas info    : Used 168 registers\n"
    assembler.write_text(said)
    assert nvptx.to_cubin("// ptx", load_target("sm_90a")) == (b"code\n", said)
