"""How an output tile is laid out in LDS, and what takes it from there to global memory."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.target import Engine
from gemm_ladder.dialect_defs.types import SWIZZLES, Layout, LdsType, element_bytes
from gemm_ladder.passes.analysis.engine_rules import refusal_of
from gemm_ladder.passes.analysis.kernel import Kernel
from gemm_ladder.passes.analysis.lds_places import place_lds
from gemm_ladder.passes.analysis.region import TileRegion

# Columns: the least that a swizzled block has of 2-byte elements.
PART = 16
# The widest access of LDS by a lane, and so the piece that padding must not cut.
_CHUNK = 16


@dataclass(frozen=True)
class Staging:
    """The ring of a tile, and the engine that reads it; None: the waves do."""

    ring: LdsType
    engine: Engine | None
    reason: str = ""


def choose(kernel: Kernel, region: TileRegion, align: int) -> Staging:
    """The widest engine that takes swizzled tiles, if it may write ``region``; else the waves.

    ``align`` is that of the tile's rows in global memory. ``reason`` says why an engine may not.
    """
    elem = ir.MemRefType(region.src.type).element_type
    row_bytes = region.cols * element_bytes(elem)
    size = next((s for s in sorted(SWIZZLES[1:], reverse=True) if row_bytes % s == 0), 0)
    swizzled = LdsType(1, region.rows, region.cols, elem, Layout(block=size, swizzle=size))
    reason = ""
    for engine in kernel.target.engines:
        if engine.per_lane or not engine.swizzles:
            continue
        refused = refusal_of(engine, swizzled, region.src, align)
        if refused is None and size:
            return Staging(swizzled, engine)
        reason = reason or refused or f"tile rows of {row_bytes} bytes"
    return Staging(_padded(region, row_bytes, elem), None, reason)


def _padded(region: TileRegion, row_bytes: int, elem: ir.Type) -> LdsType:
    """A ring for the tile whose rows start an odd number of 16-byte pieces apart.

    So 8 or 16 lanes that each write 16 bytes of one column of rows meet no bank twice.
    """
    even = row_bytes % _CHUNK == 0 and row_bytes // _CHUNK % 2 == 0
    layout = Layout(pad=_CHUNK, interval=row_bytes) if even else Layout()
    return LdsType(1, region.rows, region.cols, elem, layout)


def fits(kernel: Kernel, ring: LdsType) -> bool:
    """Whether ``ring`` fits behind the rings of ``kernel``."""
    target = kernel.target
    used = -(-place_lds(kernel.body, target).total // target.lds_align) * target.lds_align
    return used + ring.total_bytes <= target.lds_bytes


def equal_parts(cols: int, most: int, granule: int = PART) -> list[int]:
    """Widths of up to ``most`` columns, multiples of ``granule``, that divide ``cols``; rising."""
    return [x for x in range(granule, most + 1, granule) if cols % x == 0]
