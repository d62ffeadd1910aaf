"""Follow LDS rings through a kernel: fills waited for and published, slots handed over.

An abstract run in program order. Each access of a ring slot is remembered until a barrier has
ordered it for all waves; a loop is run once more than its longest ring has stages, so that a fill
meets the iteration that reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mlir import ir

from gemm_ladder.dialect_defs.tile import (
    BarrierCreateOp,
    CopyLike,
    LoadOp,
    StoreOp,
    WaitBarrierOp,
    WaitOp,
)
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import Kernel, defining, walk
from gemm_ladder.passes.analysis.slots import Slot, enter_loop, leave_loop, next_iteration, slot_of
from gemm_ladder.passes.base import PassError


@dataclass(frozen=True)
class Access:
    """A fill ("copy"), a wave's write ("lds write") or a read ("lds read") of a slot.

    ``state`` goes from "open" by a wait to "done", by an arrive to "arrived"; the matching
    barrier wait then forgets the access. ``bar`` is what a copy completes, if a barrier.
    """

    kind: str
    ring: ir.Value
    slot: Slot
    op: ir.Operation
    state: str = "open"
    bar: ir.Value | None = None


@dataclass
class _Flow:
    kernel: Kernel
    shared: list[ir.Value]
    live: list[Access] = field(default_factory=list)
    # Slots that an mbarrier was waited for in the iteration at hand.
    handed: list[ir.Value] = field(default_factory=list)


def check_rings(kernel: Kernel) -> None:
    """Raise PassError at the first read of an unpublished slot, or fill of one still in use."""
    _block(_Flow(kernel, _role_rings(kernel)), kernel.body)


def _role_rings(kernel: Kernel) -> list[ir.Value]:
    """Rings used inside role branches, whose order barriers decide and not the program's."""
    found = []
    for op in walk(kernel.body):
        if "tile.role" not in op.attributes:
            continue
        for region in op.regions:
            for inner in (x for block in region.blocks for x in walk(block)):
                found += [v for v in inner.operands if LdsType.of(v.type) is not None]
    return found


def _block(flow: _Flow, block: ir.Block) -> None:
    for view in block.operations:
        op = view.operation
        if op.name == "scf.for":
            _loop(flow, op)
        elif op.name == "scf.if":
            _branches(flow, op)
        elif op.name in _STEPS:
            _STEPS[op.name](flow, op)


def _loop(flow: _Flow, op: ir.Operation) -> None:
    body = op.regions[0].blocks[0]
    flow.live = [replace(a, slot=enter_loop(a.slot, a.ring, op)) for a in flow.live]
    _iteration(flow, body)
    for _ in range(_longest_ring(body)):
        flow.live = [replace(a, slot=next_iteration(a.slot, op)) for a in flow.live]
        _iteration(flow, body)
    flow.live = [replace(a, slot=leave_loop(a.slot, op)) for a in flow.live]


def _iteration(flow: _Flow, body: ir.Block) -> None:
    flow.handed = []
    _block(flow, body)
    flow.handed = []


def _longest_ring(body: ir.Block) -> int:
    rings = [LdsType.of(v.type) for op in walk(body) for v in op.operands]
    return max((ring.stages for ring in rings if ring is not None), default=0)


def _branches(flow: _Flow, op: ir.Operation) -> None:
    before, after = list(flow.live), []
    for region in op.regions:
        flow.live = list(before)
        for block in region.blocks:
            _block(flow, block)
        after += [a for a in flow.live if a not in after]
    flow.live = after


def _copy(flow: _Flow, op: ir.Operation) -> None:
    copy = CopyLike(op)
    ring = LdsType.of(copy.ring.type)
    if ring is None or copy.ring in flow.shared:
        return
    slot = slot_of(copy.slot, ring.stages)
    if not copy.fills_lds:
        _read(flow, copy.ring, slot, op)
        return
    if not _is_handed(flow, copy.slot):
        _before_write(flow, copy.ring, slot, op)
    bars = [v for v in op.operands if str(v.type).startswith("!tile.bar")]
    flow.live.append(Access("copy", copy.ring, slot, op, bar=bars[0] if bars else None))


def _store(flow: _Flow, op: ir.Operation) -> None:
    target = op.operands[1]
    ring = LdsType.of(target.type)
    if ring is None or target in flow.shared:
        return
    slot = slot_of(StoreOp(op).coords[0], ring.stages)
    # Waves write disjoint parts of a staged tile, so only reads matter.
    _before_write(flow, target, slot, op)
    flow.live.append(Access("lds write", target, slot, op))


