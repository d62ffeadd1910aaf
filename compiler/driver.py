"""Runs steps over a module: verifier after every pass, located errors, watched from outside."""

from __future__ import annotations

import re
from collections.abc import Callable

from mlir import ir
from mlir.passmanager import PassManager

from gemm_ladder.compiler.errors import InternalError
from gemm_ladder.compiler.observe import Watcher
from gemm_ladder.compiler.resolve import Step
from gemm_ladder.compiler.session import MlirError, Session, diagnostic_line, module_text
from gemm_ladder.passes.base import PassContext, PassError

Report = Callable[[str], None]
# How a pass asks for another one.
_FIRST = re.compile(r"\brun ([a-z-]+)(?: and ([a-z-]+))? (?:first|before)\b")


def run_steps(
    session: Session,
    module: ir.Module,
    steps: list[Step],
    context: PassContext,
    watcher: Watcher,
    report: Report,
    made: Callable[[ir.Module, str], None] | None = None,
) -> None:
    """Run ``steps`` in order over ``module``, in place.

    ``made``, if given, may mark the module with the name of the pass that has run, "" for the
    input; such marks show in what the watcher sees. ``report`` takes warnings, one a call. Raises
    MlirError with every diagnostic of the step that failed; the watcher has then seen all steps
    before it.
    """
    if made is not None:
        made(module, "")
    text = module_text(module)
    watcher.start(text)
    for number, step in enumerate(steps):
        watcher.step_starts(step, text)
        _run_step(session, module, steps, number, context, watcher, report)
        done = module_text(module)
        if done == text and not step.quiet and not _only_checks(step):
            report(_unchanged(module, step))
        text = done
        watcher.step_ended(step, text)
        if made is not None:
            made(module, step.name)
            text = module_text(module)


def _only_checks(step: Step) -> bool:
    return step.pass_ is not None and step.pass_.analysis


def _unchanged(module: ir.Module, step: Step) -> str:
    """The warning for a step without effect, with the reason where it is plain."""
    anchor = re.match(r"\s*([\w.]+)\(", step.upstream)
    if anchor and not _has(module.operation, anchor[1]):
        return f"warning: pass {step.name} matched no '{anchor[1]}' and changed nothing"
    return f"warning: pass {step.name} changed nothing"


def _has(op: ir.Operation, name: str) -> bool:
    children = (o.operation for region in op.regions for block in region for o in block)
    return op.name == name or any(_has(child, name) for child in children)


def _run_step(
    session: Session,
    module: ir.Module,
    steps: list[Step],
    number: int,
    context: PassContext,
    watcher: Watcher,
    report: Report,
) -> None:
    step = steps[number]
    problem: list[str] = []
    try:
        with session.context:
            _apply(session, module, step, context)
    except PassError as error:
        message = f"{step.name}: {error.message}"
        problem = [diagnostic_line(error.location, "error", message)]
        problem += [diagnostic_line(where, "note", text) for where, text in error.notes]
        problem += _order(error.message, steps, number)
    except ir.MLIRError as error:
        problem = [f"error: {step.name}: {error}"]
    except Exception as error:
        session.take()
        said = f"error: internal: {step.name}: {type(error).__name__}: {error}"
        raise InternalError("\n".join([said, *_where(step, watcher)])) from error
    lines, failed = session.take()
    if failed or problem:
        # MLIR's own diagnostics say more than the exception that followed them.
        text = lines + problem if not failed or _is_ours(problem) else lines
        raise MlirError("\n".join(text + _where(step, watcher)))
    for line in lines:
        report(line)


def _order(message: str, steps: list[Step], number: int) -> list[str]:
    """A note for each pass that ``message`` asks for and that stands behind step ``number``."""
    asked = _FIRST.search(message)
    before = {step.name for step in steps[:number]}
    after = {step.name for step in steps[number + 1 :]} - before
    return [
        f"note: the order is wrong: {name} must come before {steps[number].name}; "
        "here it comes after"
        for name in (asked.groups() if asked else ())
        if name in after
    ]


def _is_ours(problem: list[str]) -> bool:
    return bool(problem) and not problem[0].startswith("error: ")


def _apply(session: Session, module: ir.Module, step: Step, context: PassContext) -> None:
    if step.pass_ is not None:
        step.pass_.run(module, context)
    else:
        pipeline = f"builtin.module({step.upstream})"
        PassManager.parse(pipeline, context=session.context).run(module.operation)
    module.operation.verify()


def _where(step: Step, watcher: Watcher) -> list[str]:
    """Notes that name the failed pass and, with dumps, how to run it again alone."""
    notes = [f"note: in pass '{step.text}'"]
    if watcher.last_dump is not None:
        command = f"ladder-opt --passes='{step.text}' {watcher.last_dump}"
        notes.append(f"note: its input is {watcher.last_dump}; again: {command}")
    return notes
