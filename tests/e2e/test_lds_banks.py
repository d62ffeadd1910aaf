"""No fragment read of any gfx1250 level meets an LDS bank twice, in any layout of the operands."""

from __future__ import annotations

import pytest
from gemm_case import LAYOUTS, Case
from lds_traffic import watched

from gemm_ladder.compiler.pipelines import expand, levels
from gemm_ladder.runtime.sim.lds_model import conflicts

READS = {"ds_load_b128", "ds_load_tr16_b128"}
# Rows of 256 and 512 bytes in either direction; a wave grid that is no square.
OTHERS = (
    "import-matmul,tile-workgroup{shape=64x128x64 waves=2x4},promote-to-lds,matrix-core",
    "import-matmul,tile-workgroup{shape=64x256x256 waves=2x2},promote-to-lds,matrix-core",
)


def case(passes: str, layout: str) -> Case:
    return Case(256, 256, 256, layout, ("bf16", "bf16"), passes=passes)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("passes", [*levels("gfx1250"), *OTHERS])
def test_fragment_reads_are_free_of_conflicts(passes: str, layout: str) -> None:
    trace, _ = watched(case(passes, layout))
    assert READS & {access.line.mnemonic for access in trace.accesses}
    assert [str(found) for found in conflicts(trace)] == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_without_padding_they_conflict(layout: str) -> None:
    bare = ",".join(expand("level1", "gfx1250")).replace("promote-to-lds", "promote-to-lds{pad=0}")
    trace, _ = watched(case(bare, layout))
    assert {found.line.mnemonic for found in conflicts(trace)} == {
        name for name in READS if any(a.line.mnemonic == name for a in trace.accesses)
    }
