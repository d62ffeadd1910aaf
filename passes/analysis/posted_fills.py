"""Fills that single waves post to an engine with a counter: who posts, when, and who waits."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.build_copies import Posting, copy_async
from gemm_ladder.dialect_defs.target import Engine
from gemm_ladder.dialect_defs.tile import AllocOp, CopyAsyncOp, CopyLike
from gemm_ladder.passes.analysis.fill_blocks import is_needed, may_skip, unclamp
from gemm_ladder.passes.analysis.fill_order import order_fills
from gemm_ladder.passes.analysis.fill_waits import settle_waits
from gemm_ladder.passes.analysis.kernel import Kernel
from gemm_ladder.passes.analysis.staged_loop import StagedLoop, find_staged_loops, lds_fills
from gemm_ladder.passes.analysis.sync import reaching_waves
from gemm_ladder.passes.base import PassError


def post_fills(kernel: Kernel, engine: Engine, rings: list[AllocOp]) -> None:
    """Have a wave of its own post the fills of each of ``rings`` to ``engine``.

    Waves take turns: neighbours post to different engines of the processor. A loop that fills one
    stage ahead posts what exists only; one that fills further ahead posts the last block again, so
    that the number of copies under way tells which stages have landed.
    """
    for number, ring in enumerate(rings):
        for fill in lds_fills(kernel.body):
            if fill.dst == ring.results[0]:
                _replace(fill, Posting(engine.name, issuer=_issuer(kernel, fill, number)))
    held = [ring.results[0] for ring in rings]
    for loop in _filling(kernel, held):
        order_fills(loop)
    for loop in _filling(kernel, held):
        if not settle_waits(loop) and engine.null:
            _predicate(loop, [c for c in loop.fills if c.dst in held])


def _filling(kernel: Kernel, rings: list[ir.Value]) -> list[StagedLoop]:
    """The loops that fill one of ``rings``."""
    return [x for x in find_staged_loops(kernel) if any(c.dst in rings for c in x.fills)]


def _issuer(kernel: Kernel, fill: CopyLike, number: int) -> int:
    """The ``number``-th of the waves that come to ``fill``, round and round."""
    waves = reaching_waves(kernel, fill.operation)
    if not waves:
        raise PassError(fill, "cannot tell which waves come to this copy")
    return waves[number % len(waves)]


def _replace(fill: CopyLike, posting: Posting) -> CopyLike:
    with ir.InsertionPoint(fill), fill.location:
        made = copy_async(fill, posting)
    fill.operation.erase()
    return CopyLike(made)


def _predicate(loop: StagedLoop, fills: list[CopyLike]) -> None:
    """Post ``fills`` only where the block that they bring exists, as far as that can be told."""
    by_distance: dict[int, list[CopyLike]] = {}
    for fill in fills:
        ahead = loop.ahead(fill)
        plain = CopyAsyncOp(fill.operation).predicate is None
        if ahead and plain and may_skip(loop, fill):
            by_distance.setdefault(ahead, []).append(fill)
    for ahead, group in by_distance.items():
        first = min(group, key=lambda fill: loop.index(fill.operation))
        unclamp(loop, group, ahead)
        with ir.InsertionPoint(first), build.unnamed(first.location):
            more = is_needed(loop, ahead)
        for fill in group:
            posting = Posting(fill.str_attr("engine"), fill.int_attr("issuer"), more)
            _replace(fill, posting)
