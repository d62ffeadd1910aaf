"""Every gfx1250 level meets its specification, and the specification can be missed."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from gemm_ladder.compiler.pipelines import levels
from gemm_ladder.compiler.problem import Problem

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from gfx1250_published import LEVELS, published
from gfx1250_requirements import REQUIREMENTS, verdicts
from gfx1250_spec import examine

# What a page of the guide runs for its level, tests/test_readme.py runs: a miss fails it.
DOCS = Path(__file__).parents[2] / "docs"
SHOWN = re.compile(r"^\$ python benchmarks/gfx1250_spec.py --levels (\S+) --no-peer$", re.MULTILINE)
IN_DOCS = {name for page in DOCS.glob("*.md") for name in SHOWN.findall(page.read_text("utf-8"))}


@pytest.mark.parametrize("name", [name for name in levels("gfx1250") if name not in IN_DOCS])
def test_level(name: str) -> None:
    row = published(name)
    assert row is not None
    found = examine(Problem(8192, 8192, 8192), name, row)
    assert found.get("error") is None
    missed = {text: complaint for text, complaint in found["verdicts"].items() if complaint}
    assert missed == {}


def ideal(number: int) -> dict[str, Any]:
    """Facts of a level exactly as published, without a spill."""
    row = LEVELS[number]
    groups = [[6, 8]] * 12 + [[6, 5]] * 4
    return {
        "vgprs": row.vgprs or 480, "workgroups": row.workgroups, "lds_bytes": row.lds_bytes,
        "spills": 0, "matrix": row.matrix, "lds_loads": row.lds_loads, "valu": 20, "salu": 20,
        "dscnt_full": row.wait_full, "interleave": groups, "loadcnt_full": 0, "asynccnt_full": 0,
        "tensorcnt_full": row.copy_drains, "workgroup_signals": row.barriers,
        "workgroup_waits": row.barriers, "cluster_signals": row.cluster_barriers,
        "cluster_waits": row.cluster_barriers, "workgroup_window": row.window,
        "cluster_window": row.window, "behind_handoff": {"lds_loads": 24, "matrix": 20},
        "tdm_fills": 2, "tdm_waves": [0, 1], "bank_conflicts": [], "shared_partitions": [],
    }  # fmt: skip


@pytest.mark.parametrize("number", range(13))
def test_the_published_kernels_meet_it_but_for_the_spill(number: int) -> None:
    assert set(verdicts(ideal(number), LEVELS[number], "nt").values()) == {""}


# Each requirement, the highest level it is for, and what misses it.
WORSE: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("no spills, no scratch", 12, {"spills": 29}),
    ("no fewer workgroups a processor", 3, {"workgroups": 1}),
    ("no more LDS", 12, {"lds_bytes": 278529}),
    ("full LDS drains in a K block", 12, {"dscnt_full": 2}),
    ("copy drains in a K block", 12, {"asynccnt_full": 1}),
    ("the published barriers", 12, {"cluster_waits": 0}),
    ("registers of one wave a SIMD", 11, {"vgprs": 911}),
    ("LDS loads per WMMA", 12, {"lds_loads": 128}),
    ("interleaved, not fenced", 10, {"interleave": [[32, 16], [16, 16], [16, 32]]}),
    ("6 LDS loads : 8 WMMAs visible", 12, {"interleave": [[5, 8]] * 16}),
    ("next stage loaded inside the last product", 12, {"behind_handoff": {"lds_loads": 24}}),
    ("products in the split barrier's window", 12, {"cluster_window": 12}),
    ("two TDM loads, of waves 0 and 1", 12, {"tdm_waves": [0, 2]}),
    ("no bank conflict", 12, {"bank_conflicts": ["line 1"]}),
    ("A and B in different partitions", 12, {"shared_partitions": [1]}),
    ("address arithmetic outside the K loop", 12, {"valu": 21}),
)


@pytest.mark.parametrize(("text", "number", "change"), WORSE, ids=[w[0] for w in WORSE])
def test_a_worse_kernel_misses_it(text: str, number: int, change: dict[str, Any]) -> None:
    found = verdicts(ideal(number) | change, LEVELS[number], "nt")
    assert [name for name, complaint in found.items() if complaint] == [text]


def test_every_requirement_can_be_missed() -> None:
    assert [rule.text for rule in REQUIREMENTS] == [worse[0] for worse in WORSE]
