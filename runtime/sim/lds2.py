"""LDS instructions with two addresses: ds_load_2addr_*, ds_store_2addr_*, _stride64 forms."""

from __future__ import annotations

import re

import numpy as np

from .asm import KernelAsm, Line
from .operands import check_bank, parse_operand, reader
from .state import Group
from .table import Handler
from .vmem import Access, _locator, resolve, write_loaded

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
    reads = [lambda g, o=o: base(g).astype(np.int64) + o for o in offsets]
    locate = _locator(access)
    words = size // 4

    if access.store:
        for slot, operand in enumerate(operands[1:], 1):
            check_bank(operand, slot, line)

        def store(g: Group) -> None:
            for address, operand in zip(reads, operands[1:], strict=True):
                storage, where = resolve(g, address, locate, line)
                if len(where):
                    parts = [g.v[operand.reg + i, g.sel] for i in range(words)]
                    data = np.stack(parts, axis=-1)
                    flat = data.reshape(-1, words) if g.full else data[g.mask]
                    storage.scatter(where, size, flat)

        return store
    check_bank(operands[0], 3, line)

    def load(g: Group) -> None:
        found = [resolve(g, address, locate, line) for address in reads]
        if len(found[0][1]):
            parts = [storage.gather(where, size) for storage, where in found]
            write_loaded(g, operands[0].reg, np.concatenate(parts, axis=1), access)

    return load
