"""LDS instructions with two addresses: ds_load_2addr_*, ds_store_2addr_*, _stride64 forms."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from .asm import KernelAsm, Line
from .memops import LdsLoad, LdsStore, lane_words
from .operands import Operand, Reader, check_bank, parse_operand, reader
from .state import Group
from .table import Access, Handler
from .vmem import locator, resolve

_NAME = re.compile(r"ds_(load|store)_2addr_(stride64_)?b(32|64)")


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of a two-address LDS instruction; offsets count elements, or 64 of them."""
    match = _NAME.fullmatch(line.mnemonic)
    if not match:
        return None
    size = int(match[3]) // 8
    unit = size * (64 if match[2] else 1)
    for name in line.modifiers:
        if name not in ("offset0", "offset1"):
            raise line.fail(f"unknown modifier {name}")
    offsets = [int(line.modifiers.get(name, "0"), 0) * unit for name in ("offset0", "offset1")]
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    access = Access("ds", match[1] == "store", size, False, "", False)
    base_operand = operands[0] if access.store else operands[1]
    check_bank(base_operand, 0, line)
    base = reader(base_operand, "u32", line)
    line.uses.require()
    reads = [lambda g, o=o: base(g).astype(np.int64) + o for o in offsets]
    locate = locator("ds", size)
    if access.store:
        return _store(line, access, operands[1:], reads)
    check_bank(operands[0], 3, line)
    line.uses.counter = "dscnt"
    target = range(operands[0].reg, operands[0].reg + 2 * access.registers)

    def load(g: Group) -> None:
        found = [resolve(g, address, locate, line)[1] for address in reads]
        if len(found[0]):
            g.m.pending.issue(LdsLoad(g, line, access, target, found))

    return load


def _store(line: Line, access: Access, data: list[Operand], reads: Sequence[Reader]) -> Handler:
    locate = locator("ds", access.size)
    for slot, operand in enumerate(data, 1):
        check_bank(operand, slot, line)
    registers = [range(operand.reg, operand.reg + access.registers) for operand in data]
    both = [*registers[0], *registers[1]]

    def store(g: Group) -> None:
        where = [resolve(g, address, locate, line)[1] for address in reads]
        if len(where[0]):
            words = [lane_words(g, regs) for regs in registers]
            parts = list(zip(where, words, strict=True))
            g.m.pending.issue(LdsStore(g, line, access, both, parts))

    return store
