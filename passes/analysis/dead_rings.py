"""LDS rings that nothing uses any more at some point of a kernel."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.passes.analysis.kernel import Kernel, ancestors, ops_named
from gemm_ladder.passes.analysis.lds_places import Span, place_lds


def reusable(kernel: Kernel, size: int, at: ir.Operation) -> ir.Value | None:
    """The lowest ring from whose start ``size`` bytes hold only rings that are dead at ``at``.

    A ring is dead where every op that uses it comes before, and no loop comes back to one.
    """
    spans = place_lds(kernel.body, kernel.target).spans
    rings = [op.results[0] for op in ops_named(kernel.body, "tile.alloc")]
    dead = [ring for ring in rings if _is_dead(ring, at)]
    for ring in sorted(dead, key=lambda r: spans[r].start):
        start = spans[ring].start
        wanted = Span(start, start + size)
        if all(value in dead for value, span in spans.items() if span.meets(wanted)):
            return ring
    return None


def _is_dead(ring: ir.Value, at: ir.Operation) -> bool:
    users = [use.owner.operation for use in ring.uses]
    return all(_is_behind(at, user) for user in users if user.name != "tile.alloc")


def _is_behind(at: ir.Operation, user: ir.Operation) -> bool:
    """Whether ``user`` is over for good when ``at`` is reached."""
    mine = [at, *ancestors(at)]
    theirs = [user, *ancestors(user)]
    if any(op in theirs for op in mine if op.name == "scf.for"):
        return False
    pairs = ((a, b) for a in mine for b in theirs if a.block == b.block)
    here, there = next(pairs)
    return here != there and bool(there.is_before_in_block(here))
