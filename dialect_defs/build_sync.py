"""Builders of the tile ops that roles talk by: mbarriers, fences, products from LDS, budgets."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from gemm_ladder.dialect_defs.build import create, integer
from gemm_ladder.dialect_defs.types import BarType


def mbarrier(slots: int, arrivals: int, name: str, scope: str = "workgroup") -> ir.Value:
    """An mbarrier of ``slots``; ``arrivals`` arrivals and 0 bytes complete a phase of one."""
    return create(
        "barrier_create",
        [],
        [BarType(slots).get()],
        name=ir.StringAttr.get(name),
        arrivals=integer(arrivals),
        scope=ir.StringAttr.get(scope),
        kind=ir.StringAttr.get("mbarrier"),
    ).results[0]


def arrive_slot(
    bar: ir.Value, slot: ir.Value, peers: ir.Value | None = None, tx_bytes: int = 0
) -> ir.Operation:
    """Signal ``slot``, here or in the workgroups of mask ``peers``, after adding ``tx_bytes``."""
    extra = {"tx_bytes": integer(tx_bytes)} if tx_bytes else {}
    masks = [] if peers is None else [peers]
    sizes = ir.DenseI32ArrayAttr.get([1, 1, len(masks)])
    return create("arrive", [bar, slot, *masks], operandSegmentSizes=sizes, **extra)


def wait_slot(bar: ir.Value, slot: ir.Value, phase: ir.Value) -> ir.Operation:
    """Wait until ``slot`` is past the phase with the parity of ``phase``."""
    sizes = ir.DenseI32ArrayAttr.get([1, 1, 1])
    return create("wait_barrier", [bar, slot, phase], operandSegmentSizes=sizes)


def mma_lds(
    a: ir.Value,
    b: ir.Value,
    acc: ir.Value,
    coords: Sequence[ir.Value],
    *,
    atom: str,
    transposes: tuple[bool, bool],
) -> ir.Value:
    """acc + a * b with both operands rings, at ``coords`` (slot, row, col of a, then of b)."""
    flags = {
        name: ir.BoolAttr.get(True)
        for name, wanted in zip(("transpose_a", "transpose_b"), transposes, strict=True)
        if wanted
    }
    made = create(
        "mma",
        [a, b, acc, *coords],
        [acc.type],
        atom=ir.StringAttr.get(atom),
        order=ir.StringAttr.get("ab"),
        **flags,
    )
    return made.results[0]


def fence(proxy: str) -> ir.Operation:
    """Make this wave's writes to LDS so far visible to ``proxy``."""
    return create("fence", proxy=ir.StringAttr.get(proxy))


def set_registers(count: int) -> ir.Operation:
    """This wave's register budget from here on."""
    return create("set_registers", count=integer(count))
