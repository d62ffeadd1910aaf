"""The end of an iteration: the last product, and the barriers behind it that hand stages over."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import BarrierCreateOp, MmaOp
from gemm_ladder.dialect_defs.types import LdsType
from gemm_ladder.passes.analysis.kernel import Kernel, defining, ops_named
from gemm_ladder.passes.analysis.staged_loop import is_wait
from gemm_ladder.passes.base import PassError

# Ops that say nothing about memory: an arrive may pass them.
_SCHEDULING = ("tile.sched_fence", "tile.sched_group", "tile.hint")


@dataclass(frozen=True)
class ProductHandOff:
    """Behind ``mma``, the last product of ``block``: what leads to the arrivals, and the rest.

    ``before`` are the waits, fences and arrivals up to the last arrive that no wait for a barrier
    precedes; ``behind`` the block's further ops, without its terminator.
    """

    block: ir.Block
    mma: MmaOp
    before: tuple[ir.Operation, ...]
    behind: tuple[ir.Operation, ...]

    def barrier_waits(self) -> list[ir.Operation]:
        """Waits for barriers behind the arrivals."""
        return [op for op in self.behind if op.name == "tile.wait_barrier"]

    def check_movable(self) -> None:
        """Raise PassError where an op between the product and the arrive keeps it behind."""
        for op in self.before:
            _check_passable(op, self.before[-1])

    def next_loads(self) -> list[ir.Operation]:
        """Fragment loads behind the first wait: they read what the hand-off publishes."""
        waits = [i for i, op in enumerate(self.behind) if op.name == "tile.wait_barrier"]
        later = self.behind[waits[0] :] if waits else ()
        return [op for op in later if op.name == "tile.load" and reads_lds(op)]


def reads_lds(op: ir.Operation) -> bool:
    """Whether an operand of ``op`` is an LDS ring."""
    return any(LdsType.of(v.type) is not None for v in op.operands)


def _creator(op: ir.Operation) -> BarrierCreateOp | None:
    maker = defining(op.operands[0])
    if maker is None or maker.name != "tile.barrier_create":
        return None
    return BarrierCreateOp(maker)


def scope_of(op: ir.Operation) -> str:
    """Scope of the barrier that ``op`` uses; "" where its creator is not known."""
    made = _creator(op)
    return made.str_attr("scope") if made is not None else ""


def is_hardware(op: ir.Operation) -> bool:
    """Whether barrier op ``op`` uses a hw barrier."""
    made = _creator(op)
    return made is not None and made.str_attr("kind") == "hw"


def find_hand_offs(kernel: Kernel) -> list[ProductHandOff]:
    """The hand-offs by hw barriers of every loop of ``kernel`` that multiplies.

    A `tile.barrier` among them is taken apart into arrive and wait first.
    """
    found = []
    for loop in ops_named(kernel.body, "scf.for"):
        hand_off = _hand_off(loop.regions[0].blocks[0])
        if hand_off is not None:
            found.append(hand_off)
    return found


def _hand_off(block: ir.Block) -> ProductHandOff | None:
    ops = [view.operation for view in block.operations][:-1]
    products = [i for i, op in enumerate(ops) if op.name == "tile.mma"]
    if not products:
        return None
    mma = ops[products[-1]]
    _take_barriers_apart(ops[products[-1] :])
    ops = [view.operation for view in block.operations][:-1]
    tail = ops[ops.index(mma) + 1 :]
    first_wait = next((i for i, op in enumerate(tail) if op.name == "tile.wait_barrier"), len(tail))
    arrives = [
        i for i, op in enumerate(tail[:first_wait]) if op.name == "tile.arrive" and is_hardware(op)
    ]
    if not arrives:
        return None
    cut = arrives[-1] + 1
    return ProductHandOff(block, MmaOp(mma), tuple(tail[:cut]), tuple(tail[cut:]))


def _take_barriers_apart(ops: list[ir.Operation]) -> None:
    for op in ops:
        if op.name == "tile.barrier" and is_hardware(op):
            with ir.InsertionPoint(op), op.location:
                build.arrive(op.operands[0])
                build.wait_barrier(op.operands[0])
            op.erase()


def _check_passable(op: ir.Operation, arrive: ir.Operation) -> None:
    """Raise PassError if the arrival may not be moved up past ``op``."""
    if op.name in (*_SCHEDULING, "tile.arrive", "tile.fence") or any(
        is_wait(op, k) for k in _WAITS
    ):
        return
    memory = any(isinstance(v.type, ir.MemRefType) for v in op.operands) or reads_lds(op)
    if memory or len(op.regions) or op.name.startswith("tile."):
        raise PassError(
            op,
            f"'{op.name}' stands between the last product and the arrive, which is behind it for"
            " a reason",
            [(arrive.location, "the arrive")],
        )


_WAITS = ("lds", "copy", "global", "store")
