"""A session and its MLIR context go when nobody holds them."""

from __future__ import annotations

import gc

from mlir import ir

from gemm_ladder.compiler.session import Session


def test_a_session_is_not_kept_by_its_context() -> None:
    gc.collect()
    before = ir.Context._get_live_count()
    session = Session()
    session.parse("func.func @f() { return }", "<test>")
    assert ir.Context._get_live_count() == before + 1
    del session
    gc.collect()
    assert ir.Context._get_live_count() == before


def test_diagnostics_still_arrive() -> None:
    session = Session()
    module = session.parse("func.func @f() { return }", "<test>")
    with session.context:
        module.body.operations[0].location.emit_error("said")
    lines, failed = session.take()
    assert failed
    assert lines[0].endswith("error: said")
