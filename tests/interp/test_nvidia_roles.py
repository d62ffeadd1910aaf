"""The NVIDIA-only passes: what they make is right, and without a finding, at any size."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source

from .levels import level_text
from .running import every_mode, failures

LIT = Path(__file__).parents[2] / "lit_tests"
# At 104 x 152 x 130 an engine may move B, but not A.
SIZES = [(104, 152, 136), (104, 152, 130), (7, 7, 7), (35, 79, 19), (128, 128, 520)]
REGISTERS = (
    "import-matmul,tile-workgroup{shape=64x64x64 waves=2x2},promote-to-lds,matrix-core,"
    "multi-buffer{stages=3}"
)
IN_PLACE = (
    "import-matmul,tile-workgroup{shape=64x128x64 waves=4x1},promote-to-lds,matrix-core,"
    "multi-buffer{stages=3},swizzle-lds,wgmma"
)
ENGINES = IN_PLACE.replace("swizzle-lds", "async-copies,swizzle-lds,copy-engine")
CLUSTER = f"{ENGINES},split-barriers,cluster-multicast{{dims=2x1}}"
BASES = {
    "engine": f"{ENGINES},warp-specialize",
    "cluster": f"{CLUSTER},warp-specialize",
    "cluster of four": f"{CLUSTER.replace('2x1', '2x2')},warp-specialize",
    "cluster, persistent": f"{CLUSTER},warp-specialize,persistent{{grid=4}},rasterize{{group=1}}",
    "three blocks of columns": f"{CLUSTER.replace('64x128x64', '64x192x64')},"
    "stage-epilogue{alias=false columns=128},warp-specialize,persistent{grid=4}",
    "wgmma": IN_PLACE,
    "in place": f"{IN_PLACE},warp-specialize",
    "in place, no lag": f"{IN_PLACE},warp-specialize{{lag=0}}",
    "registers": f"{REGISTERS},warp-specialize",
    "two stages": f"{REGISTERS},warp-specialize".replace("stages=3", "stages=2"),
    "async": f"{REGISTERS},async-copies,warp-specialize",
    "persistent": f"{IN_PLACE},warp-specialize,persistent{{grid=2}}",
    "grouped": f"{IN_PLACE},warp-specialize,persistent{{grid=2}},rasterize{{group=1}}",
    "persistent without roles": f"{REGISTERS},persistent{{grid=2}},rasterize{{order=column}}",
    "through LDS": f"{REGISTERS},stage-epilogue,persistent{{grid=2}}",
    "rasterised launch": f"{REGISTERS},rasterize{{group=1}}",
    "pipelined": f"{REGISTERS},async-copies,register-pipeline,warp-specialize",
}


def passed(text: str, passes: str) -> str:
    """``text``, tile IR, after ``passes``."""
    source = Source("<tile>", text, "tile", "kernel")
    return compile_source(Request(source, resolve(passes), target="sm_90a", stop="tile")).text


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", BASES)
def test_pipelines_are_right_in_any_order_of_landing(name: str, size: tuple[int, int, int]) -> None:
    text = level_text(resolve(f"{BASES[name]},verify-tile"), "sm_90a", *size)
    assert not failures(text, every_mode(range(2)))


def test_a_hand_written_cluster_kernel_before_and_after() -> None:
    text = (LIT / "warp-specialize" / "hand-written.mlir").read_text(encoding="utf-8")
    assert not failures(text, every_mode(range(5)))
    parted = passed(text, "warp-specialize")
    assert 'tile.role = "producer"' in parted
    assert not failures(parted, every_mode(range(5)))
