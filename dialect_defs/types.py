"""The `tile` types as Python values: LDS rings with their byte layout, fragments, barriers."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir


def element_bytes(elem: ir.Type) -> int:
    """Bytes of one element of ``elem`` (a float or integer type of whole bytes)."""
    if isinstance(elem, ir.FloatType):
        return int(elem.width) // 8
    return int(ir.IntegerType(elem).width) // 8


SWIZZLES = (0, 32, 64, 128)
SLOT_ALIGN = 1024  # bytes: a swizzled slot starts, and the next one too, where the pattern does


@dataclass(frozen=True)
class Layout:
    """Where element (row, col) of an LDS tile lies, as one closed-form byte function.

    With ``block`` the tile is cut along its columns into blocks of that many bytes a row, each
    row-major, one after another; 0 is one block, the whole row. On top of that either ``pad`` bytes
    that nobody writes lie after every ``interval`` bytes of data (the TDM's padding rule:
    byte += byte // interval * pad), or 16-byte pieces change places within ``swizzle`` bytes, by
    the number of the 128-byte line (the TMA's swizzle modes: byte ^= byte >> 3 & swizzle - 16).
    """

    pad: int = 0
    interval: int = 0
    block: int = 0
    swizzle: int = 0

    @property
    def period(self) -> int:
        """Bytes of packed data after which the bending starts anew; 1 if nothing is bent."""
        return self.interval or 8 * self.swizzle or 1

    def bend(self, byte: int) -> int:
        """Byte offset in LDS of byte ``byte`` of the packed tile."""
        if self.interval:
            return byte + byte // self.interval * self.pad
        return byte ^ (byte >> 3 & self.swizzle - 16) if self.swizzle else byte

    def place(self, row: int, byte: int, pitch: int, rows: int) -> int:
        """Byte offset in a slot of ``rows`` rows of ``pitch`` bytes of byte ``byte`` of ``row``."""
        if self.block:
            blocks, within = divmod(byte, self.block)
            return self.bend(blocks * rows * self.block + row * self.block + within)
        return self.bend(row * pitch + byte)

    def error(self, row_bytes: int) -> str | None:
        """What is wrong with the layout of a tile with rows of ``row_bytes``, or None."""
        pieces = (self.pad, self.interval, self.block)
        if min(pieces) < 0 or any(piece % 16 for piece in pieces):
            return "a layout's interval, pad and block are multiples of 16 bytes"
        if self.pad and not self.interval:
            return "a layout's pad needs an interval"
        if self.swizzle not in SWIZZLES or (self.swizzle and self.interval):
            return f"a layout swizzles {', '.join(map(str, SWIZZLES))} bytes, and then pads nothing"
        if self.block and row_bytes % self.block:
            return f"rows of {row_bytes} bytes are no whole blocks of {self.block}"
        return None

    def text(self) -> str:
        """The dictionary attribute of this layout: what is not 0."""
        names = ("block", "interval", "pad", "swizzle")
        parts = [f"{name} = {getattr(self, name)}" for name in names]
        needed = [p for p in parts if not p.endswith(" = 0") or (self.interval and "pad" in p)]
        return f"{{{', '.join(needed)}}}"


@dataclass(frozen=True)
class LdsType:
    """`!tile.lds<[stages, rows, cols], elem, layout>`."""

    stages: int
    rows: int
    cols: int
    elem: ir.Type
    layout: Layout

    @staticmethod
    def of(type_: ir.Type) -> LdsType | None:
        """``type_`` as an LDS ring, or None if it is another type."""
        parts = _parameters(type_, "lds")
        if parts is None:
            return None
        stages, rows, cols = _ints(parts[0])
        raw = ir.DictAttr(parts[2])
        layout = Layout(**{entry.name: ir.IntegerAttr(entry.attr).value for entry in raw})
        return LdsType(stages, rows, cols, ir.TypeAttr(parts[1]).value, layout)

    def get(self) -> ir.Type:
        """The MLIR type."""
        shape = f"[{self.stages}, {self.rows}, {self.cols}]"
        return ir.Type.parse(f"!tile.lds<{shape}, {self.elem}, {self.layout.text()}>")

    @property
    def row_bytes(self) -> int:
        """Bytes of one row without padding."""
        return self.cols * element_bytes(self.elem)

    @property
    def slot_bytes(self) -> int:
        """Bytes from one stage to the next: padding included, whole periods of a swizzle."""
        packed = self.rows * self.row_bytes
        if self.layout.swizzle:
            return -(-packed // SLOT_ALIGN) * SLOT_ALIGN
        return self.layout.bend(packed)

    def place(self, row: int, col: int) -> int:
        """Byte offset in a slot of element (row, col)."""
        byte = col * element_bytes(self.elem)
        return self.layout.place(row, byte, self.row_bytes, self.rows)

    @property
    def total_bytes(self) -> int:
        """Bytes of the whole ring."""
        return self.stages * self.slot_bytes


@dataclass(frozen=True)
class FragType:
    """`!tile.frag<[rows, cols], elem, role>`; roles are "a" [m, k], "b" [k, n] and "acc" [m, n]."""

    rows: int
    cols: int
    elem: ir.Type
    role: str

    @staticmethod
    def of(type_: ir.Type) -> FragType | None:
        """``type_`` as a fragment, or None if it is another type."""
        parts = _parameters(type_, "frag")
        if parts is None:
            return None
        rows, cols = _ints(parts[0])
        return FragType(rows, cols, ir.TypeAttr(parts[1]).value, ir.StringAttr(parts[2]).value)

    def get(self) -> ir.Type:
        """The MLIR type."""
        return ir.Type.parse(f'!tile.frag<[{self.rows}, {self.cols}], {self.elem}, "{self.role}">')


@dataclass(frozen=True)
class BarType:
    """`!tile.bar<slots>`."""

    slots: int

    @staticmethod
    def of(type_: ir.Type) -> BarType | None:
        """``type_`` as a barrier, or None if it is another type."""
        parts = _parameters(type_, "bar")
        return None if parts is None else BarType(ir.IntegerAttr(parts[0]).value)

    def get(self) -> ir.Type:
        """The MLIR type."""
        return ir.Type.parse(f"!tile.bar<{self.slots}>")


def _parameters(type_: ir.Type, name: str) -> list[ir.Attribute] | None:
    # IRDL types have no Python class; their parameters print as attributes do.
    text, prefix = str(type_), f"!tile.{name}<"
    if not text.startswith(prefix):
        return None
    return list(ir.ArrayAttr(ir.Attribute.parse(f"[{text[len(prefix) : -1]}]", type_.context)))


def _ints(attr: ir.Attribute) -> list[int]:
    return [ir.IntegerAttr(a).value for a in ir.ArrayAttr(attr)]
