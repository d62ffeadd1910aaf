"""The `tile` types as Python values: LDS rings with their byte layout, fragments, barriers."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir


def element_bytes(elem: ir.Type) -> int:
    """Bytes of one element of ``elem`` (a float or integer type of whole bytes)."""
    if isinstance(elem, ir.FloatType):
        return int(elem.width) // 8
    return int(ir.IntegerType(elem).width) // 8


@dataclass(frozen=True)
class Layout:
    """Where element (row, col) of an LDS tile lies, as one closed-form byte function.

    The tile is row-major; after every ``interval`` bytes of data lie ``pad`` bytes that nobody
    writes (the TDM's padding rule: byte += byte // interval * pad). ``interval`` 0 is no padding.
    """

    pad: int = 0
    interval: int = 0

    def place(self, byte: int) -> int:
        """Byte offset in LDS of byte ``byte`` of the packed tile."""
        return byte + byte // self.interval * self.pad if self.interval else byte

    def text(self) -> str:
        """The dictionary attribute of this layout."""
        if not self.interval:
            return "{}"
        return f"{{interval = {self.interval}, pad = {self.pad}}}"


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
        """Bytes of one stage, padding included."""
        return self.layout.place(self.rows * self.row_bytes)

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
