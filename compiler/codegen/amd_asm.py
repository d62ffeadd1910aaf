"""Reads AMDGPU assembly: resources from its metadata, counts of the K loop."""

from __future__ import annotations

import dataclasses
import re

from gemm_ladder.compiler.codegen.amd_loop import details
from gemm_ladder.compiler.codegen.flow import Syntax
from gemm_ladder.compiler.codegen.loops import counts, find_k_loop
from gemm_ladder.compiler.codegen.occupancy import occupancy
from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.runtime.artefact import Kernel

SYNTAX = Syntax(
    label=re.compile(r"(\.LBB\w+):"),
    branch=re.compile(r"^\s+s_c?branch\w*\s+(\.LBB\w+)"),
    leaves=re.compile(r"^\s+s_(branch|endpgm|setpc_b64)\b"),
    comment=";",
    one_wave=re.compile(r"^tensor_load"),
    mnemonic=re.compile(r"^\s+([a-z]\w+)"),
    classes={
        "matrix": re.compile(r"^v_(s?wmma|mfma)"),
        "fma": re.compile(r"^v_(pk_|dual_)?(fma|fmac|dot)"),
        "waits": re.compile(r"^s_wait"),
        "barriers": re.compile(r"^s_(barrier|cluster_barrier)"),
        "lds_loads": re.compile(r"^ds_(load|read)"),
        "lds_stores": re.compile(r"^ds_(store|write)"),
        "global_loads": re.compile(r"^(global|buffer|flat)_load|^tensor_load"),
        "global_stores": re.compile(r"^(global|buffer|flat)_store|^tensor_store"),
    },
)


def resources(asm: str, kernel: Kernel, target: Target) -> Kernel:
    """``kernel`` with what the assembler's metadata says of it; LadderError on a spill."""
    notes = _metadata(asm, kernel.name)
    made = dataclasses.replace(
        kernel,
        lds_bytes=notes["group_segment_fixed_size"],
        vgprs=notes["vgpr_count"],
        sgprs=notes["sgpr_count"],
        spills=notes["vgpr_spill_count"] + notes["sgpr_spill_count"],
        scratch_bytes=notes["private_segment_fixed_size"],
        k_loop=loop_facts(kernel_text(asm, kernel.name)),
    )
    made = dataclasses.replace(made, occupancy=occupancy(made, target))
    if made.spills or made.scratch_bytes:
        raise LadderError(
            f"error: kernel {kernel.name} spills {made.spills} registers "
            f"({made.scratch_bytes} B of scratch) at {made.vgprs} VGPRs; a smaller tile or fewer "
            "stages needs fewer"
        )
    return made


def loop_facts(body: str) -> dict[str, object]:
    """Counts and details of the K loop in a kernel's text ``body``; empty if it has no loop."""
    found = find_k_loop(body, SYNTAX)
    return {} if found is None else counts(found.path, SYNTAX) | details(found.path)


def _metadata(asm: str, name: str) -> dict[str, int]:
    """The integer notes of kernel ``name``."""
    _, _, notes = asm.partition("amdhsa.kernels:")
    for entry in re.split(r"^  - ", notes, flags=re.MULTILINE):
        if re.search(rf"^ *\.name: +{re.escape(name)}$", entry, re.MULTILINE):
            found = re.findall(r"^ {0,4}\.(\w+): +(\d+)$", entry, re.MULTILINE)
            return {key: int(value) for key, value in found}
    raise LadderError(f"error: kernel {name} is not in the assembly")


def kernel_text(asm: str, name: str) -> str:
    """The code of kernel ``name`` in ``asm``; LadderError if it has none."""
    start = re.search(rf"^{re.escape(name)}:", asm, re.MULTILINE)
    if start is None:
        raise LadderError(f"error: kernel {name} has no code in the assembly")
    end = asm.find("\n.Lfunc_end", start.end())
    return asm[start.end() : end if end >= 0 else len(asm)]
