"""NVIDIA: lowered module -> NVVM -> PTX, inside MLIR -> cubin, by ptxas."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from pathlib import Path

from mlir import ir
from mlir.passmanager import PassManager

from gemm_ladder.compiler.codegen.attributes import finish_function
from gemm_ladder.compiler.codegen.description import gpu_modules
from gemm_ladder.compiler.codegen.flow import Syntax
from gemm_ladder.compiler.codegen.lines import add_lines
from gemm_ladder.compiler.codegen.loops import k_loop
from gemm_ladder.compiler.codegen.occupancy import occupancy
from gemm_ladder.compiler.codegen.tools import find_ptxas, run_tool
from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.runtime.artefact import Kernel

COMMENT = "//"
SYNTAX = Syntax(
    label=re.compile(r"(\$L\w+):"),
    branch=re.compile(r"^\s+(?:@!?%p\d+\s+)?bra(?:\.uni)?\s+(\$L\w+)"),
    # Not the labels of inline assembly, as in the loop that polls an mbarrier.
    leaves=re.compile(r"^\s+(?:bra(?:\.uni)?\s+\$|(?:ret|exit)\b)"),
    mnemonic=re.compile(r"^\s*(?:@!?%?\w+\s+)?([a-z][\w.:]+)"),
    comment="//",
    classes={
        "matrix": re.compile(r"^(mma\.sync|wgmma\.mma)"),
        "fma": re.compile(r"^(fma|mad)\."),
        "waits": re.compile(r"wait_(group|all)|try_wait|wait_prior"),
        "barriers": re.compile(r"^(bar(rier)?\.|mbarrier\.)"),
        "lds_loads": re.compile(r"^(ld\.shared|ldmatrix)"),
        "lds_stores": re.compile(r"^(st\.shared|stmatrix)"),
        "global_loads": re.compile(r"^(ld\.global|cp\.async\.(ca|cg|bulk))"),
        "global_stores": re.compile(r"^st\.global"),
    },
)


def conversion(target: Target) -> list[str]:
    """Upstream pipelines from the gpu stage to the LLVM dialect."""
    return [
        "convert-nvgpu-to-nvvm",
        "gpu.module(convert-vector-to-scf,convert-scf-to-cf,expand-strided-metadata,lower-affine)",
        "gpu.module(convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=true},convert-nvvm-to-llvm)",
        "gpu.module(canonicalize,cse,reconcile-unrealized-casts)",
    ]


def to_ptx(module: ir.Module, target: Target, debug_lines: bool = False) -> str:
    """PTX text of the one gpu.module of ``module``, which stays as it is. Raises MLIRError.

    ``debug_lines`` has the text say which tile op each instruction comes from.
    """
    with module.context, ir.Location.unknown():
        made = module.operation.clone()
        found = gpu_modules(made)
        if len(found) != 1:
            raise LadderError(f"error: PTX needs one gpu.module, this module has {len(found)}")
        features = f', features = "{target.features}"' if target.features else ""
        # O below 1 serialises wgmma: ptxas then warns with C75xx.
        attr = f'[#nvvm.target<O = 3, chip = "{target.chip}"{features}>]'
        found[0].attributes["targets"] = ir.Attribute.parse(attr)
        for op in found[0].regions[0].blocks[0]:
            finish_function(op.operation)
        if debug_lines:
            _add_lines(found[0])
        pipeline = "builtin.module(gpu-module-to-binary{format=isa})"
        PassManager.parse(pipeline).run(made.operation)
        binary = next(op for op in made.body if op.operation.name == "gpu.binary")
        objects = ir.ArrayAttr(binary.operation.attributes["objects"])
        # ptxas takes lines with optimised code, but not code for a debugger.
        return _object_text(objects[0]).replace(
            f".target {target.chip}, debug", f".target {target.chip}"
        )


def _add_lines(holder: ir.Operation) -> None:
    """Line tables for the functions of a gpu.module; MLIR's pass makes them in a plain module."""
    host = ir.Module.create()
    body = holder.regions[0].blocks[0]
    for op in list(body):
        op.operation.detach_from_parent()
        host.body.append(op)
    add_lines(host)
    for op in list(host.body):
        op.operation.detach_from_parent()
        body.append(op)


def _object_text(attr: ir.Attribute) -> str:
    from mlir.dialects import gpu

    return bytes(gpu.ObjectAttr(attr).object).decode().rstrip("\0\n") + "\n"


def to_cubin(ptx: str, target: Target) -> tuple[bytes, str]:
    """(cubin, ptxas's report); MissingToolError without ptxas, LadderError if it is unhappy."""
    assembler = find_ptxas()
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "kernel.ptx", Path(folder) / "kernel.cubin"
        source.write_text(ptx, encoding="utf-8")
        arguments = ["-v", "-O3", f"-arch={target.chip}", str(source), "-o", str(out)]
        report = run_tool(assembler, arguments, "assembling the PTX", out)
        # C7510 to C7519: wgmma was serialised or fenced, right but several times slower.
        slow = re.search(r".*\(C75\d\d\).*", report)
        if slow is not None:
            raise LadderError(f"error: ptxas gave up a schedule: {slow[0].strip()}")
        return out.read_bytes(), report


def resources(ptx: str, report: str, kernel: Kernel, target: Target) -> Kernel:
    """``kernel`` with what ptxas reported ("" if it did not run); LadderError on a spill."""
    made = dataclasses.replace(kernel, k_loop=k_loop(body(ptx, kernel.name), SYNTAX))
    if not report:
        return made
    part = re.search(
        rf"Function properties for {re.escape(kernel.name)}\n(.*\n.*)", report
    ) or re.search(rf"entry function '{re.escape(kernel.name)}'.*\n(.*\n.*\n.*)", report)
    if part is None:
        raise LadderError(f"error: ptxas reported nothing for kernel {kernel.name}")
    stack, stores, loads, registers, shared = (
        _number(part[1], pattern)
        for pattern in (
            r"(\d+) bytes stack frame",
            r"(\d+) bytes spill stores",
            r"(\d+) bytes spill loads",
            r"Used (\d+) registers",
            r"(\d+) bytes smem",
        )
    )
    made = dataclasses.replace(
        made, vgprs=registers, spills=stores + loads, scratch_bytes=stack, lds_bytes=shared
    )
    if made.spills:
        raise LadderError(
            f"error: kernel {kernel.name} spills ({stores} B stored, {loads} B loaded) at "
            f"{registers} registers; a smaller tile or fewer stages needs fewer"
        )
    return dataclasses.replace(made, occupancy=occupancy(made, target))


def _number(text: str, pattern: str) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def body(ptx: str, name: str) -> str:
    """The text of kernel ``name`` in ``ptx``; "" if it is not there."""
    start = ptx.find(f".entry {name}(")
    # Inline assembly has braces at the start of a line, too.
    end = ptx.find(".entry ", start + 1)
    return ptx[start : end if end >= 0 else len(ptx)] if start >= 0 else ""
