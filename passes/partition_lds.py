"""partition-lds: keep the rings that are read together in different partitions of LDS.

Before: %A_LDS = alloc; %B_LDS = alloc
After:  %A_LDS = alloc {offset = 0}; %B_LDS = alloc {offset = 139264}
Source: the Helios GEMM ladder, Level 6; "A Deep Dive into LDS Optimizations on MI450": two paths
        serve LDS, and two SIMD pairs that read one partition at once are served one by one
Test:   lit_tests/partition-lds
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs.tile import AllocOp
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, ops_named
from gemm_ladder.passes.analysis.lds_places import Span, place, place_lds
from gemm_ladder.passes.analysis.remarks import remark
from gemm_ladder.passes.analysis.staged_loop import StagedLoop, find_staged_loops
from gemm_ladder.passes.base import PassContext, PassError


@dataclass(frozen=True)
class PartitionLds:
    """Keep the rings that are read together in different partitions of LDS.

    Before: rings one behind another
    After: every ring of a K loop has an `offset`; the slots of one stage share no partition, slots
        of different stages may. Where LDS is too small for that the rings stay one behind another,
        with a remark.
    Source: the Helios GEMM ladder, Level 6
    """

    name: ClassVar[str] = "partition-lds"
    analysis: ClassVar[bool] = False

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Place the rings of every K loop; raises PassError if there is none to place."""
        found = [(k, x) for k in kernels(module, ctx) for x in find_staged_loops(k)]
        if not found:
            raise PassError(
                module.operation,
                "found no loop that fills LDS rings and reads them; run promote-to-lds first",
            )
        for kernel, loop in found:
            if not kernel.target.lds_partition_bytes:
                raise PassError(
                    loop.loop, f"the LDS of {kernel.target.name} is one partition; see swizzle-lds"
                )
            before = place_lds(kernel.body, kernel.target).total
            _place(kernel, loop, ctx)
            after = place_lds(kernel.body, kernel.target).total
            if after > before:
                remark(
                    kernel,
                    ctx,
                    loop.loop.location,
                    f"partition-lds: {before:,} B of LDS become {after:,} B, which may cost"
                    " workgroups on a processor",
                )


def _place(kernel: Kernel, loop: StagedLoop, ctx: PassContext) -> None:
    """Give each ring of ``loop`` an offset."""
    rings = [ring for ring in loop.rings if not len(ring.operation.operands)]
    chosen = _offsets(kernel, rings, apart=True)
    if chosen is None:
        sizes = " + ".join(f"{r.lds.stages} x {r.lds.slot_bytes:,} B" for r in rings)
        remark(
            kernel,
            ctx,
            loop.loop.location,
            f"partition-lds: slots of one stage share a partition of"
            f" {kernel.target.lds_partition_bytes:,} B: {sizes} do not fit"
            f" {kernel.target.lds_bytes:,} B of LDS otherwise",
        )
        chosen = _offsets(kernel, rings, apart=False)
    assert chosen is not None
    i64 = ir.IntegerType.get_signless(64)
    for ring, offset in zip(rings, chosen, strict=True):
        ring.operation.attributes["offset"] = ir.IntegerAttr.get(i64, offset)


def _offsets(kernel: Kernel, rings: list[AllocOp], apart: bool) -> list[int] | None:
    """An offset for each of ``rings``, in the order of the allocs; None if they do not fit."""
    target, wanted = kernel.target, [ring.operation for ring in rings]
    placed: list[Span] = []
    mine: list[tuple[AllocOp, Span]] = []
    for ring in map(AllocOp, ops_named(kernel.body, "tile.alloc")):
        if len(ring.operation.operands):
            continue
        size, align = ring.lds.total_bytes, target.lds_align
        if ring.operation not in wanted:
            fixed = ring.int_attr("offset") if "offset" in ring.operation.attributes else None
            placed.append(place(size, placed, align, fixed))
            continue
        spans = (Span(o, o + size) for o in _candidates(kernel, placed))
        fitting = (s for s in spans if s.end <= target.lds_bytes or not apart)
        part = target.lds_partition_bytes if apart else 0
        span = next((s for s in fitting if not _meets(ring, s, mine, part)), None)
        if span is None:
            return None
        placed.append(span)
        mine.append((ring, span))
    return [span.start for _, span in mine]


def _candidates(kernel: Kernel, placed: list[Span]) -> Iterator[int]:
    """Right behind what is placed, then at the start of each partition from there on."""
    first = place(0, placed, kernel.target.lds_align).start
    yield first
    step = kernel.target.lds_partition_bytes
    yield from range(-(-first // step) * step, kernel.target.lds_bytes, step)


def _meets(ring: AllocOp, span: Span, others: list[tuple[AllocOp, Span]], part: int) -> bool:
    """Whether a slot of ``ring`` at ``span`` shares a partition with that stage of another."""
    if not part:
        return False
    for other, theirs in others:
        same = other.lds.stages == ring.lds.stages
        for number, slot in enumerate(_slots(ring, span, part)):
            for stage, taken in enumerate(_slots(other, theirs, part)):
                if slot.meets(taken) and (stage == number or not same):
                    return True
    return False


def _slots(ring: AllocOp, span: Span, part: int) -> list[Span]:
    """The partitions, first to behind the last, of each slot of ``ring``."""
    size = ring.lds.slot_bytes
    starts = range(span.start, span.end, size)
    return [Span(start // part, -(-(start + size) // part)) for start in starts]
