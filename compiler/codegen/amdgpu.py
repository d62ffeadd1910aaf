"""AMD: lowered module -> ROCDL -> LLVM IR -> assembly -> HSACO.

LLVM's AMDGPU back end comes with llvmlite, the linker from outside; MLIR's wheel has neither.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlir import ir

from gemm_ladder.compiler.codegen.attributes import finish_function
from gemm_ladder.compiler.codegen.description import gpu_modules
from gemm_ladder.compiler.codegen.lines import add_lines
from gemm_ladder.compiler.codegen.tools import find_lld, run_tool
from gemm_ladder.compiler.errors import InputError, LadderError
from gemm_ladder.dialect_defs.target import Target

TRIPLE = "amdgcn-amd-amdhsa"
COMMENT = ";"


def conversion(target: Target) -> list[str]:
    """Upstream pipelines from the gpu stage to the LLVM dialect."""
    chip = f"chipset={target.chip}"
    return [
        "gpu.module(convert-vector-to-scf,convert-scf-to-cf,expand-strided-metadata,lower-affine)",
        f"gpu.module(convert-amdgpu-to-rocdl{{{chip}}},convert-gpu-to-rocdl{{{chip} runtime=HIP"
        " use-bare-ptr-memref-call-conv=true})",
        "gpu.module(canonicalize,cse,reconcile-unrealized-casts)",
    ]


def to_llvm_ir(module: ir.Module, target: Target, debug_lines: bool = False) -> str:
    """LLVM IR text of every gpu.module of ``module``, which stays as it is."""
    llvm = _llvm()
    texts = [_translate(op, debug_lines) for op in gpu_modules(module)]
    linked = _parse_ir(texts[0], "LLVM IR")
    for text in texts[1:]:
        linked.link_in(_parse_ir(text, "LLVM IR"))
    machine = _machine(llvm, target)
    linked.triple, linked.data_layout = TRIPLE, str(machine.target_data)
    return str(linked)


@dataclass(frozen=True)
class Code:
    """Assembly text and, if asked for, the ELF object of the same code."""

    assembly: str
    object: bytes | None


def generate(ir_text: str, target: Target, name: str, with_object: bool) -> Code:
    """Optimise LLVM IR text and generate code; ``name`` is the file in an InputError."""
    llvm = _llvm()
    machine = _machine(llvm, target)
    optimised = _optimised(llvm, machine, ir_text, name)
    # Code generation changes the module that it reads, so each output has its own.
    code = bytes(machine.emit_object(optimised.clone())) if with_object else None
    return Code(str(machine.emit_assembly(optimised)), code)


def link(code: bytes) -> bytes:
    """An HSACO from an object; MissingToolError if there is no linker."""
    linker = find_lld()
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "kernel.o", Path(folder) / "kernel.hsaco"
        source.write_bytes(code)
        run_tool(linker, ["-shared", str(source), "-o", str(out)], "linking the HSACO", out)
        return out.read_bytes()


def _llvm() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm


def _machine(llvm: Any, target: Target) -> Any:
    triple = llvm.Target.from_triple(TRIPLE)
    return triple.create_target_machine(cpu=target.chip, features=target.features, opt=3)


def _optimised(llvm: Any, machine: Any, ir_text: str, name: str) -> Any:
    module = _parse_ir(ir_text, name)
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    # Schedules are the passes' business: unrolled, a short K loop would lose its shape.
    tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return module


def _parse_ir(text: str, name: str) -> Any:
    import llvmlite.binding as llvm

    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        said = str(error).strip()
        found = re.search(r"<string>:(\d+):(\d+): (error: .*)", said)
        line = f"{name}:{found[1]}:{found[2]}: {found[3]}" if found else f"{name}: error: {said}"
        raise InputError(line) from None
    return module


def _translate(gpu_module: ir.Operation, debug_lines: bool) -> str:
    """LLVM IR of one gpu.module: its body moved into a module of its own, as LLVM IR wants it."""
    from mlir.dialects.llvm import translate_module_to_llvmir

    with gpu_module.context, ir.Location.unknown():
        clone = gpu_module.clone()
        host = ir.Module.create()
        for op in list(clone.regions[0].blocks[0]):
            op.operation.detach_from_parent()
            host.body.append(op)
            _finish(op.operation)
        try:
            if debug_lines:
                add_lines(host)
            host.operation.verify()
            return str(translate_module_to_llvmir(host.operation))
        except (ir.MLIRError, RuntimeError) as error:
            raise LadderError(f"error: translation to LLVM IR: {error}") from None
        finally:
            clone.erase()


def _finish(op: ir.Operation) -> None:
    """Kernel attributes that LLVM reads; what only we read goes."""
    facts = finish_function(op)
    if facts is not None:
        given = ", ".join(f'["{key}", "{value}"]' for key, value in _function_attrs(facts))
        op.attributes["passthrough"] = ir.Attribute.parse(f"[{given}]")


def _function_attrs(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """LLVM attributes besides the workgroup size, which ROCDL's lowering sets itself.

    The cluster's dims: "0,0,0" says that there is none (LLVM AMDGPU usage, amdgpu-cluster-dims).
    Without waves-per-eu LLVM keeps registers back for more waves than a workgroup brings.
    """
    cluster = facts.get("cluster", [1, 1, 1])
    dims = cluster if max(cluster) > 1 else [0, 0, 0]
    waves = facts.get("waves_per_eu", "1")
    return [("amdgpu-cluster-dims", ",".join(map(str, dims))), ("amdgpu-waves-per-eu", str(waves))]
