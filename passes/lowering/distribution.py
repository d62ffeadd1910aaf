"""Which lane holds which element of a whole fragment: a grid of blocks, each with a lane map."""

from __future__ import annotations

from dataclasses import dataclass

from gemm_ladder.dialect_defs.target import Atom, LaneMap
from gemm_ladder.dialect_defs.types import FragType


@dataclass(frozen=True)
class Distribution:
    """A fragment of ``frag.rows`` x ``frag.cols`` as a row-major grid of blocks of ``lane_map``.

    A lane holds one vector of ``lane_map.slot_count`` elements for each block. ``atom`` is the
    matrix instruction whose operand or result a block is, None for plain FMA.
    """

    frag: FragType
    lane_map: LaneMap
    atom: Atom | None = None

    @property
    def block(self) -> tuple[int, int]:
        """(rows, cols) of one block."""
        return self.lane_map.shape

    @property
    def grid(self) -> tuple[int, int]:
        """Blocks along (rows, cols)."""
        rows, cols = self.block
        return self.frag.rows // rows, self.frag.cols // cols

    @property
    def fits(self) -> bool:
        """Whether the fragment is a whole number of blocks."""
        rows, cols = self.block
        return self.frag.rows % rows == 0 and self.frag.cols % cols == 0

    def origins(self) -> list[tuple[int, int]]:
        """(row, col) of each block's first element, in the order of the lane's vectors."""
        (rows, cols), (br, bc) = self.grid, self.block
        return [(i * br, j * bc) for i in range(rows) for j in range(cols)]
