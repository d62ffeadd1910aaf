"""Tile IR as an artefact (format "tile"), which the interpreter runs."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.compiler.codegen.description import describe, gpu_modules, plain
from gemm_ladder.compiler.compilation import Result
from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.compiler.resolve import Step, pipeline_text
from gemm_ladder.compiler.session import Session, diagnostic_line
from gemm_ladder.compiler.targets import find_target
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering.describe import kernel_attr
from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.errors import ArtefactError


def tile_artefact(text: str, name: str, pipeline: str = "") -> Artefact:
    """The artefact of module ``text``, whose locations name file ``name``.

    Raises LadderError if a kernel does not say its target or how it is launched.
    """
    session = Session()
    module = session.parse(text, "")
    with session.context:
        targets = [_describe_kernels(holder) for holder in gpu_modules(module)]
        names = {target for target in targets if target}
        if len(names) != 1:
            found = ", ".join(sorted(names)) or "none"
            raise LadderError(f"error: {name}: one kernel target is needed, found {found}")
        try:
            kernels = describe(module)
            return Artefact(names.pop(), "tile", None, text, kernels, pipeline)
        except ArtefactError as error:
            raise LadderError(f"error: {error}") from None


def result_artefact(result: Result, name: str, steps: list[Step]) -> Artefact:
    """The artefact of a compilation that stopped at tile IR.

    Findings name places in file ``name`` if no pass ran, else lines of the IR as `ladder show`
    prints it.
    """
    text = result.text
    if not steps and result.module is not None:
        op = result.module.operation
        text = f"{op.get_asm(use_name_loc_as_prefix=True, enable_debug_info=True)}"
    return tile_artefact(text, name, pipeline_text(steps))


def _describe_kernels(holder: ir.Operation) -> str:
    """Give every kernel of ``holder`` its description; the target's name, "" without kernels."""
    funcs = [o.operation for o in holder.regions[0].blocks[0] if o.operation.name == "gpu.func"]
    if not funcs:
        return ""
    if "tile.target" not in holder.attributes:
        raise LadderError("error: no target attached to the gpu.module; add --target")
    target = find_target(ir.StringAttr(holder.attributes["tile.target"]).value)
    for func in funcs:
        try:
            _describe_kernel(func, target.wave_size)
        except PassError as error:
            raise LadderError(diagnostic_line(error.location, "error", error.message)) from None
    return target.name


def _describe_kernel(func: ir.Operation, wave_size: int) -> None:
    whole = any(o.operation.name == "tile.contract" for o in func.regions[0].blocks[0])
    if "known_block_size" not in func.attributes:
        if not whole:
            raise PassError(func, "no known_block_size: how many waves has the workgroup?")
        func.attributes["known_block_size"] = ir.DenseI32ArrayAttr.get([wave_size, 1, 1])
    grid = [1, 1, 1]
    if "known_grid_size" in func.attributes:
        grid = plain(func.attributes["known_grid_size"])
    elif not whole:
        raise PassError(func, "no known_grid_size: how many workgroups has the grid?")
    facts = {entry.name: entry.attr for entry in ir.DictAttr(kernel_attr(func, grid, 0, [], {}))}
    if "known_cluster_size" in func.attributes:
        sizes = plain(func.attributes["known_cluster_size"])
        i64 = ir.IntegerType.get_signless(64)
        facts["cluster"] = ir.ArrayAttr.get([ir.IntegerAttr.get(i64, s) for s in sizes])
    func.attributes["tile.kernel"] = ir.DictAttr.get(facts)
