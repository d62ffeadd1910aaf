"""Wait counters, barriers, hints: instructions that order and do not compute."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from .asm import KernelAsm, Line
from .barriers import BAD_ID, CLUSTER, NAMED, WORKGROUP
from .operands import parse_operand, reader, writer
from .state import M0, Array, Group
from .table import Handler, Wait
from .validity import SCC

# Hints, and waits for what the simulator does at once: stores to global memory, address
# translation (xcnt), exports, in-pipeline hazards.
NO_EFFECT = frozenset(
    [
        "s_nop", "v_nop", "s_delay_alu", "s_clause", "s_setprio", "s_setprio_inc_wg", "s_sleep",
        "s_set_inst_prefetch_distance", "s_code_end", "s_wait_storecnt", "s_wait_xcnt",
        "s_wait_expcnt", "s_wait_samplecnt", "s_wait_bvhcnt", "s_wait_alu", "s_set_vgpr_msb",
        "s_ttracedata_imm", "global_prefetch_b8", "s_prefetch_inst", "s_prefetch_data",
        "s_prefetch_inst_pc_rel", "global_wb", "global_inv", "global_wbinv", "s_dcache_inv",
        "s_icache_inv", "s_monitor_sleep",
    ]
)  # fmt: skip
# instruction -> counters it waits on; combined forms hold dscnt in bits 5:0, the other in 13:8
# (LLVM AMDGPU, encodeLoadcntDscnt and encodeStorecntDscnt for gfx12).
WAITS = {
    "s_wait_loadcnt": ("loadcnt",),
    "s_wait_dscnt": ("dscnt",),
    "s_wait_kmcnt": ("kmcnt",),
    "s_wait_asynccnt": ("asynccnt",),
    "s_wait_tensorcnt": ("tensorcnt",),
    "s_wait_loadcnt_dscnt": ("dscnt", "loadcnt"),
    "s_wait_storecnt_dscnt": ("dscnt",),
    "s_wait_idle": ("loadcnt", "dscnt", "kmcnt", "asynccnt", "tensorcnt"),
}


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of a wait, barrier or hint, None when it is neither."""
    name = line.mnemonic
    if name in NO_EFFECT:
        return lambda g: None
    if name in WAITS:
        return _counter(line)
    make = BUILDERS.get(name)
    return make(line, kernel) if make else None


def _counter(line: Line) -> Handler:
    counters = WAITS[line.mnemonic]
    value = int(line.operands[0], 0) if line.operands else 0
    limits = [(name, (value >> (8 * i)) & 63) for i, name in enumerate(counters)]

    def handler(g: Group) -> None:
        for name, limit in limits:
            g.m.pending.wait(name, limit, g)

    return handler


def _number(line: Line) -> int | None:
    """Barrier id of the operand; None: it is in M0."""
    text = line.operands[0] if line.operands else "0"
    if text == "m0":
        line.uses.s_read.add(M0)
        line.uses.require()
        return None
    if not re.fullmatch(r"-?\d+|0x[0-9a-fA-F]+", text):
        raise line.fail(BAD_ID)
    number = int(text, 0)
    if number not in (WORKGROUP, CLUSTER) and not 1 <= number <= NAMED:
        raise line.fail(BAD_ID)
    return number


def _m0(g: Group, line: Line) -> tuple[int, int]:
    """(id, member count) that M0 holds: id in 4:0, count in 22:16; the same for every wave."""
    values = np.unique(g.s[M0, g.sel])
    if len(values) != 1:
        raise line.fail("waves name different barriers in M0, which is not modelled")
    value = int(values[0])
    if not 1 <= value & 31 <= NAMED:
        raise line.fail(f"M0 names barrier {value & 31}; {BAD_ID}")
    return value & 31, (value >> 16) & 127


def _signal(line: Line, kernel: KernelAsm) -> Handler:
    number = _number(line)

    def handler(g: Group) -> None:
        g.m.pending.stir()
        if number == CLUSTER and g.m.cluster_size == 1:
            return
        if number is None or number > 0:
            g.m.barriers.signal_named(g, number or _m0(g, line)[0], line)
        else:
            g.m.barriers.signal(g, number, line)

    return handler


def _signal_first(line: Line, kernel: KernelAsm) -> Handler:
    """Like s_barrier_signal; SCC says which wave signalled first in the phase."""
    number = _number(line)
    if number != WORKGROUP:
        raise line.fail("only barrier -1 can elect a wave")
    line.uses.s_write.add(SCC)

    def handler(g: Group) -> None:
        g.m.scc[g.sel] = g.m.barriers.first(g)
        g.m.barriers.signal(g, WORKGROUP, line)

    return handler


def _wait(line: Line, kernel: KernelAsm) -> Handler:
    """Outside a cluster -3 does nothing; a positive id means the barrier that was joined."""
    number = _number(line)
    if number is None:
        raise line.fail(BAD_ID)

    def handler(g: Group) -> Wait | None:
        if number == CLUSTER and g.m.cluster_size == 1:
            return None
        g.m.pending.stir()
        ready = g.m.barriers.wait(g, number)
        return None if ready.all() else Wait(ready)

    return handler


def _init(line: Line, kernel: KernelAsm) -> Handler:
    number = _number(line)
    if number is not None:
        raise line.fail("only `s_barrier_init m0` is modelled")
    return lambda g: g.m.barriers.init_named(g, *_m0(g, line))


def _join(line: Line, kernel: KernelAsm) -> Handler:
    number = _number(line)
    return lambda g: g.m.barriers.join(g, number or _m0(g, line)[0], line)


def _state(line: Line, kernel: KernelAsm) -> Handler:
    """s_get_barrier_state: members in 22:16, signals so far in 30:24 (LLVM, gfx12 barriers)."""
    store = writer(parse_operand(line.operands[0], line, kernel), "u32", line, vector=False)
    source = parse_operand(line.operands[1], line, kernel)
    which = reader(source, "u32", line, vector=False)

    def handler(g: Group) -> None:
        number = int(np.unique(which(g))[0]) & 31
        phases = g.m.barriers.named.get(number)
        if phases is None:
            raise line.fail(f"named barrier {number} was never initialised")
        groups = g.m.barriers.group[g.index]
        value: Array = (phases.members[groups] << 16) | (phases.arrived[groups] << 24)
        store(g, value.astype(np.uint32))

    return handler


BUILDERS: dict[str, Callable[[Line, KernelAsm], Handler]] = {
    "s_barrier_signal": _signal,
    "s_barrier_signal_isfirst": _signal_first,
    "s_barrier_wait": _wait,
    "s_barrier_init": _init,
    "s_barrier_join": _join,
    "s_get_barrier_state": _state,
}
