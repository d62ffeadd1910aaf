"""Any legal subset and order of the passes is right; what cannot be combined says why."""

from __future__ import annotations

import pytest
from gemm_case import Case
from sweep import MODES

from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import open_device

GRIDS = ("1x8", "8x1", "2x4", "4x2", "2x2", "4x4")
PROBLEMS = (
    Case(200, 150, 270, "nt"),
    Case(129, 260, 144, "nn", ("bf16", "bf16")),
    Case(70, 300, 200, "tt", ("f16", "f32"), accumulate=True),
)


def base(shape: str = "128x128x64", waves: str = "2x2", stages: int = 2) -> str:
    """Levels 0 and 1 at another tile."""
    tile = f"tile-workgroup{{shape={shape} waves={waves}}}"
    return f"import-matmul,{tile},promote-to-lds,matrix-core,multi-buffer{{stages={stages}}}"


SUBSETS = [
    f"{base()},copy-engine",
    f"{base()},copy-engine,split-barriers",
    f"{base()},split-barriers",
    f"{base()},async-copies,split-barriers",
    f"{base('64x64x96')},register-pipeline{{slots=3}}",
    f"{base('64x64x64')},async-copies,register-pipeline{{slots=2 carry=true}},split-barriers",
    f"{base()},register-pipeline,async-copies,copy-engine",
    f"{base()},async-copies,partition-lds",
    f"{base()},copy-engine,partition-lds,register-pipeline",
    f"{base()},async-copies,cluster-multicast{{dims=2x2}}",
    f"{base()},cluster-multicast{{dims=4x1}}",
    f"{base()},copy-engine,cluster-multicast{{dims=1x4}},split-barriers",
    f"{base()},async-copies,register-pipeline,copy-engine,cluster-multicast{{dims=2x4}},"
    "split-barriers{after=8}",
    f"{base()},stage-epilogue",
    f"{base()},stage-epilogue{{alias=false}},async-copies,copy-engine",
    f"{base()},stage-epilogue,cluster-multicast{{dims=2x2 multicast=false}}",
    "level0,stage-epilogue,lock-simd",
    "level0,copy-engine,cluster-multicast{dims=2x2}",
    "level0,async-copies",
    "level0,split-barriers",
    "level1,swizzle-lds",
    "level1,swizzle-lds,copy-engine",
    f"{base('64x128x64')},lock-simd,async-copies,register-pipeline,pin-schedule{{ds=4 mma=4}}",
    *(
        f"{base(waves=grid)},async-copies,register-pipeline,copy-engine,split-barriers,"
        "cluster-multicast{dims=2x2},stage-epilogue"
        for grid in GRIDS
    ),
    *(
        f"{base(stages=3)}{rest}"
        for rest in (
            "",
            ",async-copies",
            ",async-copies,register-pipeline",
            ",async-copies,register-pipeline,copy-engine",
            ",copy-engine,split-barriers",
            ",async-copies,register-pipeline{slots=2 carry=true},copy-engine,"
            "split-barriers{after=8},cluster-multicast{dims=4x4},stage-epilogue,lock-simd",
        )
    ),
    f"{base(stages=4)},async-copies,copy-engine,split-barriers,stage-epilogue",
]

# (pipeline, parts of the refusal)
REFUSED = [
    ("level2,wgmma", ["wgmma", "gfx1250"]),
    ("import-matmul,async-copies", ["found no copy into LDS", "promote-to-lds"]),
    ("level2,cluster-multicast{dims=8x1}", ["dims", "8 workgroups would share", "5"]),
    ("level9,cluster-multicast", ["has clusters already"]),
    ("level1,pin-schedule", ["pin-schedule"]),
    ("level1,multi-buffer", ["multi-buffer"]),
]


@pytest.mark.parametrize(("number", "passes"), list(enumerate(SUBSETS)), ids=str)
def test_subset_on_the_simulator(number: int, passes: str) -> None:
    case = Case(**{**vars(PROBLEMS[number % len(PROBLEMS)]), "passes": passes})
    artefact = case.artefact("gfx1250")
    device = open_device(MODES[(number // len(PROBLEMS)) % len(MODES)])
    for result in check_artefact(artefact, device):
        assert result.ok, result.failures


@pytest.mark.parametrize(("passes", "parts"), REFUSED, ids=str)
def test_refused_with_the_reason(passes: str, parts: list[str]) -> None:
    with pytest.raises(LadderError) as refused:
        Case(128, 128, 128, "nt", passes=passes).artefact("gfx1250")
    for part in parts:
        assert part in str(refused.value)
