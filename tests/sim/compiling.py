"""Compile LLVM IR to gfx1250 assembly with llvmlite, as the product does."""

from __future__ import annotations

import functools

import llvmlite.binding as llvm


@functools.cache
def assembly(ir: str) -> str:
    """Assembly text of an LLVM IR module at -O3."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("amdgcn-amd-amdhsa")
    machine = target.create_target_machine(cpu="gfx1250", opt=3)
    module = llvm.parse_assembly('target triple = "amdgcn-amd-amdhsa"\n' + ir)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return str(machine.emit_assembly(module))
