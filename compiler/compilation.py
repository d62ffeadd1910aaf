"""A compilation: from a source at any stage to any later one, and to an artefact."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

from mlir import ir

from gemm_ladder.compiler import crash, stages
from gemm_ladder.compiler.codegen import amd_asm, amdgpu, nvptx
from gemm_ladder.compiler.codegen.description import (
    Header,
    describe,
    gpu_modules,
    header_line,
    parse_header,
)
from gemm_ladder.compiler.codegen.lines import MarkTileOps, note_maker
from gemm_ladder.compiler.driver import run_steps
from gemm_ladder.compiler.errors import InputError, LadderError, MissingToolError, UsageError
from gemm_ladder.compiler.observe import Watcher
from gemm_ladder.compiler.resolve import Step, pipeline_text, resolve, upstream_step
from gemm_ladder.compiler.session import MlirError, Session, diagnostic_line, module_text
from gemm_ladder.compiler.source import Source
from gemm_ladder.compiler.targets import FALLBACK, find_target, load_target
from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.passes.base import PassContext
from gemm_ladder.runtime.artefact import Artefact, Kernel
from gemm_ladder.runtime.errors import ArtefactError

PACKAGES = ("gemm-ladder", "xtc-mlir-python-bindings", "llvmlite")


def _ignore(line: str) -> None:
    """Default for ``Request.report``: nobody listens."""


@dataclasses.dataclass(frozen=True)
class Request:
    """What to compile and how far.

    ``target`` None takes the one in the IR, else gfx1250. ``stop`` None is the last stage.
    ``link`` "must" fails without the tool that makes the binary, "try" leaves the binary out with
    a note, "no" does not look for it, "auto" is "try" where the driver takes the text as well.
    ``report`` takes warnings, remarks and notes, one a call. ``debug_lines`` has AMD's assembly say
    which tile op each instruction comes from; the code is the same.
    """

    source: Source
    steps: list[Step]
    target: str | None = None
    stop: str | None = None
    link: str = "auto"
    watcher: Watcher = dataclasses.field(default_factory=Watcher)
    report: Callable[[str], None] = _ignore
    debug_lines: bool = False


@dataclasses.dataclass(frozen=True)
class Result:
    """What a compilation reached: ``text`` of a text stage, or ``artefact`` at the last ones.

    ``module`` is the module itself at an MLIR stage: its values' names do not survive as text.
    """

    stage: str
    target: str
    text: str = ""
    artefact: Artefact | None = None
    module: ir.Module | None = None


@dataclasses.dataclass(frozen=True)
class Parsed:
    """A source at an MLIR stage as a module, which one compilation may change."""

    session: Session
    module: ir.Module


def parse_source(source: Source) -> Parsed | None:
    """The module of ``source``, None behind MLIR; InputError if it does not parse."""
    if source.stage not in stages.MLIR_STAGES:
        return None
    session = Session()
    return Parsed(session, session.parse(source.text, source.name))


def compile_source(request: Request, parsed: Parsed | None = None) -> Result:
    """Run a compilation; ``parsed`` is the source's module if it has been parsed already.

    Raises a LadderError subclass with the whole message.
    """
    crash.keep_passes(request.watcher)
    parsed = parsed or parse_source(request.source)
    if parsed is not None:
        return _from_mlir(request, parsed.session, parsed.module)
    header = parse_header(request.source.text, request.source.name)
    target = find_target(request.target or header.target)
    if target.name != header.target:
        raise UsageError(f"error: {request.source.name} is for {header.target}, not {target.name}")
    if request.steps:
        raise UsageError(f"error: passes cannot run on the stage {request.source.stage}")
    stop = _stop(request, target)
    return _from_text(request, target, stop, request.source.stage, request.source.text, header)


def _stop(request: Request, target: Target) -> str:
    """The stage to stop after, checked to lie ahead of the source on the target's road."""
    road = stages.stages_of(target.backend)
    stop = request.stop or road[-1]
    if request.source.stage not in road or stop not in road:
        wrong = stop if request.source.stage in road else request.source.stage
        way = ", ".join(road)
        raise UsageError(f"error: {target.name} has no stage '{wrong}'\nstages: {way}")
    if road.index(stop) < road.index(request.source.stage):
        start = request.source.stage
        raise UsageError(f"error: the input is at stage {start}, already past {stop}")
    return stop


def _from_mlir(request: Request, session: Session, module: ir.Module) -> Result:
    target = _target_of(session, module, request)
    stop = _stop(request, target)
    steps = _all_steps(request, target, stop)
    request.watcher.check(steps)
    context = PassContext(
        target=load_target,
        default_target=target.name,
        remark=lambda where, text: request.report(diagnostic_line(where, "remark", text)),
    )
    # Who reads the IR between passes is spared the marks.
    made = note_maker if request.debug_lines and not request.watcher.reads_ir else None
    run_steps(session, module, steps, context, request.watcher, request.report, made)
    if stop in ("linalg", "tile"):
        return Result(stop, target.name, module_text(module), module=module)
    with session.context:
        header = Header(target.name, pipeline_text(request.steps), _kernels(module, request))
        if stop in stages.MLIR_STAGES:
            return Result(stop, target.name, module_text(module), module=module)
        text = _generate(session, module, target, request.debug_lines)
    first = "ll" if target.backend == "amdgpu" else "ptx"
    comment = amdgpu.COMMENT if first == "ll" else nvptx.COMMENT
    return _from_text(request, target, stop, first, header_line(comment, header) + text, header)


