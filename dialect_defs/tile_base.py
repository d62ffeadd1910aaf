"""The `tile` dialect's registration, and what its op classes share."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir._mlir_libs import _mlir as _cext


@_cext.register_dialect
class Dialect(ir.Dialect):  # type: ignore[misc] # the bindings are untyped
    """The dialect, as MLIR's registry knows it."""

    DIALECT_NAMESPACE = "tile"


# Decorator of an op class.
tile_op = _cext.register_operation(Dialect)


class TileOp(ir.OpView):  # type: ignore[misc] # the bindings are untyped
    """Attribute access shared by the dialect's ops; a missing attribute reads as the default."""

    def int_attr(self, name: str, default: int = 0) -> int:
        """Integer attribute ``name``, or ``default``."""
        if name not in self.operation.attributes:
            return default
        return int(ir.IntegerAttr(self.operation.attributes[name]).value)

    def str_attr(self, name: str, default: str = "") -> str:
        """String attribute ``name``, or ``default``."""
        if name not in self.operation.attributes:
            return default
        return str(ir.StringAttr(self.operation.attributes[name]).value)

    def ints_attr(self, name: str) -> list[int]:
        """Array-of-integers attribute ``name``; empty if absent."""
        if name not in self.operation.attributes:
            return []
        return [ir.IntegerAttr(a).value for a in ir.ArrayAttr(self.operation.attributes[name])]

    def segment(self, number: int) -> ir.Value | None:
        """Optional operand ``number``, as operandSegmentSizes counts them; None if it is absent."""
        raw = self.operation.attributes["operandSegmentSizes"]
        sizes = list(ir.DenseI32ArrayAttr(raw))
        return self.operation.operands[sum(sizes[:number])] if sizes[number] else None


def ints(values: Sequence[int]) -> ir.ArrayAttr:
    """An array attribute of i64 integers."""
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.IntegerAttr.get(i64, v) for v in values])
