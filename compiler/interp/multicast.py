"""Multicast masks: which workgroups of a cluster a copy names, and whether they agree.

The tensor mover of AMD and its per-lane copies fill the requester's own LDS; the mask names the
workgroups that make the same request, which then share one answer. NVIDIA's TMA writes into the LDS
of every workgroup in the mask and completes the barrier there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.values import Index

if TYPE_CHECKING:
    from gemm_ladder.compiler.interp.program import Op
    from gemm_ladder.compiler.interp.wave import Wave

# One answer of L2 serves at most five workgroups (AMD, "An Educational GEMM Ladder for Helios
# GPUs", Level 9).
_MOST = 5


def destinations(wave: Wave, op: Op, mask: int) -> list[int]:
    """Numbers of the workgroups whose LDS the copy fills; findings on a wrong mask."""
    own = [wave.rank]
    if not mask:
        return own
    ranks = [rank for rank in range(32) if mask >> rank & 1]
    size = wave.machine.ranks
    if ranks[-1] >= size:
        _add(wave, op, f"mask {mask:#x} names workgroup {ranks[-1]} of a cluster of {size}")
        ranks = [rank for rank in ranks if rank < size]
    if op.attrs.get("engine") == "tma":
        return ranks or own
    if wave.rank not in ranks:
        _add(wave, op, f"mask {mask:#x} leaves out the requester, workgroup {wave.rank}")
    if len(ranks) > _MOST:
        _add(wave, op, f"mask {mask:#x} names {len(ranks)} workgroups, at most {_MOST} share")
    return own


def check_request(wave: Wave, op: Op, number: int, mask: int, what: tuple[Index, ...]) -> None:
    """Compare the ``number``-th request of ``op`` with those of the other workgroups so far."""
    requests = wave.machine.requests.setdefault((op.uid, number), {})
    for rank, (other, asked, others) in requests.items():
        if not (mask >> rank & 1 or asked >> wave.rank & 1):
            continue
        if mask != asked:
            _add(wave, op, f"mask {mask:#x} differs from {asked:#x} of {other}, a peer")
        elif not all(np.array_equal(a, b) for a, b in zip(what, others, strict=True)):
            _add(wave, op, f"{other}, a peer of mask {mask:#x}, asks for another tile")
    requests[wave.rank] = (wave, mask, what)


def check_answered(wave: Wave, ops: list[Op]) -> None:
    """At the end: every workgroup in a mask has made the request. ``wave`` reports."""
    by_uid = {op.uid: op for op in ops}
    for (uid, number), requests in wave.machine.requests.items():
        for rank, (asker, mask, _) in requests.items():
            absent = [r for r in range(wave.machine.ranks) if mask >> r & 1 and r not in requests]
            if absent:
                text = f"workgroup {absent[0]} of mask {mask:#x} never makes request {number}"
                _add(asker, by_uid[uid], f"{text} of workgroup {rank}")


def _add(wave: Wave, op: Op, text: str) -> None:
    wave.machine.findings.add(kinds.MULTICAST, op, None, f"{op} by {wave}: {text}")
