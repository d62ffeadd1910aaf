"""Program flow, scalar memory and hardware registers."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from .asm import KernelAsm, Line
from .memory import MemoryAccessError
from .operands import parse_operand, reader, writer
from .pending import Op
from .state import EXEC, VCC, Array, Group
from .table import End, Handler, Jump
from .validity import SCC
from .vmem import report_fault

CONDITIONS: dict[str, Callable[[Group], Array]] = {
    "s_cbranch_scc0": lambda g: ~g.m.scc[g.sel],
    "s_cbranch_scc1": lambda g: g.m.scc[g.sel],
    "s_cbranch_vccz": lambda g: g.s[VCC, g.sel] == 0,
    "s_cbranch_vccnz": lambda g: g.s[VCC, g.sel] != 0,
    "s_cbranch_execz": lambda g: g.s[EXEC, g.sel] == 0,
    "s_cbranch_execnz": lambda g: g.s[EXEC, g.sel] != 0,
}
# Mode fields that may be written: bits 25 (set by LLVM at entry) and the scheduling mode.
SETTABLE = (("HW_REG_WAVE_MODE", "25"), ("HW_REG_WAVE_SCHED_MODE", "2"))
_HWREG = re.compile(r"hwreg\((\w+)(?:,\s*(\d+),\s*(\d+))?\)")


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of a control instruction, None when it is not one."""
    name = line.mnemonic
    if name in CONDITIONS or name == "s_branch":
        return _branch(line, kernel)
    if name.startswith("s_load_"):
        return _scalar_load(line, kernel)
    make = BUILDERS.get(name)
    return make(line, kernel) if make else None


def _branch(line: Line, kernel: KernelAsm) -> Handler:
    label = line.operands[0]
    if label not in kernel.labels:
        raise line.fail(f"unknown label {label}")
    target = kernel.labels[label]
    if line.mnemonic == "s_branch":
        return lambda g: target
    condition = CONDITIONS[line.mnemonic]
    if "scc" in line.mnemonic:
        line.uses.s_must.add(SCC)
    elif "vcc" in line.mnemonic:
        line.uses.s_read.add(VCC)
        line.uses.require()

    def handler(g: Group) -> int | Jump | None:
        taken = condition(g)
        if taken.all():
            return target
        return Jump(target, taken) if taken.any() else None

    return handler


def _end(line: Line, kernel: KernelAsm) -> Handler:
    end = End()
    return lambda g: end


def _scalar_load(line: Line, kernel: KernelAsm) -> Handler:
    """s_load_*: SGPR base + signed 24-bit offset or SGPR offset; dwords must be aligned."""
    match = re.fullmatch(r"s_load_(?:b(32|64|96|128|256|512)|([ui])(8|16))", line.mnemonic)
    if not match:
        raise line.fail("unknown instruction")
    target, base, offset = (parse_operand(text, line, kernel) for text in line.operands)
    extra = int(line.modifiers.get("offset", "0"), 0)
    for name in line.modifiers:
        if name not in ("offset", "th", "scope"):
            raise line.fail(f"unknown modifier {name}")
    size = int(match[1] or match[3]) // 8
    address = reader(base, "u64", line, vector=False)
    moved = reader(offset, "i32", line, vector=False)
    line.uses.require()
    registers = range(target.reg, target.reg + max(1, size // 4))
    line.uses.s_write.update(registers)
    line.uses.counter = "kmcnt"

    def handler(g: Group) -> None:
        where = address(g).view(np.int64) + moved(g) + extra
        where = np.broadcast_to(where, (g.n,))
        try:
            words = _fetch(g, where, size)
        except MemoryAccessError as fault:
            raise report_fault(g, line, fault, int(g.index[fault.index]), None) from None
        if match[2] == "i":
            shift = np.int32(32 - 8 * size)
            words = ((words.view(np.int32) << shift) >> shift).view(np.uint32)
        g.m.pending.issue(ScalarLoad(g, line, registers, words))

    return handler


class ScalarLoad(Op):
    """A scalar load: read at issue, in its registers when its wait passes."""

    def __init__(self, g: Group, line: Line, registers: range, words: Array) -> None:
        super().__init__(g, line, "kmcnt")
        self.s_regs, self.words = registers, words

    def restrict(self, rows: Array, items: Array) -> None:
        """Keep the words of the picked waves."""
        self.words = self.words[rows]

    def land(self) -> None:
        """Write the registers."""
        for index, reg in enumerate(self.s_regs):
            self.group.write_s(reg, self.words[:, index])
            if self.machine.checks and reg in self.machine.validity.s:
                self.machine.validity.set_s(self.group, reg, False)


def _fetch(g: Group, where: Array, size: int) -> Array:
    align = min(size, 4)
    if (where & (align - 1)).any():
        index = int(np.argmax(where & (align - 1)))
        raise MemoryAccessError(index, int(where[index]), "misaligned scalar load")
    offsets = _locate(g, where, size)
    return g.m.memory.bytes.gather(offsets, size)


def _locate(g: Group, where: Array, size: int) -> Array:
    """Heap offsets of scalar loads.

    LLVM widens a uniform load to the next power of two when its address is known to be aligned to
    that (an aligned access cannot cross a page), so an aligned load may run past its buffer's end.
    """
    checked = size
    if not (where & (size - 1)).any():
        checked = min(size, 4)
    return g.m.memory.locate(where, checked)


def _get_register(line: Line, kernel: KernelAsm) -> Handler:
    """s_getreg_b32: a field of the cluster status; all 0 for a launch without clusters."""
    match = _HWREG.fullmatch(line.operands[1])
    if not match or match[1] != "HW_REG_IB_STS2":
        raise line.fail("this hardware register is not modelled")
    shift, width = int(match[2] or 0), int(match[3] or 32)
    field = np.uint32((1 << width) - 1)
    store = writer(parse_operand(line.operands[0], line, kernel), "u32", line, vector=False)
    return lambda g: store(g, (g.m.ib_sts2[g.sel] >> np.uint32(shift)) & field)


def _set_register(line: Line, kernel: KernelAsm) -> Handler:
    """s_setreg: bit 25 of MODE (kernel entry) and the scheduling mode change no values."""
    match = _HWREG.fullmatch(line.operands[0])
    known = match and (match[1], match[2]) in SETTABLE
    if not known:
        raise line.fail("a write to this hardware register is not modelled")
    return lambda g: None


def _message(line: Line, kernel: KernelAsm) -> Handler:
    if line.operands != ("sendmsg(MSG_DEALLOC_VGPRS)",):
        raise line.fail("this message is not modelled")
    return lambda g: None


BUILDERS: dict[str, Callable[[Line, KernelAsm], Handler]] = {
    "s_endpgm": _end,
    "s_getreg_b32": _get_register,
    "s_setreg_imm32_b32": _set_register,
    "s_setreg_b32": _set_register,
    "s_sendmsg": _message,
}
