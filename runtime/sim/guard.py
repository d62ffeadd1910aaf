"""Wrap a decoded instruction in the checks that need no knowledge of what it does.

The common case costs a few set operations; arrays are looked at only when an instruction touches a
register that is pending or not wholly valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .asm import Line
from .pending import UNORDERED, Op
from .state import EXEC
from .table import Handler

if TYPE_CHECKING:
    from .state import Group


def guard(line: Line, handler: Handler) -> Handler:
    """`handler` with its registers checked before it runs."""
    uses = line.uses
    if EXEC in uses.s_write:
        uses.require()
    touched_v = frozenset(uses.v_read | uses.v_write)
    touched_s = frozenset(uses.s_read | uses.s_write)
    must_v, must_s = frozenset(uses.v_must), frozenset(uses.s_must)
    flow_v = frozenset(uses.v_read - uses.v_must)
    flow_s = frozenset(uses.s_read - uses.s_must)
    write_v, write_s = frozenset(uses.v_write), frozenset(uses.s_write)
    at_once = not uses.counter
    parts = uses.parts or [uses]

    def run(g: Group) -> Any:
        m = g.m
        pending, validity = m.pending, m.validity
        early = False
        if pending.v and not touched_v.isdisjoint(pending.v):
            early = _pending(g, line, "v", touched_v, pending.v)
        if pending.s and not touched_s.isdisjoint(pending.s):
            early |= _pending(g, line, "s", touched_s, pending.s)
        bad_v, bad_s = validity.v, validity.s
        if not ((must_v.isdisjoint(bad_v) and must_s.isdisjoint(bad_s)) or early):
            validity.check(g, line)
        if at_once:
            if not (flow_v.isdisjoint(bad_v) and flow_s.isdisjoint(bad_s)) and not early:
                found = [(part, validity.flow(g, part)) for part in parts]
                for part, bad in found:
                    validity.write(g, part, bad)
            elif not (write_v.isdisjoint(bad_v) and write_s.isdisjoint(bad_s)):
                validity.write(g, uses, None)
        return handler(g)

    return run


def _pending(
    g: Group, line: Line, kind: str, touched: frozenset[int], table: dict[int, list[Op]]
) -> bool:
    """Report registers that an operation of the group's waves still owns; whether there are any."""
    uses, some = line.uses, False
    mine = np.zeros(g.m.waves, dtype=bool)
    read = uses.v_read if kind == "v" else uses.s_read
    for reg in sorted(touched & table.keys()):
        for op in table[reg]:
            in_order = uses.counter == op.counter and uses.counter not in UNORDERED
            if reg not in read and in_order:
                continue  # both write it, in order
            mine[g.index] = True
            waves = op.waves[mine[op.waves]]
            if len(waves):
                some = True
                if kind == "v":  # said once: what it leads to is no news
                    g.m.validity.set_v(g, reg, False)
                does = "reads" if reg in read else "overwrites"
                name = f"v{reg}" if kind == "v" else f"SGPR {reg}"
                g.m.findings.add(
                    "missing-wait", line, f"{does} {name} before a wait on {op.counter} made it "
                    "ready", g.m, int(waves[0]), other=op.line,
                )  # fmt: skip
    return some
