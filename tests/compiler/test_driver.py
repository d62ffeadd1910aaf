"""The driver: order of dumps, located errors, warnings, verification after every pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir
from scripted_pass import scripted

from gemm_ladder.compiler.driver import run_steps
from gemm_ladder.compiler.errors import InternalError
from gemm_ladder.compiler.observe import Watcher
from gemm_ladder.compiler.resolve import Step, upstream_step
from gemm_ladder.compiler.session import MlirError, Session
from gemm_ladder.compiler.targets import load_target
from gemm_ladder.passes.base import PassContext, PassError

TEXT = "func.func @f(%x: f32) -> f32 {\n  %a = arith.addf %x, %x : f32\n  return %a : f32\n}\n"


def _run(steps: list[Step], tmp_path: Path, watcher: Watcher | None = None) -> list[str]:
    path = tmp_path / "in.mlir"
    path.write_text(TEXT)
    said: list[str] = []
    session = Session()
    module = session.parse(TEXT, str(path))
    context = PassContext(load_target, "gfx1250", lambda where, text: said.append(text))
    run_steps(session, module, steps, context, watcher or Watcher(), said.append)
    return said


def _first_op(module: ir.Module) -> ir.Operation:
    function = module.body.operations[0].operation
    return function.regions[0].blocks[0].operations[0].operation


def _rename(module: ir.Module, _: PassContext) -> None:
    module.body.operations[0].operation.attributes["sym_name"] = ir.StringAttr.get("g")


def _refuse(module: ir.Module, _: PassContext) -> None:
    op = _first_op(module)
    raise PassError(op, "needs a loop", [(op.location, "this is not one")])


def _break(module: ir.Module, _: PassContext) -> None:
    del module.body.operations[0].operation.attributes["function_type"]


def _emit(module: ir.Module, _: PassContext) -> None:
    _first_op(module).location.emit_error("said but not raised")


def test_a_refusal_has_file_line_column_pass_and_notes(tmp_path: Path) -> None:
    with pytest.raises(MlirError) as caught:
        _run([scripted("refuse", _refuse)], tmp_path)
    place = f"{tmp_path}/in.mlir:2:8"
    assert str(caught.value).splitlines() == [
        f"{place}: error: refuse: needs a loop",
        f"{place}: note: this is not one",
        "note: in pass 'refuse'",
    ]


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ((), ("tile", "other", "stage"), ("tile", "stage")),
        (("tile",), ("tile", "stage"), ("stage",)),
        ((), ("other",), ()),
    ],
)
def test_a_pass_that_is_asked_for_and_comes_later(
    tmp_path: Path, before: tuple[str, ...], after: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    def ask(module: ir.Module, _: PassContext) -> None:
        raise PassError(_first_op(module), "found nothing; run tile and stage first")

    steps = [*(scripted(name, _rename) for name in before), scripted("ask", ask)]
    with pytest.raises(MlirError) as caught:
        _run([*steps, *(scripted(name, _rename) for name in after)], tmp_path)
    notes = [line for line in str(caught.value).splitlines() if "order" in line]
    assert notes == [
        f"note: the order is wrong: {name} must come before ask; here it comes after"
        for name in wrong
    ]


def test_dumps_before_a_failure_are_on_disk_and_named(tmp_path: Path) -> None:
    dumps = tmp_path / "dumps"
    steps = [scripted("rename", _rename), upstream_step("cse"), scripted("refuse", _refuse)]

    def look(module: ir.Module, _: PassContext) -> None:
        # The files of the passes before are there while this one runs.
        assert sorted(p.name for p in dumps.iterdir()) == ["00-input.mlir", "01-rename.mlir"]

    steps.insert(1, scripted("look", look))
    with pytest.raises(MlirError) as caught:
        _run(steps, tmp_path, Watcher(dump_dir=dumps))
    names = ["00-input.mlir", "01-rename.mlir", "02-look.mlir", "03-mlir-cse.mlir"]
    assert sorted(p.name for p in dumps.iterdir()) == names
    assert f"its input is {dumps}/03-mlir-cse.mlir" in str(caught.value)
    assert "@g" in (dumps / "01-rename.mlir").read_text()


def test_a_pass_without_effect_is_warned_about(tmp_path: Path) -> None:
    steps = [
        scripted("nothing", lambda *_: None),
        upstream_step("gpu.module(cse)"),
        upstream_step("canonicalize", quiet=True),
        scripted("rename", _rename),
    ]
    assert _run(steps, tmp_path) == [
        "warning: pass nothing changed nothing",
        "warning: pass mlir:gpu.module(cse) matched no 'gpu.module' and changed nothing",
    ]


def test_an_invalid_module_is_caught_right_after_its_pass(tmp_path: Path) -> None:
    with pytest.raises(MlirError) as caught:
        _run([scripted("break", _break), scripted("rename", _rename)], tmp_path)
    assert "function_type" in str(caught.value)
    assert "note: in pass 'break'" in str(caught.value)


def test_an_error_diagnostic_fails_even_if_the_pass_does_not(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(MlirError, match=r"in\.mlir:2:8: error: said but not raised"):
        _run([scripted("emit", _emit)], tmp_path)
    assert capfd.readouterr().err == ""


def test_a_defect_names_its_pass_and_input(tmp_path: Path) -> None:
    def stumble(module: ir.Module, _: PassContext) -> None:
        raise KeyError("oops")

    with pytest.raises(InternalError) as caught:
        _run([scripted("stumble", stumble)], tmp_path, Watcher(dump_dir=tmp_path / "dumps"))
    assert str(caught.value).splitlines()[0] == "error: internal: stumble: KeyError: 'oops'"
    assert "its input is" in str(caught.value)


def test_remarks_reach_the_user(tmp_path: Path) -> None:
    def remark(module: ir.Module, ctx: PassContext) -> None:
        ctx.remark(_first_op(module).location, "a decision")
        _rename(module, ctx)

    assert _run([scripted("remark", remark)], tmp_path) == ["a decision"]


def test_printing_selects_passes(tmp_path: Path) -> None:
    shown: list[str] = []
    watcher = Watcher(before=("rename",), after=("cse",), emit=shown.append)
    _run([scripted("rename", _rename), upstream_step("cse", quiet=True)], tmp_path, watcher)
    assert [text.splitlines()[0] for text in shown] == [
        "// -----// IR before rename //----- //",
        "// -----// IR after mlir:cse //----- //",
    ]
    assert "@f" in shown[0]
    assert "@g" in shown[1]
