"""Walking IR as plain operations (an OpView's `name` may be its symbol)."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from gemm_ladder.passes.analysis import kernel


def body(op: ir.Operation) -> list[ir.Operation]:
    """The operations of the first block of ``op``'s first region."""
    return [inner.operation for inner in op.regions[0].blocks[0]]


def function_of(op: ir.Operation) -> ir.Operation:
    """The gpu.func around ``op``."""
    while op.name != "gpu.func":
        op = op.parent.operation
    return op


def walk(op: ir.Operation) -> Iterator[ir.Operation]:
    """Every operation nested in ``op``, outer before inner, in order."""
    for region in op.regions:
        for block in region.blocks:
            yield from kernel.walk(block)