def _all_steps(request: Request, target: Target, stop: str) -> list[Step]:
    """The user's passes, then those that the stages up to ``stop`` need."""
    steps, start = list(request.steps), request.source.stage
    if start == "linalg" and stop != "linalg" and not steps:
        raise UsageError("error: a linalg input needs passes, such as --passes=level1")
    if stop in ("linalg", "tile"):
        return steps
    lowered = start in ("gpu", "llvm") or any(step.name == target.lowering for step in steps)
    if not lowered:
        steps += resolve("verify-tile")
        if request.debug_lines:
            steps.append(Step(MarkTileOps.name, MarkTileOps.name, MarkTileOps(request.source.name)))
        steps += resolve(target.lowering)
    if stop != "gpu" and start != "llvm":
        generator = amdgpu if target.backend == "amdgpu" else nvptx
        steps += [upstream_step(text, quiet=True) for text in generator.conversion(target)]
    return steps


def _target_of(session: Session, module: ir.Module, request: Request) -> Target:
    """The target in the IR, which the request may not contradict, else the request's."""
    with session.context:
        found = gpu_modules(module)
        names = {
            ir.StringAttr(op.attributes["tile.target"]).value
            for op in found
            if "tile.target" in op.attributes
        }
        if len(names) > 1:
            raise UsageError(f"error: several targets in one module: {', '.join(sorted(names))}")
        if not names:
            if request.target is None and found:
                raise UsageError("error: no target attached to the gpu.module; add --target")
            target = find_target(request.target or FALLBACK)
            for op in found:
                op.attributes["tile.target"] = ir.StringAttr.get(target.name)
            return target
    name = names.pop()
    if request.target not in (None, name):
        raise UsageError(f"error: {request.source.name} is for {name}, not {request.target}")
    return find_target(name)


def _kernels(module: ir.Module, request: Request) -> tuple[Kernel, ...]:
    try:
        kernels = describe(module)
    except ArtefactError as error:
        raise LadderError(f"error: {error}") from None
    if not kernels:
        raise LadderError(
            f"error: {request.source.name}: no kernel to generate code for (no gpu.func with "
            "tile.kernel); a linalg input needs import-matmul first"
        )
    return kernels


def _generate(session: Session, module: ir.Module, target: Target, debug_lines: bool) -> str:
    """LLVM IR or PTX; MlirError with MLIR's diagnostics if it refuses."""
    try:
        if target.backend == "amdgpu":
            return amdgpu.to_llvm_ir(module, target, debug_lines)
        return nvptx.to_ptx(module, target, debug_lines)
    except (ir.MLIRError, LadderError) as error:
        lines, failed = session.take()
        raise MlirError("\n".join(lines) if failed else str(error)) from None


def _from_text(
    request: Request, target: Target, stop: str, stage: str, text: str, header: Header
) -> Result:
    """From LLVM IR, assembly or PTX on; ``text`` starts with its header line."""
    if stage == stop:
        return Result(stage, target.name, text)
    crash.keep_text(text)
    if target.backend == "nvptx":
        return Result(stop, target.name, artefact=_cubin(request, target, text, header))
    if stage == "s":
        if request.link in ("must", "auto"):
            raise InputError(
                f"{request.source.name}: error: no assembler for AMDGPU text here; start from .ll "
                "to link an HSACO (the simulator runs .s as it is)"
            )
        asm, code = text, None
    else:
        with_object = stop != "s" and request.link != "no"
        made = amdgpu.generate(text, target, request.source.name, with_object)
        asm, code = header_line(amdgpu.COMMENT, header) + made.assembly, made.object
    if stop == "s":
        return Result(stop, target.name, asm)
    kernels = tuple(amd_asm.resources(asm, kernel, target) for kernel in header.kernels)
    binary = None if code is None else _linked(request, code)
    return Result(stop, target.name, artefact=_artefact(target, header, kernels, binary, asm))


def _linked(request: Request, code: bytes) -> bytes | None:
    try:
        return amdgpu.link(code)
    except MissingToolError as error:
        if request.link != "try":
            raise
        request.report(f"note: no HSACO, only assembly: {str(error).removeprefix('error: ')}")
        return None


def _cubin(request: Request, target: Target, ptx: str, header: Header) -> Artefact:
    binary, report = None, ""
    if request.link != "no":
        try:
            binary, report = nvptx.to_cubin(ptx, target)
        except MissingToolError as error:
            if request.link == "must":
                raise
            request.report(f"note: PTX for the driver: {str(error).removeprefix('error: ')}")
    kernels = tuple(nvptx.resources(ptx, report, kernel, target) for kernel in header.kernels)
    return _artefact(target, header, kernels, binary, ptx)


def _artefact(
    target: Target,
    header: Header,
    kernels: tuple[Kernel, ...],
    binary: bytes | None,
    text: str,
) -> Artefact:
    binary_format = "hsaco" if target.backend == "amdgpu" else "cubin" if binary else "ptx"
    try:
        return Artefact(
            target=target.name,
            format=binary_format,
            binary=binary,
            asm=text,
            kernels=kernels,
            pipeline=header.pipeline,
            versions=package_versions(),
        )
    except ArtefactError as error:
        raise LadderError(f"error: {error}") from None


def package_versions() -> dict[str, str]:
    """The versions of the packages that decide what a compilation makes."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
