"""Debug lines: which tile op of which source line an instruction comes from.

Tile ops are named in their locations before they are lowered; the lowering hands locations on, and
here they become the files of LLVM's line table, `.file 3 "tile.mma acc_next of tile-workgroup at
mm.mlir"`, with the source's line and column. MLIR's only way to a second file is an inlined call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.passmanager import PassManager

from gemm_ladder.passes.base import PassContext
from gemm_ladder.passes.lowering.walk import walk

_NAMED = re.compile(r'loc\("(tile\.[^"]*)"\("([^"]*)":(\d+):(\d+)\)\)')
_PLACE = re.compile(r'"([^"]*)":(\d+):(\d+)')
_SCOPES = "builtin.module(ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly})"


# On a tile op between two passes: the pass that made it, or the one that its original came from.
_MAKER = "tile.made_by"


def note_maker(module: ir.Module, name: str) -> None:
    """Mark every tile op that is not marked yet as made by pass ``name`` ("" for the input)."""

    for op in walk(module.operation):
        if op.name.startswith("tile.") and _MAKER not in op.attributes:
            op.attributes[_MAKER] = ir.StringAttr.get(name, op.context)


@dataclass(frozen=True)
class MarkTileOps:
    """Name each tile op in its location.

    Before: "tile.mma"(...) loc("acc_next"("mm.mlir":5:8))
    After:  "tile.mma"(...) loc("tile.mma acc_next of tile-workgroup"("mm.mlir":5:8))
    Source: none, an aid for debug lines.
    """

    name: ClassVar[str] = "mark-tile-ops"
    analysis: ClassVar[bool] = True
    source: str = ""  # the name of the file that was parsed from memory

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Locations only: the IR stays as it is, but for the marks of ``note_maker``."""
        for op in walk(module.operation):
            self._mark(op)

    def _mark(self, op: ir.Operation) -> None:
        place, maker = _PLACE.search(str(op.location)), ""
        if _MAKER in op.attributes:
            maker = ir.StringAttr(op.attributes[_MAKER]).value
            del op.attributes[_MAKER]
        if not op.name.startswith("tile.") or place is None:
            return
        value = re.match(r'loc\("([^"]*)"\(', str(op.location))
        name = f"{op.name} {value[1]}" if value else op.name
        name += f" of {maker}" if maker else ""
        file = self.source if self.source and place[1] == "-" else place[1]
        where = ir.Location.file(file, int(place[2]), int(place[3]), op.context)
        op.location = ir.Location.name(name, where, op.context)


def add_lines(host: ir.Module) -> None:
    """Give functions of the LLVM dialect a line table."""
    for op in host.body:
        place = _PLACE.search(str(op.operation.location))
        if op.operation.name != "llvm.func" or place is None:
            continue
        op.operation.location = ir.Location.file(place[1], int(place[2]), int(place[3]))
        for inner in walk(op.operation):
            _scope(inner)
    PassManager.parse(_SCOPES, context=host.context).run(host.operation)


def _scope(op: ir.Operation) -> None:
    named = _NAMED.match(str(op.location))
    if named is None:
        return
    line, column = int(named[3]), int(named[4])
    caller = ir.Location.file(named[2], line, column)
    callee = ir.Location.file(f"{named[1]} at {named[2]}", line, column)
    op.location = ir.Location.callsite(callee, [caller])
