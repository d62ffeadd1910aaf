"""The mode that says in which bank of 256 VGPRs an instruction's register numbers lie."""

from __future__ import annotations

from collections.abc import Sequence


def bank_mode_after(mnemonic: str, operands: Sequence[str], current: int) -> int:
    """The bank mode behind an instruction, in the order of s_set_vgpr_msb's low byte.

    Raises ValueError where the instruction contradicts the mode before it.
    """
    if mnemonic == "s_set_vgpr_msb":
        return _next_msb(int(operands[0], 0), current)
    if mnemonic == "s_setreg_imm32_b32" and "HW_REG_WAVE_MODE," in operands[0]:
        return _mode_msb(int(operands[1], 0))
    return current


def _next_msb(value: int, current: int) -> int:
    """The new bank mode: low byte of the immediate; the high byte repeats the old one."""
    if value >> 8 and value >> 8 != current:
        raise ValueError(f"says the bank mode was {value >> 8:#x}, it is {current:#x}")
    return value & 0xFF


def _mode_msb(value: int) -> int:
    """The bank mode that a write of MODE sets, whatever field it names: immediate bits 19:12.

    There the order is dst, src0, src1, src2, as in MODE itself (rocm-systems rocjitsu, vgpr_msb.h);
    LLVM's AMDGPULowerVGPREncoding folds a kernel's first s_set_vgpr_msb into the entry's write.
    """
    bits = value >> 12 & 0xFF
    return bits >> 2 | (bits & 3) << 6
