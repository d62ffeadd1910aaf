"""Where the elements of a memref lie."""

from __future__ import annotations

import math

from mlir import ir


def strides_of(memref: ir.MemRefType) -> tuple[list[int], int]:
    """(strides, offset) in elements of a static memref; None of them is used where it is empty."""
    strides, start = memref.get_strides_and_offset()
    if 0 in memref.shape:  # MLIR calls the strides of such a type dynamic
        strides = [math.prod(memref.shape[i + 1 :]) for i in range(memref.rank)]
    return strides, start
