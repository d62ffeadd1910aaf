"""Memory operations of VGPRs: what moves when data lands, what is checked when they complete."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .asm import Line
from .pending import Op
from .state import LANES, Array, Group
from .table import Access


def lane_words(g: Group, registers: range) -> Array:
    """VGPRs of the active lanes as [active, count]."""
    words = np.stack([g.v[reg, g.sel] for reg in registers], axis=-1)
    return words.reshape(-1, len(registers)) if g.full else np.asarray(words[g.mask])


def spread(g: Group, value: Array, fill: int | bool) -> Array:
    """Values of the active lanes as [n, 32]."""
    if g.full:
        return value.reshape(g.n, LANES)
    wide = np.full((g.n, LANES), fill, value.dtype)
    wide[g.mask] = value
    return wide


def write_loaded(g: Group, registers: range, words: Array, access: Access) -> None:
    """Put gathered dwords [active, k] into VGPRs of the active lanes."""
    for index, reg in enumerate(registers):
        value = words[:, index]
        if access.signed:
            shift = np.int32(32 - 8 * access.size)
            value = ((value.view(np.int32) << shift) >> shift).view(np.uint32)
        full = spread(g, value, 0)
        if access.half:
            old = g.v[reg, g.sel]
            full = (
                (old & np.uint32(0xFFFF)) | (full << np.uint32(16))
                if access.half == "h"
                else (old & np.uint32(0xFFFF0000)) | (full & np.uint32(0xFFFF))
            )
        g.write_v(reg, full)


class Load(Op):
    """A global, flat or scratch load: read at issue, in its registers when its wait passes."""

    v_regs: range

    def __init__(
        self, g: Group, line: Line, access: Access, registers: range, words: Array
    ) -> None:
        super().__init__(g, line, "loadcnt")
        self.access, self.v_regs, self.words = access, registers, words

    def restrict(self, rows: Array, items: Array) -> None:
        """Keep the words of the picked lanes."""
        self.words = self.words[items]

    def land(self) -> None:
        """Write the registers."""
        write_loaded(self.group, self.v_regs, self.words, self.access)
        if self.machine.checks:
            validity = self.machine.validity
            for reg in validity.v.intersection(self.v_regs):
                validity.set_v(self.group, reg, False)


class LdsLoad(Op):
    """An LDS load of one or two addresses a lane."""

    v_regs: range

    def __init__(
        self, g: Group, line: Line, access: Access, registers: range, offsets: list[Array]
    ) -> None:
        super().__init__(g, line, "dscnt")
        self.access, self.v_regs, self.offsets = access, registers, offsets

    def restrict(self, rows: Array, items: Array) -> None:
        """Keep the addresses of the picked lanes."""
        self.offsets = [part[items] for part in self.offsets]

    def land(self) -> None:
        """Read LDS and write the registers."""
        storage, size = self.machine.lds.bytes, self.access.size
        parts = [storage.gather(part, size) for part in self.offsets]
        words = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        if self.access.transpose:
            words = _transpose16(words)
        write_loaded(self.group, self.v_regs, words, self.access)
        if self.machine.checks:
            self._validity()

    def _validity(self) -> None:
        """Registers are as valid as the dwords they came from."""
        validity, shadow = self.machine.validity, self.machine.shadow
        each = self.access.registers
        for index, part in enumerate(self.offsets):
            registers = self.v_regs[index * each : (index + 1) * each]
            rows, width = shadow.valid_rows(part, self.access.size)
            bad = shadow.invalid.reshape(-1, width).take(rows, axis=0)
            if not bad.any():
                for reg in validity.v.intersection(registers):
                    validity.set_v(self.group, reg, False)
                continue
            lanes: Array = np.asarray(bad.reshape(len(part), each, -1).any(axis=2))
            if self.access.transpose:
                lanes = np.repeat(lanes.reshape(-1, 8 * each).any(axis=1), 8)[:, None]
                lanes = np.repeat(lanes, each, axis=1)
            for reg, column in zip(registers, lanes.T, strict=True):
                wide = spread(self.group, np.ascontiguousarray(column), False)
                validity.set_v(self.group, reg, wide, self.line)

    def finish(self) -> None:
        """Note the reads, and the writes they raced with."""
        shadow = self.machine.shadow
        for part in self.offsets:
            shadow.finish_read(self, *shadow.rows(part, self.access.size))


def _transpose16(words: Array) -> Array:
    """ds_load_tr16_b128: transpose 8 x 8 halves inside each group of 8 lanes.

    Lane 8i+j ends up with half j of lanes 8i..8i+7 (rocm-systems rocjitsu, ds_transpose.h).
    """
    halves = np.ascontiguousarray(words).view(np.uint16).reshape(-1, 8, 8)
    turned = np.ascontiguousarray(halves.transpose(0, 2, 1))
    result: Array = turned.reshape(-1, 8).view(np.uint32)
    return result


class LdsStore(Op):
    """An LDS store of one or two addresses a lane; the data registers are read at issue."""

    def __init__(
        self,
        g: Group,
        line: Line,
        access: Access,
        registers: Sequence[int],
        parts: list[tuple[Array, Array]],
    ) -> None:
        super().__init__(g, line, "dscnt")
        self.access, self.parts = access, parts
        self.invalid: Array | None = None
        if g.m.checks and not g.m.validity.v.isdisjoint(registers):
            bad = np.stack([g.m.validity.lanes(g, reg) for reg in registers], axis=-1)
            flat = bad.reshape(-1, len(registers)) if g.full else bad[g.mask]
            self.invalid = flat if flat.any() else None

    def restrict(self, rows: Array, items: Array) -> None:
        """Keep addresses and data of the picked lanes."""
        self.parts = [(offsets[items], words[items]) for offsets, words in self.parts]
        if self.invalid is not None:
            self.invalid = self.invalid[items]

    def land(self) -> None:
        """Write LDS."""
        size, machine = self.access.size, self.machine
        for index, (offsets, words) in enumerate(self.parts):
            machine.lds.bytes.scatter(offsets, size, words)
            if not machine.checks:
                continue
            rows, width = machine.shadow.valid_rows(offsets, size)
            table = machine.shadow.invalid.reshape(-1, width)
            if self.invalid is None:
                table[rows] = False
                continue
            each = self.access.registers
            bad = self.invalid[:, index * each : (index + 1) * each]
            units = len(rows) * width // (len(bad) * each)
            table[rows] = np.repeat(bad, units, axis=1).reshape(len(rows), width)

    def finish(self) -> None:
        """Note the writes, and the accesses they raced with."""
        shadow = self.machine.shadow
        for offsets, _ in self.parts:
            shadow.finish_write(self, *shadow.rows(offsets, self.access.size))
