"""The registry of passes by name: importing a pass's module on first use keeps start-up short."""

from __future__ import annotations

import importlib
from typing import Any, cast

from gemm_ladder.passes.base import Pass

# Pass name -> class name; the module is the pass's name with underscores.
_PASSES = {
    "import-matmul": "ImportMatmul",
    "tile-workgroup": "TileWorkgroup",
    "promote-to-lds": "PromoteToLds",
    "matrix-core": "MatrixCore",
    "multi-buffer": "MultiBuffer",
    "async-copies": "AsyncCopies",
    "register-pipeline": "RegisterPipeline",
    "swizzle-lds": "SwizzleLds",
    "copy-engine": "CopyEngine",
    "wgmma": "Wgmma",
    "warp-specialize": "WarpSpecialize",
    "persistent": "Persistent",
    "rasterize": "Rasterize",
    "partition-lds": "PartitionLds",
    "split-barriers": "SplitBarriers",
    "lock-simd": "LockSimd",
    "pin-schedule": "PinSchedule",
    "cluster-multicast": "ClusterMulticast",
    "stage-epilogue": "StageEpilogue",
    "split-epilogue": "SplitEpilogue",
    "verify-tile": "VerifyTile",
    "lower-tile-to-amdgpu": "LowerTileToAmdgpu",
    "lower-tile-to-nvgpu": "LowerTileToNvgpu",
}


def pass_names() -> list[str]:
    """Every pass's name, in the order in which a ladder uses them."""
    return list(_PASSES)


def pass_class(name: str) -> type[Pass]:
    """The class of pass ``name``; KeyError if there is none."""
    module = importlib.import_module(f"gemm_ladder.passes.{name.replace('-', '_')}")
    return cast("type[Pass]", getattr(cast(Any, module), _PASSES[name]))
