"""A lowered kernel as a file."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """A .gpu.mlir with one trivial gfx1250 kernel."""
    path = tmp_path / "k.gpu.mlir"
    path.write_text(
        """gpu.module @kernels attributes {tile.target = "gfx1250"} {
  gpu.func @one(%y: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      tile.kernel = {args = [{name = "y", dtype = "f32", shape = [1], strides = [1],
                              access = "write", align = 4}], grid = [1, 1, 1]}} {
    %one = arith.constant 1.0 : f32
    llvm.store %one, %y : f32, !llvm.ptr<1>
    gpu.return
  }
}
"""
    )
    return path
