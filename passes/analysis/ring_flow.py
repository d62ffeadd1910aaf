"""Follow LDS rings through a kernel: fills waited for and published, slots handed over.

An abstract run in program order. Each access of a ring slot is remembered until a barrier has
ordered it for all waves; a loop is run once more than its longest ring has stages, so that a fill
meets the iteration that reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyLike, LoadOp, StoreOp, WaitBarrierOp, WaitOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import Kernel, defining, walk
from gemm_ladder.passes.analysis.lds_places import Places, place_lds
from gemm_ladder.passes.analysis.ring_access import Access, Move, fill_access, told_at
from gemm_ladder.passes.analysis.ring_barriers import arrived, check_bytes, is_mbarrier, passed
from gemm_ladder.passes.analysis.skipped_fills import awaited, iterations_ahead
from gemm_ladder.passes.analysis.slots import Slot, enter_loop, leave_loop, next_iteration, slot_of
from gemm_ladder.passes.base import PassError


@dataclass
class _Flow:
    kernel: Kernel
    shared: list[ir.Value]
    places: Places
    live: list[Access] = field(default_factory=list)
    # Slots that an mbarrier was waited for in the iteration at hand.
    handed: list[ir.Value] = field(default_factory=list)

    def move(self, move: Move) -> None:
        """Restate all accesses for another point of the program."""
        self.live = [a.moved(move) for a in self.live]


def check_rings(kernel: Kernel) -> None:
    """Raise PassError at the first read of an unpublished slot, or fill of one still in use."""
    flow = _Flow(kernel, _role_rings(kernel), place_lds(kernel.body, kernel.target))
    _block(flow, kernel.body)
    for access in flow.live:
        if access.op.name == "tile.copy_async" and (access.open or access.completes is not None):
            raise PassError(access.op, "the kernel may end before this copy is over: needs a wait")
    check_bytes(kernel)


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
    flow.move(lambda slot, holder: enter_loop(slot, holder, op))
    _iteration(flow, body)
    for _ in range(_longest_ring(body)):
        flow.move(lambda slot, holder: next_iteration(slot, op))
        _iteration(flow, body)
    _forget_awaited(flow, op)
    flow.move(lambda slot, holder: leave_loop(slot, op))


def _forget_awaited(flow: _Flow, loop: ir.Operation) -> None:
    """Forget fills that are made only where a later iteration exists, which waits for them."""
    body = loop.regions[0].blocks[0]
    waits = [WaitBarrierOp(v) for v in body.operations if v.operation.name == "tile.wait_barrier"]
    told = [told_at(w.operands[0], w.slot) for w in waits]
    flow.live = [a for a in flow.live if not awaited(a, iterations_ahead(a.op, loop), told, loop)]


def _iteration(flow: _Flow, body: ir.Block) -> None:
    flow.handed = []
    _block(flow, body)
    flow.handed = []


def _longest_ring(body: ir.Block) -> int:
    rings = [LdsType.of(v.type) for op in walk(body) for v in op.operands]
    return max((ring.stages for ring in rings if ring is not None), default=0)


def _branches(flow: _Flow, op: ir.Operation) -> None:
    before, after = list(flow.live), list[Access]()
    for region in op.regions:
        flow.live = list(before)
        for block in region.blocks:
            _block(flow, block)
        after += [a for a in flow.live if not any(a.same(b) for b in after)]
    flow.live = after


def _copy(flow: _Flow, op: ir.Operation) -> None:
    copy = CopyLike(op)
    ring = LdsType.of(copy.ring.type)
    if ring is None or copy.ring in flow.shared:
        return
    if not copy.fills_lds:
        counted = ("copy", "lds") if op.name == "tile.copy" else ("copy",)
        _read(flow, copy.ring, slot_of(copy.slot, ring.stages), op, counted)
        return
    access = fill_access(copy)
    _before_write(flow, access, _is_handed(flow, copy.slot))
    flow.live.append(access)


def _store(flow: _Flow, op: ir.Operation) -> None:
    target = op.operands[1]
    ring = LdsType.of(target.type)
    if ring is None or target in flow.shared:
        return
    slot = slot_of(StoreOp(op).coords[0], ring.stages)
    # Waves write disjoint parts of a staged tile, so only reads matter.
    access = Access("lds write", target, slot, op, ("lds",))
    _before_write(flow, access, handed=False)
    flow.live.append(access)


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


def _before_write(flow: _Flow, write: Access, handed: bool) -> None:
    sharing = flow.places.sharing(write.ring)
    for access in flow.live:
        if access.ring in sharing:
            raise PassError(
                write.op,
                "writes bytes of another ring that is still in use: needs the waits for it and a"
                " barrier between",
                [(access.op.location, "used here")],
            )
        if access.ring != write.ring or handed:
            continue
        if write.kind == access.kind == "copy" and write.slot.must_equal(access.slot):
            raise PassError(
                write.op,
                "fills a slot that another copy fills: needs the wait for it and a barrier between",
                [(access.op.location, "filled here")],
            )
        if access.kind == "lds read" and write.slot.may_equal(access.slot):
            raise PassError(
                write.op,
                'fills a slot that waves may still be reading: needs tile.wait {kind = "lds"} and'
                " a barrier between",
                [(access.op.location, "read here")],
            )


def _read(
    flow: _Flow, ring: ir.Value, slot: Slot, op: ir.Operation, counted: tuple[str, ...] = ("lds",)
) -> None:
    sharing = flow.places.sharing(ring)
    for access in flow.live:
        here = access.ring == ring and slot.may_equal(access.slot)
        if access.kind == "lds read" or not (here or access.ring in sharing):
            continue
        kind = "copy" if access.kind == "copy" else "lds"
        missing = (
            f'needs tile.wait {{kind = "{kind}"}}, then a barrier, between'
            if access.open and access.completes is None
            else "needs a barrier, after the wait, between"
            if access.completes is None
            else "needs a wait for the slot of the barrier that the copy completes"
        )
        notes = [(access.op.location, "written here")]
        raise PassError(op, f"reads a slot whose {access.kind} is not published: {missing}", notes)
    flow.live.append(Access("lds read", ring, slot, op, counted))


def _wait(flow: _Flow, op: ir.Operation) -> None:
    """What this wave may leave under way are its own last ops: an issuer has its own, too."""
    wait = WaitOp(op)
    kind, pending = wait.str_attr("kind"), wait.int_attr("pending")
    later: list[Access] = []
    kept: list[Access] = []
    for access in reversed(flow.live):
        if access.open and kind in access.counted:
            behind = sum(access.is_counted_with(other) for other in later)
            later.append(access)
            access = replace(access, open=behind < pending)
        kept.insert(0, access)
    flow.live = kept


def _mma(flow: _Flow, op: ir.Operation) -> None:
    """A product has its operands: the loads that made them are complete; what it reads in LDS
    itself it reads until a wait."""
    # Carried fragments have no maker here: the product is no proof of their loads' completion.
    makers = [maker for maker in map(defining, op.operands) if maker is not None]
    flow.live = [
        replace(a, open=False) if a.kind == "lds read" and a.open and a.op in makers else a
        for a in flow.live
    ]
    held = [v for v in list(op.operands)[:2] if LdsType.of(v.type) is not None]
    for number, value in enumerate(held):
        ring = LdsType.of(value.type)
        if ring is not None and value not in flow.shared:
            _read(flow, value, slot_of(op.operands[3 + 3 * number], ring.stages), op)


def _arrive(flow: _Flow, op: ir.Operation) -> None:
    flow.live = arrived(flow.live, op)


def _wait_barrier(flow: _Flow, op: ir.Operation) -> None:
    flow.live = passed(flow.live, op, flow.kernel)
    slot = WaitBarrierOp(op).slot if op.name == "tile.wait_barrier" else None
    filled = any(use.owner.name == "tile.copy_async" for use in op.operands[0].uses)
    if slot is not None and is_mbarrier(op.operands[0]) and not filled:
        flow.handed.append(slot)


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
