"""The `tile` dialect: its IRDL definition, types, op classes and builders, and target facts."""

from __future__ import annotations

from importlib.resources import files

from mlir import ir
from mlir.dialects import irdl

# With a Python module to find, an op seen as an OpView costs no failing import (5x on rewrites).
ir._globals.append_dialect_search_prefix(__name__)


def load_dialect(context: ir.Context) -> None:
    """Make `tile` known to ``context``. Idempotent: MLIR aborts on a second load of a dialect."""
    if context.is_registered_operation("tile.contract"):
        return
    text = files(__name__).joinpath("tile.irdl.mlir").read_text(encoding="utf-8")
    with context:
        irdl.load_dialects(ir.Module.parse(text))
