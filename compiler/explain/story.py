"""What an explanation tells: a kernel after every pass of a pipeline, and what comes out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from mlir import ir

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.driver import run_steps
from gemm_ladder.compiler.errors import UsageError
from gemm_ladder.compiler.explain.fragments import Registers, registers_of
from gemm_ladder.compiler.explain.rings import RingBox, ring_boxes
from gemm_ladder.compiler.observe import Watcher
from gemm_ladder.compiler.pseudocode import render
from gemm_ladder.compiler.resolve import Step
from gemm_ladder.compiler.session import Session, diagnostic_line, module_text
from gemm_ladder.compiler.source import Source
from gemm_ladder.compiler.targets import load_target
from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.passes.base import PassContext
from gemm_ladder.runtime.artefact import Artefact

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Chapter:
    """The kernel behind one pass; ``text`` is the pass with its options, "input" at the start.

    ``pseudocode`` is "" while there is no kernel; ``remarks`` is what the pass said.
    """

    text: str
    about: str
    mlir: str
    pseudocode: str
    rings: tuple[RingBox, ...]
    registers: Registers | None
    remarks: tuple[str, ...]

    @property
    def name(self) -> str:
        """The pass without its options."""
        return self.text.partition("{")[0]


@dataclass(frozen=True)
class Story:
    """A pipeline on a problem: its chapters, the last tile IR, and the artefact."""

    title: str
    target: Target
    chapters: tuple[Chapter, ...]
    module: ir.Module
    artefact: Artefact


def tell(
    title: str, source: Source, steps: list[Step], target: Target, progress: Progress
) -> Story:
    """Run ``steps`` one by one over ``source`` (linalg or tile IR), then generate code.

    ``progress`` is told what is being done. Raises LadderError as a compilation does.
    """
    if not steps:
        raise UsageError("error: nothing to explain: the pipeline has no passes")
    session, said = Session(), list[str]()
    module = session.parse(source.text, source.name)
    context = PassContext(
        target=load_target,
        default_target=target.name,
        remark=lambda where, text: said.append(diagnostic_line(where, "remark", text)),
    )
    chapters = [_chapter(session, "input", "", module, target, said)]
    for step in steps:
        progress(step.name)
        run_steps(session, module, [step], context, Watcher(), said.append)
        chapters.append(_chapter(session, step.text, _about(step), module, target, said))
        said.clear()
    progress("code generation")
    # ptxas, where it is found, says what a kernel of PTX needs.
    link = "no" if target.backend == "amdgpu" else "try"
    request = Request(source, steps, target.name, link=link, debug_lines=True)
    made = compile_source(request)
    assert made.artefact is not None
    return Story(title, target, tuple(chapters), module, made.artefact)


def _chapter(
    session: Session, text: str, about: str, module: ir.Module, target: Target, said: list[str]
) -> Chapter:
    with session.context:
        kernels = any(op.operation.name == "gpu.module" for op in module.body)
        return Chapter(
            text=text,
            about=about,
            mlir=module_text(module),
            pseudocode=render(module) if kernels else "",
            rings=ring_boxes(module, target) if kernels else (),
            registers=registers_of(module, target) if kernels else None,
            remarks=tuple(said),
        )


def _about(step: Step) -> str:
    if step.pass_ is None:
        return "A pass of MLIR itself."
    return inspect.cleandoc(type(step.pass_).__doc__ or "").partition("\n")[0]
