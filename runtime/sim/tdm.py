"""tensor_load_to_lds and tensor_store_from_lds: the TDM's transfers, by wave and not by lane.

EXEC is ignored. A load fills its whole tile, zero outside the tensor; a store writes what is
inside. Loads read global memory when they are issued and reach LDS when they land; stores read LDS
when they land.
"""

from __future__ import annotations

import numpy as np

from .asm import KernelAsm, Line
from .descriptor import Descriptor, lds_dwords, parse
from .memory import MemoryAccessError
from .multicast import check_masks
from .operands import parse_operand
from .pending import Op
from .state import NULL, Array, Group
from .table import Handler
from .vmem import CACHE, report_fault

SIZES = (4, 8, 4, 4)
NAMES = ("tensor_load_to_lds", "tensor_store_from_lds")


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of a TDM instruction, None when it is not one."""
    if line.mnemonic not in NAMES:
        return None
    for name in line.modifiers:
        if name not in CACHE:
            raise line.fail(f"unknown modifier {name}")
    operands = [parse_operand(text, line, kernel) for text in line.operands]
    if len(operands) not in (2, 4):
        raise line.fail("expected two or four descriptor groups")
    for operand, size in zip(operands, SIZES, strict=False):
        if operand.reg != NULL:
            if operand.kind != "s" or operand.count != size:
                raise line.fail(f"a descriptor group of {operand.count} SGPRs, expected {size}")
            line.uses.s_read.update(range(operand.reg, operand.reg + size))
    line.uses.require()
    registers = [operand.reg for operand in operands] + [NULL] * (4 - len(operands))
    make = TdmLoad if line.mnemonic == NAMES[0] else TdmStore

    def handler(g: Group) -> None:
        found = [_read(g, row, registers) for row in range(g.n)]
        for row, descriptor in enumerate(found):
            if descriptor.active and descriptor.unsupported:
                where = g.m.describe(int(g.index[row]))
                raise line.fail(f"{descriptor.unsupported} is not modelled; {where}")
        if make is TdmLoad:
            rows = np.array([d.active for d in found])
            masks = np.array([d.mask for d in found])[rows]
            check_masks(g.subset(rows), line, masks, [d.key for d in found if d.active])
        g.m.pending.issue(make(g, line, found))

    return handler


def _read(g: Group, row: int, registers: list[int]) -> Descriptor:
    """The descriptor of one wave; a null group reads as zero."""
    wave = int(g.index[row])
    groups = []
    for reg, size in zip(registers, SIZES, strict=True):
        words = [0] * size if reg == NULL else g.s[reg : reg + size, wave].tolist()
        groups.append(words)
    return parse(groups)


class _Transfer(Op):
    """A TDM instruction of some waves: `near` LDS dwords in all, `owner` says whose each is."""

    def __init__(self, g: Group, line: Line, found: list[Descriptor]) -> None:
        super().__init__(g, line, "tensorcnt")
        parts = [self._plan(g, row, d) for row, d in enumerate(found) if d.active]
        self.sources = {row: d.address for row, d in enumerate(found) if d.active}
        owners: list[Array] = [np.full(len(p[0]), p[2]) for p in parts]
        self.owner: Array = np.concatenate(owners or [_NONE])
        self.near: Array = np.concatenate([p[0] for p in parts] or [_NONE])
        self.data: Array = np.concatenate([p[1] for p in parts] or [_NONE])

    def _plan(self, g: Group, row: int, d: Descriptor) -> tuple[Array, Array, int]:
        raise NotImplementedError

    def restrict(self, rows: Array, items: Array) -> None:
        """Keep the dwords of the picked waves."""
        self.near, self.data = self.near[items], self.data[items]

    def _fault(self, g: Group, row: int, kind: str, address: int) -> Exception:
        fault = MemoryAccessError(0, address, kind)
        return report_fault(g, self.line, fault, int(g.index[row]), None)

    def _lds(self, g: Group, row: int, d: Descriptor, pad: tuple[int, int] | None) -> Array:
        """Dword indices in the chunk's LDS of the tile's packed stream."""
        nbytes = int(np.prod(d.tile)) * d.element
        if d.lds % 4 or d.tile[0] * d.element % 4:
            raise self._fault(g, row, "TDM rows in LDS are not aligned to dwords", d.lds)
        offsets = lds_dwords(nbytes // 4, pad)
        last = d.lds + 4 * int(offsets[-1]) + 4
        if last > g.m.lds.nbytes:
            what = f"TDM tile ends outside the workgroup's {g.m.lds.nbytes} bytes of LDS"
            raise self._fault(g, row, what, last - 4)
        return np.asarray(offsets + (g.m.lds_base(int(g.index[row])) + d.lds) // 4)

    def _heap(self, g: Group, row: int, d: Descriptor) -> tuple[Array, Array]:
        """(heap offsets of the rows that are inside, booleans: which rows of the tile they are)."""
        starts, inside = d.rows()
        if d.address % d.element:
            raise self._fault(g, row, "TDM global address not aligned to its element", d.address)
        if not d.columns:
            return _NONE, np.zeros_like(inside)
        addresses = d.address + starts[inside] * d.element
        try:
            return g.m.memory.inside(addresses, d.columns * d.element), inside
        except MemoryAccessError as fault:
            raise report_fault(g, self.line, fault, int(g.index[row]), None) from None

    def _units(self) -> tuple[Array, int]:
        """Shadow rows of the dwords."""
        return self.machine.shadow.rows(self.near * 4, 4)


_NONE: Array = np.zeros(0, dtype=np.int64)


class TdmLoad(_Transfer):
    """Global memory to LDS."""

    def _plan(self, g: Group, row: int, d: Descriptor) -> tuple[Array, Array, int]:
        near = self._lds(g, row, d, d.pad)
        heap, inside = self._heap(g, row, d)
        tile = np.zeros((len(inside), d.tile[0] * d.element), dtype=np.uint8)
        if len(heap):
            tile[inside, : d.columns * d.element] = _bytes(g, heap, d.columns * d.element)
        return near, tile.reshape(-1).view(np.uint32), row

    def start(self) -> None:
        """The dwords are under way."""
        self.machine.shadow.start_write(self, *self._units())

    def land(self) -> None:
        """Write LDS."""
        self.machine.lds.bytes.raw.view(np.uint32)[self.near] = self.data

    def finish(self) -> None:
        """The dwords are there."""
        self.machine.shadow.finish_copy(self, *self._units())
        rows, width = self.machine.shadow.valid_rows(self.near * 4, 4)
        self.machine.shadow.invalid.reshape(-1, width)[rows] = False


def _bytes(g: Group, heap: Array, size: int) -> Array:
    """Bytes [rows, size] at heap offsets [rows], moved in the widest units that fit."""
    low = int(np.bitwise_or.reduce(heap)) | size
    kind, unit = next((k, u) for k, u in ((np.uint32, 4), (np.uint16, 2), (np.uint8, 1))
                      if not low % u)  # fmt: skip
    view = g.m.memory.bytes.raw.view(kind)
    found: Array = view[(heap // unit)[:, None] + np.arange(size // unit)]
    return np.ascontiguousarray(found).view(np.uint8)


class TdmStore(_Transfer):
    """LDS to global memory; `data` are the heap offsets of the dwords' elements, -1 outside."""

    def _plan(self, g: Group, row: int, d: Descriptor) -> tuple[Array, Array, int]:
        near = self._lds(g, row, d, None)
        heap, inside = self._heap(g, row, d)
        far = np.full((len(inside), d.tile[0] * d.element), -1, dtype=np.int64)
        if len(heap):
            width = d.columns * d.element
            far[inside, :width] = heap[:, None] + np.arange(width)
        keep = (far.reshape(-1, 4) >= 0).any(axis=1)
        return near[keep], far.reshape(-1, 4)[keep], row

    def land(self) -> None:
        """Write global memory; what nobody wrote must not get there."""
        machine = self.machine
        if not len(self.near):
            return
        octets = machine.lds.bytes.raw.reshape(-1, 4)[self.near]
        inside = self.data >= 0
        machine.memory.bytes.raw[self.data[inside]] = octets[inside]
        if machine.checks:
            rows, width = machine.shadow.valid_rows(self.near * 4, 4)
            invalid = machine.shadow.invalid.reshape(-1, width)
            bad = np.asarray(invalid.take(rows, axis=0).any(axis=1))
            if bad.any():
                first = int(np.argmax(bad)) * len(self.near) // len(bad)
                wave = int(self.waves[self.owner[first]])
                machine.findings.add(
                    "uninitialised", self.line, "stores LDS bytes that nobody wrote", machine,
                    wave, address=int(self.near[first]) * 4 - machine.lds_base(wave),
                )  # fmt: skip

    def finish(self) -> None:
        """Note the reads, and the writes they raced with."""
        if len(self.near):
            self.machine.shadow.finish_read(self, *self._units())
