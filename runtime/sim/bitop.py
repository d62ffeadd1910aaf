"""Truth-table logic: v_bitop3_b32/b16 and the VOPD half v_dual_bitop2_b32."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .asm import KernelAsm, Line
from .operands import DTYPES, Reader, check_bank, parse_operand, reader, writer
from .state import Array, Group

# name -> (type, sources); bitop2 is bitop3 with a third source of zero.
FORMS = {
    "v_bitop3_b32": ("u32", 3),
    "v_bitop3_b16": ("u16", 3),
    "v_bitop2_b32": ("u32", 2),
}


def bitop_phases(
    name: str, line: Line, kernel: KernelAsm
) -> tuple[Callable[[Group], Array], Callable[[Group, Array], None]]:
    """(compute, store): bit 4a + 2b + c of the table decides each bit (LLVM: BITOP3)."""
    kind, sources = FORMS[name]
    for modifier in line.modifiers:
        if modifier != "bitop3":
            raise line.fail(f"unknown modifier {modifier}")
    table = int(line.modifiers.get("bitop3", "0"), 0)
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    if len(operands) != sources + 1:
        raise line.fail(f"expected {sources + 1} operands")
    check_bank(operands[0], 3, line)
    reads: list[Reader] = []
    for slot, operand in enumerate(operands[1:]):
        check_bank(operand, slot, line)
        reads.append(reader(operand, kind, line))
    ones = DTYPES[kind](~DTYPES[kind](0))
    rows = [row for row in range(8) if table >> row & 1 and (sources == 3 or row % 2 == 0)]

    def compute(g: Group) -> Array:
        values = [read(g) for read in reads]
        total = np.zeros((1, 1), DTYPES[kind])
        for row in rows:
            term: Array = np.full((1, 1), ones)
            for bit, value in zip((4, 2, 1), values, strict=False):
                term = term & (value if row & bit else ~value)
            total = total | term
        return total

    return compute, writer(operands[0], kind, line)
