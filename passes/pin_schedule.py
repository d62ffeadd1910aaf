"""pin-schedule: the order in which LDS reads and matrix instructions of a K step issue.

Before: load(step 1); mma(step 0); sched_group of any pattern, or none
After:  load(step 1); mma(step 0); sched_group (6 lds_read, 8 mma) x 4
Source: the Helios GEMM ladder, Level 12
Test:   lit_tests/pin-schedule
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import LoadOp, MmaOp, SchedGroupOp
from gemm_ladder.passes.analysis.hand_off import reads_lds
from gemm_ladder.passes.analysis.interleave import Pattern, even
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, ops_named
from gemm_ladder.passes.analysis.products import BARRIERS, atom_count, read_count
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class Span:
    """A product and the LDS reads in front of it that may go between its instructions."""

    mma: ir.Operation
    reads: int
    products: int


@dataclass(frozen=True)
class PinSchedule:
    """The order in which LDS reads and matrix instructions of a K step issue.

    Before: products with loads for a later product in front of them
    After: each has one pattern: ``ds`` reads, ``mma`` matrix instructions, ``repeat`` times; where
        a product has fewer of either, the same number of rounds shares them out evenly
    Source: the Helios GEMM ladder, Level 12
    """

    name: ClassVar[str] = "pin-schedule"
    analysis: ClassVar[bool] = False

    ds: int = option(6, help="LDS reads in a round", minimum=1)
    mma: int = option(8, help="matrix instructions in a round", minimum=1)
    repeat: int = option(4, help="rounds", minimum=1)

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Pin every product with reads to hide; raises PassError if there is none."""
        found = [(k, s) for k in kernels(module, ctx) for s in _spans(k)]
        if not found:
            raise PassError(
                module.operation,
                "found no product with loads for a later one in front of it;"
                " run register-pipeline first",
            )
        for _, span in found:
            self._pin(span)

    def _pin(self, span: Span) -> None:
        for op in _groups_behind(span.mma):
            op.erase()
        with ir.InsertionPoint.after(span.mma), build.unnamed(span.mma.location):
            self._pattern(span).emit()

    def _pattern(self, span: Span) -> Pattern:
        """The pattern asked for, or its rounds over what the product has."""
        wanted = Pattern(self.ds, self.mma, self.repeat)
        if (span.reads, span.products) == (self.ds * self.repeat, self.mma * self.repeat):
            return wanted
        if span.reads % self.repeat == 0 and span.products % self.repeat == 0:
            return Pattern(span.reads // self.repeat, span.products // self.repeat, self.repeat)
        return even(span.reads, span.products)


def _spans(kernel: Kernel) -> list[Span]:
    """Products of matrix instructions with reads to go between these, in every block."""
    blocks: list[ir.Block] = []
    for op in ops_named(kernel.body, "tile.mma"):
        if op.block not in blocks:
            blocks.append(op.block)
    return [span for block in blocks for span in _spans_of(kernel, block)]


def _spans_of(kernel: Kernel, block: ir.Block) -> list[Span]:
    found: list[Span] = []
    loads: list[ir.Operation] = []
    for op in [view.operation for view in block.operations]:
        if op.name == "tile.load" and reads_lds(op):
            loads.append(op)
        elif op.name in (*BARRIERS, "tile.sched_fence"):
            loads = []
        elif op.name == "tile.mma":
            found += _span(kernel, op, loads)
            loads = []
    return found


def _span(kernel: Kernel, op: ir.Operation, loads: list[ir.Operation]) -> list[Span]:
    """The span of product ``op`` behind ``loads``, unless there is nothing to interleave."""
    mma = MmaOp(op)
    atom = kernel.target.atom(mma.str_attr("atom"))
    if atom is None or reads_lds(op):
        return []
    own = [load for load in loads if load.results[0] in list(op.operands)]
    wave = kernel.target.wave_size
    reads = sum(read_count(LoadOp(load).frag, wave) for load in loads if load not in own)
    # Loads of several steps may stand here; a pattern that is there already says which are meant.
    asked = [group for group in map(SchedGroupOp, _groups_behind(op)) if _is_read(group)]
    reads = sum(g.int_attr("count") * g.int_attr("repeat", 1) for g in asked) or reads
    chosen = mma.ints_attr("atoms")
    return [Span(op, reads, chosen[1] if chosen else atom_count(mma, atom))] if reads else []


def _is_read(group: SchedGroupOp) -> bool:
    return group.str_attr("kind") == "lds_read"


def _groups_behind(op: ir.Operation) -> list[ir.Operation]:
    """The scheduling groups right behind ``op``."""
    ops = [view.operation for view in op.block.operations]
    found = []
    for later in ops[ops.index(op) + 1 :]:
        if later.name != "tile.sched_group":
            break
        found.append(later)
    return found
