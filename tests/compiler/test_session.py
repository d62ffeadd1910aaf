"""A session and its MLIR context go when nobody holds them."""

from __future__ import annotations

import gc
from pathlib import Path

from mlir import ir

from gemm_ladder.compiler.session import PLACE, Session, place


def test_a_session_is_not_kept_by_its_context() -> None:
    gc.collect()
    before = ir.Context._get_live_count()
    session = Session()
    session.parse("func.func @f() { return }", "<test>")
    assert ir.Context._get_live_count() == before + 1
    del session
    gc.collect()
    assert ir.Context._get_live_count() == before


def test_a_line_is_only_named_where_there_is_one() -> None:
    session = Session()
    module = session.parse("func.func @f() { return }", "<test>")
    with session.context:
        assert place(module.operation.location) == "<stdin>"
        assert place(module.body.operations[0].location) == "<stdin>:1:1"
        assert place(ir.Location.unknown()) == ""
    for lead in ("f.mlir:1:2: ", "f.mlir: ", ""):
        assert PLACE.sub("", f"{lead}warning: pass a: it is: so") == "warning: pass a: it is: so"


def test_a_file_of_that_name_is_not_read_instead(tmp_path: Path) -> None:
    file = tmp_path / "f.mlir"
    file.write_text("func.func @other() { return }")
    session = Session()
    module = session.parse("func.func @f() { return }", str(file))
    assert "@f" in str(module)
    named = session.parse(file.read_text(), str(file))
    with session.context:
        assert place(named.body.operations[0].location) == f"{file}:1:1"


def test_diagnostics_still_arrive() -> None:
    session = Session()
    module = session.parse("func.func @f() { return }", "<test>")
    with session.context:
        module.body.operations[0].location.emit_error("said")
    lines, failed = session.take()
    assert failed
    assert lines[0].endswith("error: said")
