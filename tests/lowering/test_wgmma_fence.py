"""Registers of a warpgroup's product are written before its fence, also in straight-line code."""

from __future__ import annotations

import re

import pytest

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.problem import Problem
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source


@pytest.mark.parametrize(("level", "depth"), [("level7", 256), ("level12", 7)])
def test_no_constant_is_made_between_a_fence_and_its_product(level: str, depth: int) -> None:
    """LLVM makes a constant anew at its use; ptxas then adds a fence of its own (C7519)."""
    source = Source("mm.mlir", Problem(128, 256, depth).mlir(), "linalg", "mm")
    made = compile_source(Request(source, resolve(level, "sm_90a"), "sm_90a", link="no")).artefact
    assert made is not None
    assert made.asm is not None
    between = re.findall(r"wgmma\.fence\.sync\.aligned;(.*?)wgmma\.mma_async", made.asm, re.DOTALL)
    assert between
    for text in between:
        sources = re.findall(r"\bmov\.b32\s+%\w+, ([%\w]+);", text)
        assert len(set(sources)) == len(sources), "one constant for many registers"
