"""LDS rings of a kernel as boxes, by the rule that places them."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.dialect_defs.tile import AllocOp
from gemm_ladder.passes.analysis.kernel import walk
from gemm_ladder.passes.analysis.lds_places import place_lds


@dataclass(frozen=True)
class RingBox:
    """A ring in LDS. Sizes in bytes; ``row`` is a ring with rows of ``row`` bytes of data.

    After every ``interval`` bytes of data come ``pad`` that hold none (0: no padding). ``shared``
    says that the ring lies on bytes of an older one.
    """

    name: str
    stages: int
    start: int
    slot: int
    row: int
    rows: int
    interval: int
    pad: int
    swizzle: int
    shared: bool


def ring_boxes(module: ir.Module, target: Target) -> tuple[RingBox, ...]:
    """Every ring of the first kernel of ``module``, in the order of their definitions."""
    for holder in module.body:
        if holder.operation.name != "gpu.module":
            continue
        for func in holder.regions[0].blocks[0]:
            if func.operation.name == "gpu.func":
                return _boxes(func.regions[0].blocks[0], target)
    return ()


def _boxes(body: ir.Block, target: Target) -> tuple[RingBox, ...]:
    places = place_lds(body, target)
    found = []
    for op in walk(body):
        if op.name != "tile.alloc":
            continue
        alloc = AllocOp(op)
        lds, layout = alloc.lds, alloc.lds.layout
        found.append(
            RingBox(
                name=alloc.str_attr("name", "ring"),
                stages=lds.stages,
                start=places.spans[op.results[0]].start,
                slot=lds.slot_bytes,
                row=lds.row_bytes,
                rows=lds.rows,
                interval=layout.interval,
                pad=layout.pad,
                swizzle=layout.swizzle,
                shared=bool(len(op.operands)),
            )
        )
    return tuple(found)
