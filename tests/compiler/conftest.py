"""A lowered kernel written by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

KERNEL = """
gpu.module @kernels attributes {{tile.target = "{target}"}} {{
  llvm.mlir.global internal @lds() {{addr_space = 3 : i32, alignment = 16 : i64}}
      : !llvm.array<64 x f32>
  gpu.func @scale(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: !llvm.ptr<1>) kernel attributes {{
      known_block_size = array<i32: 64, 1, 1>, tile.kernel = {{
        args = [{{name = "x", dtype = "f32", shape = [64], strides = [1], access = "read",
                  align = 16}},
                {{name = "y", dtype = "f32", shape = [64], strides = [1], access = "write",
                  align = 16}},
                {{name = "n", dtype = "f32", shape = [1], strides = [1], access = "read",
                  align = 4}}],
        grid = [2, 1, 1], cluster = [1, 1, 1], dynamic_lds = 0, remarks = ["x: by hand"]}}}} {{
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bits = llvm.load %n : !llvm.ptr<1> -> i32
    %count = arith.index_cast %bits : i32 to index
    %i = arith.index_cast %t : index to i64
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p : !llvm.ptr<1> -> f32
    %l = llvm.mlir.addressof @lds : !llvm.ptr<3>
    %s = llvm.getelementptr %l[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %r = scf.for %k = %c0 to %count step %c1 iter_args(%acc = %v) -> f32 {{
      llvm.store %acc, %s : f32, !llvm.ptr<3>
      gpu.barrier
      %w = llvm.load %s : !llvm.ptr<3> -> f32
      %f = math.fma %acc, %w, %v : f32
      scf.yield %f : f32
    }}
    %q = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %r, %q : f32, !llvm.ptr<1>
    gpu.return
  }}
}}
"""


@pytest.fixture
def kernel_text() -> Callable[[str], str]:
    """A .gpu.mlir of one kernel with a loop, LDS and a barrier, for a target."""
    return lambda target: KERNEL.format(target=target)
