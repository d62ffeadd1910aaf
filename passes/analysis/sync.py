"""Barriers in tile IR: where they are legal, and the workgroup's own."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.tile import BarrierCreateOp
from gemm_ladder.passes.analysis.coords import is_workgroup_uniform
from gemm_ladder.passes.analysis.kernel import Kernel, ancestors, defining, ops_named
from gemm_ladder.passes.base import PassError


def divergent_ancestor(op: ir.Operation) -> ir.Operation | None:
    """The innermost op around ``op`` that waves of a workgroup may take differently, or None."""
    for around in ancestors(op):
        count = {"scf.for": 3, "scf.if": 1}.get(around.name)
        controls = list(around.operands)[:count]
        if not all(is_workgroup_uniform(v) for v in controls):
            return around
    return None


def in_role(op: ir.Operation) -> bool:
    """Whether ``op`` stands under an scf.if that is tagged as a role."""
    return any("tile.role" in around.attributes for around in ancestors(op))


def reaching_waves(kernel: Kernel, op: ir.Operation) -> list[int]:
    """The waves that come to ``op``, by the roles (`tile.waves`) around it.

    Empty where control flow that depends on the wave does not say which.
    """
    waves, inner = list(range(kernel.waves())), op
    for around in ancestors(op):
        controls = list(around.operands)[: {"scf.for": 3, "scf.if": 1}.get(around.name)]
        if "tile.waves" in around.attributes:
            first, count = (
                ir.IntegerAttr(x).value for x in ir.ArrayAttr(around.attributes["tile.waves"])
            )
            then = any(inner.block == block for block in around.regions[0].blocks)
            waves = [w for w in waves if (first <= w < first + count) == then]
        elif not all(is_workgroup_uniform(v) for v in controls):
            return []
        inner = around
    return waves


def issuer_error(kernel: Kernel, op: ir.Operation) -> str | None:
    """What is wrong with the wave that alone executes ``op``: none of those that come to it."""
    if "issuer" not in op.attributes:
        return None
    issuer, waves = ir.IntegerAttr(op.attributes["issuer"]).value, kernel.waves()
    if issuer >= waves:
        return (
            f"{op.name} by wave {issuer} (issuer) of a workgroup of {waves}, counted from 0; "
            "name one that it has"
        )
    reaching = reaching_waves(kernel, op)
    if reaching and issuer not in reaching:
        found = ", ".join(map(str, reaching))
        return f"{op.name} by wave {issuer} (issuer), which does not come here; name one of {found}"
    return None


def check_uniform_place(op: ir.Operation) -> None:
    """Raise PassError if a workgroup barrier beside ``op`` would not be reached by all waves."""
    culprit = divergent_ancestor(op)
    if culprit is not None:
        raise PassError(
            op,
            "needs a barrier here, but not every wave comes here",
            [(culprit.location, f"'{culprit.name}' depends on the wave or lane")],
        )


def check_barrier(op: ir.Operation) -> None:
    """Raise PassError if barrier op ``op`` stands where not exactly its participants come by.

    Control flow must be uniform over the workgroup, but for an scf.if tagged `tile.role`, whose
    waves (`tile.waves`) are then the participants; a cluster barrier's arrive names its issuer. An
    mbarrier counts arrivals, whoever makes them: each wave may arrive and wait where it likes.
    """
    maker = defining(op.operands[0])
    if maker is not None and BarrierCreateOp(maker).str_attr("kind") == "mbarrier":
        return
    culprit = divergent_ancestor(op)
    if culprit is None or "tile.role" in culprit.attributes:
        return
    raise PassError(
        op,
        "a barrier that not every wave reaches",
        [(culprit.location, f"'{culprit.name}' depends on the wave or lane")],
    )


def workgroup_barrier(kernel: Kernel) -> ir.Value:
    """The kernel's hardware barrier of all waves, made at the insertion point if it has none."""
    waves = kernel.waves()
    for op in map(BarrierCreateOp, ops_named(kernel.body, "tile.barrier_create")):
        key = (op.str_attr("kind"), op.str_attr("scope"), op.int_attr("arrivals"))
        if key == ("hw", "workgroup", waves) and op.operation.block == kernel.body:
            return op.results[0]
    with build.named("bar", ir.Location.current):
        return build.barrier_create(waves)
