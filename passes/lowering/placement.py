"""Where an element of a tile lies: the layout's byte function over rows and bytes of a row.

A place is (row, byte). Its uniform part (a tile's origin) is known only by what divides it: a
`Residue` says what it can be modulo the layout's period. Adding whole periods to a place adds a
plain number of bytes to its address, which is what keeps a lane's part of the address constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs.types import Layout
from gemm_ladder.passes.lowering import emit


@dataclass(frozen=True)
class Placement:
    """A layout of ``height`` rows (0 where it has no blocks) of ``pitch`` bytes."""

    layout: Layout
    pitch: int
    height: int

    @property
    def plain(self) -> bool:
        """Whether the byte is row * pitch + byte."""
        return not (self.layout.interval or self.layout.swizzle or self.layout.block)

    @property
    def row_period(self) -> int:
        """Rows after which the layout repeats."""
        pitch = self.layout.block or self.pitch
        return self.layout.period // math.gcd(self.layout.period, pitch)

    @property
    def byte_period(self) -> int:
        """Bytes of a row after which the layout repeats."""
        period, block = self.layout.period, self.layout.block
        if not block:
            return period
        return block * (period // math.gcd(period, self.height * block))

    def place(self, row: int, byte: int) -> int:
        """Byte offset of a place."""
        return self.layout.place(row, byte, self.pitch, self.height)

    def periods(self) -> tuple[int, int]:
        """Byte offsets of the places one period of rows, and of bytes, from the start."""
        return self.place(self.row_period, 0), self.place(0, self.byte_period)

    def periodic(self, row: ir.Value | None, byte: ir.Value | None) -> ir.Value | None:
        """i32 byte offset of a place of whole periods; None is 0, in the result too."""
        parts = []
        for value, period, size in zip(
            (row, byte), (self.row_period, self.byte_period), self.periods(), strict=True
        ):
            if value is not None:
                parts.append(emit.scaled(value, size, period))
        if not parts:
            return None
        return parts[0] if len(parts) == 1 else arith.addi(*parts)

    def at(self, row: ir.Value, byte: ir.Value, byte_range: tuple[int, int] | None) -> ir.Value:
        """i32 byte offset of any place; ``byte`` is known to be in ``byte_range`` (inclusive)."""
        block = self.layout.block
        if not block:
            return self._bend(emit.add(emit.mul(row, self.pitch), byte))
        within = emit.mul(row, block)
        if byte_range is not None and byte_range[0] // block == byte_range[1] // block:
            number = byte_range[0] // block
            packed = emit.add(within, emit.add(byte, number * (self.height - 1) * block))
        else:
            blocks = emit.mul(emit.udiv(byte, block), self.height * block)
            packed = emit.add(emit.add(blocks, within), emit.urem(byte, block))
        return self._bend(packed)

    def _bend(self, packed: ir.Value) -> ir.Value:
        layout = self.layout
        if layout.interval:
            return emit.add(packed, emit.mul(emit.udiv(packed, layout.interval), layout.pad))
        if layout.swizzle:
            line = arith.shrui(packed, emit.i32(3))
            return arith.xori(packed, arith.andi(line, emit.i32(layout.swizzle - 16)))
        return packed
