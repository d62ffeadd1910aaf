"""Fragment reads of every gfx1250 level meet no LDS bank twice, in any layout of the operands.

And from level 6 on A and B of one stage lie in different partitions.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from gemm_case import LAYOUTS, Case

from gemm_ladder.compiler.pipelines import expand, levels
from gemm_ladder.compiler.problem import Problem
from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.sim.asm import Line
from gemm_ladder.runtime.sim.lds_model import conflicts
from gemm_ladder.runtime.sim.lds_trace import Fill, trace_launch

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from gfx1250_facts import shared_partitions, simulated_facts
from gfx1250_published import published

READS = {"ds_load_b128", "ds_load_tr16_b128"}
# Rows of 256 and 512 bytes in either direction; a wave grid that is no square.
OTHERS = (
    "import-matmul,tile-workgroup{shape=64x128x64 waves=2x4},promote-to-lds,matrix-core",
    "import-matmul,tile-workgroup{shape=32x64x256 waves=2x2},promote-to-lds,matrix-core",
    # More registers than one bank: the epilogue stands behind a barrier.
    "import-matmul,tile-workgroup{shape=64x256x256 waves=2x2},promote-to-lds,matrix-core",
)


def artefact(passes: str, layout: str) -> Artefact:
    return Case(256, 256, 256, layout, ("bf16", "bf16"), passes=passes).artefact("gfx1250")


# test_spec simulates nt, too, and requires the same of it.
@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "nt"])
# Multicast changes no address in LDS.
@pytest.mark.parametrize("level", [name for name in levels("gfx1250") if "-" not in name])
def test_levels(level: str, layout: str) -> None:
    row = published(level)
    assert row is not None
    found = simulated_facts(Problem(256, 256, 256, layout), level, row)
    assert found["bank_conflicts"] == []
    if row.level >= 6:
        assert found["shared_partitions"] == []


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("passes", OTHERS)
def test_other_tiles(passes: str, layout: str) -> None:
    trace, _ = trace_launch(artefact(passes, layout))
    assert READS & {access.line.mnemonic for access in trace.accesses}
    assert [str(found) for found in conflicts(trace)] == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_without_padding_they_conflict(layout: str) -> None:
    bare = ",".join(expand("level1", "gfx1250")).replace("promote-to-lds", "promote-to-lds{pad=0}")
    trace, _ = trace_launch(artefact(bare, layout))
    assert {found.line.mnemonic for found in conflicts(trace)} == {
        name for name in READS if any(a.line.mnemonic == name for a in trace.accesses)
    }


def test_stages_side_by_side_share_a_partition() -> None:
    line = Line(1, "", "tensor_load_to_lds", (), {})

    def fill(first: int) -> Fill:
        return Fill(line, "tdm", 0, 0, 0, first, first + 69632)

    # A0 A1 B0 B1, and A0 B0 A1 B1.
    assert shared_partitions([([fill(0)], [fill(139264)]), ([fill(69632)], [fill(208896)])]) == []
    assert shared_partitions([([fill(0)], [fill(69632)])]) == [1]