def _load(flow: _Flow, op: ir.Operation) -> None:
    load = LoadOp(op)
    ring = LdsType.of(load.src.type)
    if ring is not None and load.src not in flow.shared:
        _read(flow, load.src, slot_of(load.coords[0], ring.stages), op)


def _is_handed(flow: _Flow, slot: ir.Value) -> bool:
    """Whether ``slot`` is, or counts the parts of, one that an mbarrier was waited for.

    Who arrives there has read that slot: the phases are the barrier's business, not the program's
    order.
    """
    if slot in flow.handed:
        return True
    op = defining(slot)
    if op is None or op.name not in ("arith.addi", "arith.muli"):
        return False
    return any(_is_handed(flow, operand) for operand in op.operands)


def _before_write(flow: _Flow, ring: ir.Value, slot: Slot, op: ir.Operation) -> None:
    for access in flow.live:
        if access.ring == ring and access.kind == "lds read" and slot.may_equal(access.slot):
            raise PassError(
                op,
                'fills a slot that waves may still be reading: needs tile.wait {kind = "lds"} and'
                " a barrier between",
                [(access.op.location, "read here")],
            )


def _read(flow: _Flow, ring: ir.Value, slot: Slot, op: ir.Operation) -> None:
    for access in flow.live:
        if access.ring != ring or access.kind == "lds read" or not slot.may_equal(access.slot):
            continue
        kind = "copy" if access.kind == "copy" else "lds"
        missing = (
            f'needs tile.wait {{kind = "{kind}"}}, then a barrier, between'
            if access.state == "open"
            else "needs a barrier, after the wait, between"
        )
        notes = [(access.op.location, "written here")]
        raise PassError(op, f"reads a slot whose {access.kind} is not published: {missing}", notes)
    flow.live.append(Access("lds read", ring, slot, op))


def _wait(flow: _Flow, op: ir.Operation) -> None:
    wait = WaitOp(op)
    kind, pending = wait.str_attr("kind"), wait.int_attr("pending")
    waited = [a for a in flow.live if a.state == "open" and _counts(a, kind)]
    done = waited[: len(waited) - pending] if pending else waited
    flow.live = [replace(a, state="done") if a in done else a for a in flow.live]


def _counts(access: Access, kind: str) -> bool:
    if access.bar is not None:
        return False
    return access.kind == "copy" if kind == "copy" else access.kind.startswith(kind)


def _mma(flow: _Flow, op: ir.Operation) -> None:
    """A product has its operands: the loads that made them are complete; what it reads in LDS
    itself it reads until a wait."""
    # Carried fragments have no maker here: the product is no proof of their loads' completion.
    makers = [maker for maker in map(defining, op.operands) if maker is not None]
    flow.live = [
        replace(a, state="done")
        if a.kind == "lds read" and a.state == "open" and a.op in makers
        else a
        for a in flow.live
    ]
    held = [v for v in list(op.operands)[:2] if LdsType.of(v.type) is not None]
    for number, value in enumerate(held):
        ring = LdsType.of(value.type)
        if ring is not None and value not in flow.shared:
            _read(flow, value, slot_of(op.operands[3 + 3 * number], ring.stages), op)


def _is_mbarrier(bar: ir.Value) -> bool:
    op = defining(bar)
    return (
        op is not None
        and op.name == "tile.barrier_create"
        and BarrierCreateOp(op).str_attr("kind") == "mbarrier"
    )


def _arrive(flow: _Flow, op: ir.Operation) -> None:
    flow.live = [replace(a, state="arrived") if a.state == "done" else a for a in flow.live]


def _wait_barrier(flow: _Flow, op: ir.Operation) -> None:
    bar = op.operands[0]
    if _is_mbarrier(bar):
        flow.live = [a for a in flow.live if a.bar is None or a.bar != bar]
        slot = WaitBarrierOp(op).slot
        filled = any(use.owner.name == "tile.copy_async" for use in bar.uses)
        if slot is not None and not filled:
            flow.handed.append(slot)
    flow.live = [a for a in flow.live if a.state != "arrived"]


def _barrier(flow: _Flow, op: ir.Operation) -> None:
    _arrive(flow, op)
    _wait_barrier(flow, op)


_STEPS = {
    "tile.copy": _copy,
    "tile.copy_async": _copy,
    "tile.store": _store,
    "tile.load": _load,
    "tile.wait": _wait,
    "tile.mma": _mma,
    "tile.arrive": _arrive,
    "tile.wait_barrier": _wait_barrier,
    "tile.barrier": _barrier,
}
