"""Program flow, waits, barriers, scalar memory and hardware registers."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from .asm import KernelAsm, Line
from .memory import MemoryAccessError
from .operands import parse_operand, reader, writer
from .state import EXEC, VCC, Array, Group
from .table import End, Handler, Jump, Wait

# Hints and waits: no effect on values as long as memory acts at once.
NO_EFFECT = frozenset(
    [
        "s_nop",
        "v_nop",
        "s_delay_alu",
        "s_clause",
        "s_setprio",
        "s_setprio_inc_wg",
        "s_sleep",
        "s_set_inst_prefetch_distance",
        "s_code_end",
        "s_wait_loadcnt",
        "s_wait_storecnt",
        "s_wait_dscnt",
        "s_wait_kmcnt",
        "s_wait_asynccnt",
        "s_wait_tensorcnt",
        "s_wait_xcnt",
        "s_wait_expcnt",
        "s_wait_samplecnt",
        "s_wait_bvhcnt",
        "s_wait_idle",
        "s_wait_loadcnt_dscnt",
        "s_wait_storecnt_dscnt",
        "s_wait_alu",
        "s_set_vgpr_msb",
        "s_ttracedata_imm",
        "global_prefetch_b8",
        "s_prefetch_inst",
        "s_prefetch_data",
        "s_prefetch_inst_pc_rel",
        "global_wb",
        "global_inv",
        "global_wbinv",
        "s_dcache_inv",
        "s_icache_inv",
    ]
)
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
    if name in NO_EFFECT:
        return lambda g: None
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

    def handler(g: Group) -> int | Jump | None:
        taken = condition(g)
        if taken.all():
            return target
        return Jump(target, taken) if taken.any() else None

    return handler


def _end(line: Line, kernel: KernelAsm) -> Handler:
    end = End()
    return lambda g: end


def _barrier_id(line: Line) -> int:
    number = int(line.operands[0], 0) if line.operands else 0
    if number not in (-1, -3):
        raise line.fail("only the workgroup barrier -1 is modelled (and -3 outside clusters)")
    return number


def _signal(line: Line, kernel: KernelAsm) -> Handler:
    if _barrier_id(line) == -3:
        return lambda g: None

    def handler(g: Group) -> None:
        twice = g.m.barriers.signal(g.index)
        if len(twice):
            raise line.fail(f"{g.m.describe(int(twice[0]))} signals the barrier twice in a phase")

    return handler


def _wait(line: Line, kernel: KernelAsm) -> Handler:
    if _barrier_id(line) == -3:
        return lambda g: None

    def handler(g: Group) -> Wait | None:
        ready = g.m.barriers.wait(g.index)
        return None if ready.all() else Wait(ready)

    return handler


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

    def handler(g: Group) -> None:
        where = address(g).view(np.int64) + moved(g) + extra
        try:
            words = _fetch(g, where, size)
        except MemoryAccessError as fault:
            who = g.m.describe(int(g.index[fault.index]))
            raise line.fail(f"{fault.reason}, address {fault.address:#x}, {who}") from None
        if match[2] == "i":
            shift = np.int32(32 - 8 * size)
            words = ((words.view(np.int32) << shift) >> shift).view(np.uint32)
        for index in range(words.shape[1]):
            g.write_s(target.reg + index, words[:, index])

    return handler


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
    """s_getreg_b32: only the cluster status, which is 0 for a launch without clusters."""
    match = _HWREG.fullmatch(line.operands[1])
    if not match or match[1] != "HW_REG_IB_STS2":
        raise line.fail("this hardware register is not modelled")
    store = writer(parse_operand(line.operands[0], line, kernel), "u32", line, vector=False)
    return lambda g: store(g, np.zeros(1, np.uint32))


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
    "s_barrier_signal": _signal,
    "s_barrier_wait": _wait,
    "s_getreg_b32": _get_register,
    "s_setreg_imm32_b32": _set_register,
    "s_setreg_b32": _set_register,
    "s_sendmsg": _message,
}
