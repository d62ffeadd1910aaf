"""What arrivals and waits at barriers do to accesses of LDS, and whether bytes add up."""

from __future__ import annotations

from dataclasses import replace

from mlir import ir

from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierCreateOp,
    CopyAsyncOp,
    WaitBarrierOp,
)
from gemm_ladder.dialect_defs.types import BarType, LdsType, element_bytes
from gemm_ladder.passes.analysis.kernel import Kernel, ancestors, defining, ops_named
from gemm_ladder.passes.analysis.ring_access import Access, Told, told_at
from gemm_ladder.passes.analysis.slots import Slot, slot_of
from gemm_ladder.passes.base import PassError


def is_mbarrier(bar: ir.Value) -> bool:
    """Whether ``bar`` counts arrivals, by whoever makes them, and bytes."""
    made = _creator(bar)
    return made is not None and made.str_attr("kind") == "mbarrier"


def arrived(live: list[Access], op: ir.Operation) -> list[Access]:
    """``live`` behind tile.arrive or tile.barrier ``op``: a wave tells of what is over for it.

    What every wave does, only all of them can tell.
    """
    arrive = ArriveOp(op)
    issuer = arrive.int_attr("issuer") if "issuer" in op.attributes else None
    told = told_at(op.operands[0], arrive.slot if op.name == "tile.arrive" else None)
    return [
        replace(a, told=(*a.told, told))
        if a.completes is None and not a.open and issuer in (None, a.issuer)
        else a
        for a in live
    ]


def passed(live: list[Access], op: ir.Operation, kernel: Kernel) -> list[Access]:
    """``live`` without what tile.wait_barrier or tile.barrier ``op`` has ordered before it."""
    bar = op.operands[0]
    at = told_at(bar, WaitBarrierOp(op).slot if op.name == "tile.wait_barrier" else None)
    every = not is_mbarrier(bar) or _counts_every_wave(bar, kernel)
    return [a for a in live if not _is_over(a, at, every)]


def _is_over(access: Access, at: Told, every: bool) -> bool:
    if access.completes is not None:
        return access.completes.is_at(at.bar, at.slot)
    known = every or access.issuer is not None
    return known and any(told.is_at(at.bar, at.slot) for told in access.told)


def _creator(bar: ir.Value) -> BarrierCreateOp | None:
    op = defining(bar)
    return BarrierCreateOp(op) if op is not None and op.name == "tile.barrier_create" else None


def _arrivals(bar: ir.Value) -> list[ir.Operation]:
    users = [use.owner.operation for use in bar.uses]
    return [op for op in users if op.name in ("tile.arrive", "tile.barrier")]


def _counts_every_wave(bar: ir.Value, kernel: Kernel) -> bool:
    """Whether a phase of mbarrier ``bar`` lacks an arrival until every wave has made its own."""
    made = _creator(bar)
    alone = any("issuer" in op.attributes for op in _arrivals(bar))
    return made is not None and made.int_attr("arrivals") >= kernel.waves() + alone


def check_bytes(kernel: Kernel) -> None:
    """Raise PassError where the bytes that copies take off a barrier are not what it expects.

    An arrive that expects bytes stands in the copies' block or one around it; in the same block and
    for the same slot, the numbers agree, unless a cluster's workgroups share the copies.
    """
    for op in ops_named(kernel.body, "tile.copy_async"):
        copy = CopyAsyncOp(op)
        if copy.completes is None:
            continue
        bar, blocks = copy.completes[0], [own.block for own in (op, *ancestors(op))]
        slot = _bar_slot(*copy.completes)
        expecting = [ArriveOp(a) for a in _arrivals(bar) if ArriveOp(a).int_attr("tx_bytes")]
        expecting = [a for a in expecting if _bar_slot(bar, a.slot).must_equal(slot)]
        if not any(arrive.operation.block in blocks for arrive in expecting):
            raise PassError(op, "no arrive (tx_bytes) expects this copy's bytes at its slot")
        _check_sum(copy, slot, [a for a in expecting if a.operation.block == op.block])


def _check_sum(copy: CopyAsyncOp, slot: Slot, arrives: list[ArriveOp]) -> None:
    """Compare what ``arrives``, beside ``copy``, expect at ``slot`` with what copies bring."""
    bar = copy.operands[0] if copy.completes is None else copy.completes[0]
    copies = [CopyAsyncOp(use.owner.operation) for use in bar.uses]
    copies = [c for c in copies if c.operation.name == "tile.copy_async"]
    group = [
        c
        for c in copies
        if c.operation.block == copy.operation.block
        and c.completes is not None
        and _bar_slot(*c.completes).must_equal(slot)
    ]
    if not arrives or any(c.multicast is not None for c in group):
        return
    brought, expected = sum(map(_bytes, group)), sum(a.int_attr("tx_bytes") for a in arrives)
    if brought != expected:
        raise PassError(
            arrives[0],
            f"expects {expected:,} bytes; the copies that complete this slot bring {brought:,}",
            [(c.location, "here") for c in group],
        )


def _bar_slot(bar: ir.Value, slot: ir.Value | None) -> Slot:
    bars = BarType.of(bar.type)
    assert bars is not None
    return Slot(None, 0, bars.slots) if slot is None else slot_of(slot, bars.slots)


def _bytes(copy: CopyAsyncOp) -> int:
    ring = LdsType.of(copy.ring.type)
    assert ring is not None
    down, across = copy.parts
    return ring.rows * ring.cols * element_bytes(ring.elem) // (down * across)
