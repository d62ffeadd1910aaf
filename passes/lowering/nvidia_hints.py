"""Ops that move no data: proxy fences, register budgets, hints that NVIDIA code does not take."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import nvvm

from gemm_ladder.dialect_defs.tile import TileOp
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering.state import State

_GRANULE, _LOWEST, _HIGHEST = 8, 24, 256  # PTX ISA, setmaxnreg: registers a thread

# ptxas schedules across these, and knows no other kind of order.
_SILENT = ("tile.sched_fence", "tile.sched_group", "tile.hint")


def lower(state: State, op: ir.Operation) -> bool:
    """Lower ``op`` if it is one of these."""
    if op.name in _SILENT:
        return True
    if op.name == "tile.fence":
        _fence(TileOp(op))
        return True
    if op.name == "tile.set_registers":
        _registers(state, TileOp(op))
        return True
    return False


def _fence(op: TileOp) -> None:
    """This thread's writes to shared memory become visible to the asynchronous proxy.

    Source: PTX ISA, "fence.proxy.async".
    """
    if op.str_attr("proxy") != "async":
        raise PassError(op, f"no proxy {op.str_attr('proxy')!r} to make writes visible to")
    kind = ir.Attribute.parse("#nvvm.proxy_kind<async.shared>")
    nvvm.FenceProxyOp(kind, space=ir.Attribute.parse("#nvvm.shared_space<cta>"))


def _registers(state: State, op: TileOp) -> None:
    """setmaxnreg, by every warp of a warpgroup; up or down from what the launch gives.

    The launch gives each thread of the workgroup as many registers as fit (PTX ISA: a multiple of
    eight, the kernel's own limit).
    """
    if not state.target.has("setmaxnreg"):
        raise PassError(op, f"{state.target.name} cannot change a wave's registers")
    count = op.int_attr("count")
    if count % _GRANULE or not _LOWEST <= count <= _HIGHEST:
        message = f"count is {count}; allowed: multiples of {_GRANULE} from {_LOWEST} to {_HIGHEST}"
        raise PassError(op, message)
    given = state.target.register_budget(state.threads) // _GRANULE * _GRANULE
    action = "increase" if count >= given else "decrease"
    nvvm.SetMaxRegisterOp(count, ir.Attribute.parse(f"#nvvm<action {action}>"))
