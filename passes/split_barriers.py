"""split-barriers: signal that a stage is read before the last product, wait for the others behind.

Before: mma; wait copy; arrive; wait_barrier
After:  wait lds; wait copy; arrive; mma; wait_barrier
Source: the Helios GEMM ladder, Levels 8, 9 and 12
Test:   lit_tests/split-barriers
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import LoadOp, MmaOp, ints
from gemm_ladder.passes.analysis.coords import hoist
from gemm_ladder.passes.analysis.empty_barrier import find_stages, hand_back
from gemm_ladder.passes.analysis.hand_off import (
    ProductHandOff,
    find_hand_offs,
    reads_lds,
    scope_of,
)
from gemm_ladder.passes.analysis.interleave import even
from gemm_ladder.passes.analysis.kernel import Kernel, kernels
from gemm_ladder.passes.analysis.products import atom_count, read_count
from gemm_ladder.passes.analysis.remarks import remark
from gemm_ladder.passes.analysis.ring_flow import check_rings
from gemm_ladder.passes.analysis.staged_loop import is_wait
from gemm_ladder.passes.analysis.waits import drains_before, erase_idle_lds_waits
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class SplitBarriers:
    """Signal that a stage is read before the last product, wait for the others behind it.

    Before: the last product of an iteration, then arrive and wait at once
    After: LDS reads and copies are waited for and signalled first, so that the product, whose
        operands are in registers, runs while the others arrive. ``after`` instructions of the
        product may go before the signal. Operands of the next stage that are loaded behind the
        wait are loaded before the rest of the product. Where an engine says by mbarriers that a
        stage is filled, the barrier becomes `empty`, an mbarrier a stage: a wave signals the stage
        that it has read, and only the wave that fills it waits.
    Source: the Helios GEMM ladder, Levels 8, 9 and 12
    """

    name: ClassVar[str] = "split-barriers"
    analysis: ClassVar[bool] = False

    after: int = option(
        0, help="matrix instructions of the last product before the signal", minimum=0
    )

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Split the hand-off of every loop; raises PassError if there is none to split."""
        found = [(k, h) for k in kernels(module, ctx) for h in find_hand_offs(k)]
        if not found:
            raise PassError(
                module.operation,
                "found no loop that arrives at a hardware barrier behind its last product;"
                " run promote-to-lds first",
            )
        for kernel, hand_off in found:
            self._hand_off(kernel, hand_off, ctx)
            check_rings(kernel)

    def _hand_off(self, kernel: Kernel, hand_off: ProductHandOff, ctx: PassContext) -> None:
        mma = hand_off.mma
        in_place = reads_lds(mma.operation)
        if in_place and self.after:
            raise PassError(mma, "after=N: the last product reads LDS, and cannot be cut")
        stages = find_stages(kernel, hand_off)
        if stages is None and in_place:
            text = "the last product reads LDS until the signal, which stays behind it"
            remark(kernel, ctx, mma.location, f"{self.name}: {text}")
            return
        if not in_place:
            hand_off.check_movable()
        for op in drains_before(mma.operation):
            op.erase()
        rest = self._cut(kernel, mma)
        if stages is None:
            self._split(kernel, hand_off, rest)
        else:
            hand_back(kernel, stages, hand_off, rest)

    def _split(self, kernel: Kernel, hand_off: ProductHandOff, rest: ir.Operation) -> None:
        loads = hand_off.next_loads()
        at = build.unnamed(hand_off.before[-1].location)
        with ir.InsertionPoint(rest), at:
            build.sched_fence()
            build.wait("lds")
        _signal_before(rest, hand_off)
        waits = hand_off.barrier_waits()
        if loads:
            waits = [op for op in waits if scope_of(op) != "workgroup"]
            _take_over_before(rest, hand_off, loads)
            _interleave(kernel, rest, loads, self.after, at)
        # Between the fences the products stay where they hide the wait for copies and the others.
        for op in (loads[0] if loads else rest, *waits[:1]):
            with ir.InsertionPoint(op), at:
                build.sched_fence()
        erase_idle_lds_waits(hand_off.block)

    def _cut(self, kernel: Kernel, mma: MmaOp) -> ir.Operation:
        """Cut ``mma`` behind its first ``after`` instructions; the op of the others."""
        if self.after == 0:
            return mma.operation
        atom = kernel.target.atom(mma.str_attr("atom"))
        if atom is None:
            raise PassError(mma, "after=N cuts a matrix instruction's grid; run matrix-core first")
        count = atom_count(mma, atom)
        if mma.ints_attr("atoms"):
            raise PassError(mma, "the product is cut already")
        if self.after >= count:
            raise PassError(
                mma,
                f"after={self.after} of {count} matrix instructions leaves none to hide the wait",
            )
        with ir.InsertionPoint(mma):
            first = mma.operation.clone().operation
        first.attributes["atoms"] = ints([0, self.after])
        mma.operation.attributes["atoms"] = ints([self.after, count - self.after])
        mma.operation.operands[2] = first.results[0]
        return mma.operation


def _signal_before(rest: ir.Operation, hand_off: ProductHandOff) -> None:
    """Move the waits for copies and the arrivals in front of ``rest``."""
    for op in hand_off.before:
        if op.name == "tile.sched_fence" or is_wait(op, "lds"):
            op.erase()
        elif op.name in ("tile.wait", "tile.fence", "tile.arrive"):
            for operand in op.operands:
                hoist(operand, rest)
            op.move_before(rest)


def _take_over_before(
    rest: ir.Operation, hand_off: ProductHandOff, loads: list[ir.Operation]
) -> None:
    """Move the workgroup's waits, and ``loads`` of what they publish, in front of ``rest``."""
    mine = [op for op in hand_off.barrier_waits() if scope_of(op) == "workgroup"]
    for op in (*mine, *loads):
        for operand in op.operands:
            hoist(operand, rest)
        op.move_before(rest)
    for op in hand_off.behind:
        if op.name == "tile.sched_fence":
            op.erase()


def _interleave(
    kernel: Kernel, rest: ir.Operation, loads: list[ir.Operation], after: int, at: ir.Location
) -> None:
    """Ask for the reads of ``loads`` between the instructions of ``rest``."""
    mma = MmaOp(rest)
    atom = kernel.target.atom(mma.str_attr("atom"))
    if atom is None:
        return
    wave = kernel.target.wave_size
    reads = sum(read_count(LoadOp(load).frag, wave) for load in loads)
    with ir.InsertionPoint.after(rest), at:
        even(reads, atom_count(mma, atom) - after).emit()
