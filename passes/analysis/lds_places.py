"""Where each LDS ring and each slot of an mbarrier lies: one rule for passes and lowerings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.dialect_defs.tile import AllocOp, BarrierCreateOp
from gemm_ladder.dialect_defs.types import BarType
from gemm_ladder.passes.analysis.kernel import walk
from gemm_ladder.passes.base import PassError

MBARRIER_BYTES = 8  # PTX ISA, Parallel Synchronization: size of an mbarrier object


@dataclass(frozen=True)
class Span:
    """Bytes [start, end) of LDS."""

    start: int
    end: int

    def meets(self, other: Span) -> bool:
        """Whether the two share a byte."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Places:
    """The bytes of each ring and mbarrier (by value), and how many bytes all take."""

    spans: dict[ir.Value, Span]
    total: int

    def sharing(self, ring: ir.Value) -> list[ir.Value]:
        """The other rings that have bytes in common with ``ring``."""
        mine = self.spans[ring]
        return [x for x, span in self.spans.items() if x != ring and span.meets(mine)]


def place(size: int, placed: Sequence[Span], align: int, offset: int | None = None) -> Span:
    """``size`` bytes at ``offset``, else behind ``placed`` at a multiple of ``align``."""
    if offset is None:
        offset = -(-max((span.end for span in placed), default=0) // align) * align
    return Span(offset, offset + size)


def place_lds(body: ir.Block, target: Target) -> Places:
    """Lay out the LDS of the kernel with entry block ``body``.

    A ring lies at its `offset`, else on top of the ring that it aliases, else behind all before it;
    the slots of mbarriers lie behind all rings. Raises PassError, with the numbers, for a ring that
    is misaligned, that runs over another without being an alias, or over the end of the target's
    LDS.
    """
    spans: dict[ir.Value, Span] = {}
    parts: list[str] = []
    last = body.owner.operation
    for op in walk(body):
        if op.name == "tile.alloc":
            last = op
            spans[op.results[0]] = _ring(AllocOp(op), spans, target)
            parts.append(_part(AllocOp(op)))
    for op in walk(body):
        if op.name == "tile.barrier_create" and BarrierCreateOp(op).str_attr("kind") == "mbarrier":
            bar = BarType.of(op.results[0].type)
            assert bar is not None
            size = bar.slots * MBARRIER_BYTES
            spans[op.results[0]] = place(size, list(spans.values()), MBARRIER_BYTES)
            parts.append(f"barrier {bar.slots} x {MBARRIER_BYTES}")
    total = max((span.end for span in spans.values()), default=0)
    if total > target.lds_bytes:
        raise PassError(
            last,
            f"needs {total:,} B of LDS, {target.name} has {target.lds_bytes:,} B:"
            f" {' + '.join(parts)}; try a smaller shape in tile-workgroup, or fewer stages",
        )
    return Places(spans, total)


def _ring(ring: AllocOp, spans: dict[ir.Value, Span], target: Target) -> Span:
    offset = ring.int_attr("offset") if "offset" in ring.operation.attributes else None
    aliases = list(ring.operation.operands)
    if aliases and offset is None:
        offset = spans[aliases[0]].start
    span = place(ring.lds.total_bytes, list(spans.values()), target.lds_align, offset)
    if span.start % target.lds_align:
        raise PassError(
            ring,
            f"offset {span.start:,} is no multiple of {target.lds_align} bytes, which"
            f" {target.name} needs",
        )
    for other, theirs in spans.items():
        if not aliases and span.meets(theirs):
            raise PassError(
                ring,
                f"bytes [{span.start:,}, {span.end:,}) run over another ring's"
                f" [{theirs.start:,}, {theirs.end:,}), which is not its alias",
                [(other.location, "that ring")],
            )
    return span


def _part(ring: AllocOp) -> str:
    shared = " (shared)" if len(ring.operation.operands) else ""
    lds = ring.lds
    return f"{ring.str_attr('name', 'ring')} {lds.stages} x {lds.slot_bytes:,}{shared}"
