"""v_fma_mix_*: an f32 fused multiply-add whose sources may each be f32 or one 16-bit half."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from . import numeric
from .asm import KernelAsm, Line
from .operands import Reader, check_bank, parse_operand, reader, writer
from .state import Array, Group

# name -> (16-bit type, half of the destination written, "" for all of it)
FORMS = {
    "v_fma_mix_f32": ("f16", ""),
    "v_fma_mix_f32_bf16": ("bf16", ""),
    "v_fma_mix_f32_f16": ("f16", ""),
    "v_fma_mixlo_f16": ("f16", "l"),
    "v_fma_mixhi_f16": ("f16", "h"),
    "v_fma_mixlo_bf16": ("bf16", "l"),
    "v_fma_mixhi_bf16": ("bf16", "h"),
}


def mix_phases(
    name: str, line: Line, kernel: KernelAsm
) -> tuple[Callable[[Group], Array], Callable[[Group, Any], None]]:
    """(compute, store). op_sel_hi picks 16 bits for a source, op_sel which half (LLVM VOP3P)."""
    kind, half = FORMS[name]
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    if len(operands) != 4:
        raise line.fail("expected 4 operands")
    picks = {"op_sel": [0, 0, 0], "op_sel_hi": [0, 0, 0]}
    for modifier, text in line.modifiers.items():
        if modifier == "clamp":
            continue
        if modifier not in picks:
            raise line.fail(f"unknown modifier {modifier}")
        picks[modifier] = [int(bit) for bit in text.strip("[]").split(",")]
    reads: list[Reader] = []
    for slot, operand in enumerate(operands[1:]):
        check_bank(operand, slot, line)
        narrow = bool(picks["op_sel_hi"][slot])
        if narrow and operand.kind != "lit":
            operand = replace(operand, half="h" if picks["op_sel"][slot] else "l")
        reads.append(reader(operand, kind if narrow else "f32", line))
    check_bank(operands[0], 3, line)
    clamp = "clamp" in line.modifiers
    target = replace(operands[0], half=half)
    store = writer(target, kind if half else "f32", line)

    def compute(g: Group) -> Array:
        a, b, c = (np.asarray(read(g), np.float32) for read in reads)
        value = numeric.fma32(a, b, c)
        if clamp:
            value = np.clip(value, np.float32(0), np.float32(1))
        return value.astype(np.float16) if half and kind == "f16" else value

    return compute, store
