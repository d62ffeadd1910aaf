"""Workgroups of a cluster that fill each other's LDS, and so wait for each other's readers."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import BarrierCreateOp
from gemm_ladder.passes.analysis.index_values import evaluate
from gemm_ladder.passes.analysis.kernel import Kernel, is_inside, ops_named
from gemm_ladder.passes.analysis.role_plan import RolePlan
from gemm_ladder.passes.base import PassError


def with_peers(plan: RolePlan) -> RolePlan:
    """``plan`` with the workgroups that its multicast fills reach, where no barrier names them.

    Whom a workgroup fills, by any of its fills, is whom it must hear of, and masks are symmetric.
    """
    masks = [fill.multicast for fill in plan.fills if fill.multicast is not None]
    if not masks or plan.empty is not None:
        return plan
    if any(is_inside(mask, plan.staged.loop) for mask in masks):
        raise PassError(plan.staged.loop, "a mask of workgroups is made in the loop")
    together = masks[0]
    with ir.InsertionPoint(plan.staged.loop), build.unnamed(plan.staged.loop.location):
        for mask in masks[1:]:
            if mask != together:
                together = arith.ori(together, mask)
    return replace(plan, peers=together)


def peer_count(plan: RolePlan) -> int:
    """How many workgroups the plan's peers are, oneself included; 1 without any."""
    if plan.peers is None:
        return 1
    body = plan.staged.kernel.body
    ranks = ops_named(body, "gpu.cluster_block_id")
    mask = evaluate(plan.peers, {op.results[0]: 0 for op in ranks})
    if mask is None:
        raise PassError(plan.staged.loop, "cannot tell how many workgroups share a fill")
    return mask.bit_count()


def add_farewell(kernel: Kernel, behind: ir.Operation, at: ir.Location) -> list[ir.Operation]:
    """Make the workgroups of a cluster wait for each other behind ``behind``; the ops."""
    made = [BarrierCreateOp(op) for op in ops_named(kernel.body, "tile.barrier_create")]
    own = [op for op in made if (op.str_attr("kind"), op.str_attr("scope")) == ("hw", "cluster")]
    with kernel.head(), at:
        everyone = build.barrier_create(kernel.waves())
        if own:
            cluster = own[0].results[0]
        else:
            size = prod(kernel.sizes("known_cluster_size") or (1, 1, 1))
            cluster = build.barrier_create(size, scope="cluster")
    with ir.InsertionPoint.after(behind), at:
        ops = [build.barrier(everyone), build.arrive(cluster), build.wait_barrier(cluster)]
    i64 = ir.IntegerType.get_signless(64)
    ops[1].attributes["issuer"] = ir.IntegerAttr.get(i64, 0)
    return ops
