"""What every gfx1250 level has to reach, judged by its facts against the published level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gfx1250_published import MAX_INSTRUCTIONS, Published

Facts = Mapping[str, Any]
# One complaint, "" if the level meets it.
Judge = Callable[[Facts, Published], str]
SUBSTEPS = 4


@dataclass(frozen=True)
class Requirement:
    """A rule for the levels ``first`` to ``last``; ``kinds`` restricts operand layouts."""

    text: str
    judge: Judge
    first: int = 0
    last: int = 12
    layouts: tuple[str, ...] = ("nn", "nt", "tn", "tt")

    def applies(self, row: Published, layout: str) -> bool:
        """Whether the rule is about this level and layout."""
        return self.first <= row.level <= self.last and layout in self.layouts


def _at_most(what: str, key: str, limit: Callable[[Published], float]) -> Judge:
    def judge(facts: Facts, row: Published) -> str:
        found, most = facts[key], limit(row)
        return "" if found <= most else f"{found:,} {what}, at most {most:,}"

    return judge


def _occupancy(facts: Facts, row: Published) -> str:
    found = facts["workgroups"]
    return "" if found >= row.workgroups else f"{found} workgroups, published {row.workgroups}"


def _copy_drains(facts: Facts, row: Published) -> str:
    found = sum(facts[f"{counter}_full"] for counter in ("loadcnt", "asynccnt", "tensorcnt"))
    return "" if found <= row.copy_drains else f"{found} copy drains, at most {row.copy_drains}"


def _barriers(facts: Facts, row: Published) -> str:
    for scope, wanted in (("workgroup", row.barriers), ("cluster", row.cluster_barriers)):
        found = facts[f"{scope}_signals"], facts[f"{scope}_waits"]
        if found != (wanted, wanted):
            return f"{scope} barrier: {found[0]} signals and {found[1]} waits, published {wanted}"
    return ""


def _loads_per_matrix(facts: Facts, row: Published) -> str:
    found, wanted = facts["lds_loads"] / facts["matrix"], row.lds_loads / row.matrix
    return "" if found == wanted else f"{found:g} LDS loads per WMMA, published {wanted:g}"


def _interleaved(facts: Facts, row: Published) -> str:
    groups = facts["interleave"]
    if len(groups) >= 2 * SUBSTEPS:
        return ""
    return f"LDS loads and WMMAs alternate {len(groups)} times, fenced substeps {SUBSTEPS} times"


def _pinned(facts: Facts, row: Published) -> str:
    found = sum(1 for group in facts["interleave"] if group == [6, 8])
    # Four a substep in three substeps; the scheduler may blur the seams.
    return "" if found >= 9 else f"{found} groups of 6 LDS loads and 8 WMMAs, 9 of 12 wanted"


def _carried(facts: Facts, row: Published) -> str:
    behind = facts["behind_handoff"]
    if behind.get("lds_loads", 0) >= row.lds_loads // SUBSTEPS and behind.get("matrix", 0) >= 10:
        return ""
    return f"behind the hand-off {behind.get('lds_loads', 0)} LDS loads, and then " + (
        f"{behind.get('matrix', 0)} WMMAs"
    )


def _window(facts: Facts, row: Published) -> str:
    found = facts[f"{row.window_scope}_window"]
    if found >= row.window:
        return ""
    return f"{found} WMMAs in the {row.window_scope} barrier's window, published {row.window}"


def _issuers(facts: Facts, row: Published) -> str:
    if facts["tdm_fills"] == 2 and facts["tdm_waves"] == [0, 1]:
        return ""
    return f"{facts['tdm_fills']:g} TDM loads a K block, from waves {facts['tdm_waves']}"


def _banks(facts: Facts, row: Published) -> str:
    found = facts["bank_conflicts"]
    return f"{len(found)} instructions, first {found[0]}" if found else ""


def _partitions(facts: Facts, row: Published) -> str:
    shared = facts["shared_partitions"]
    return f"A and B of a stage share partition {shared}" if shared else ""


def _instructions(facts: Facts, row: Published) -> str:
    found = facts["valu"] + facts["salu"]
    most = MAX_INSTRUCTIONS
    return "" if found <= most else f"{found} VALU and SALU instructions, at most {most}"


def _lds_drains(row: Published) -> int:
    """One, of the reads; fills through registers are stores to LDS, and drain as well."""
    return max(2 if row.copies == "vector" else 1, row.wait_full)


REQUIREMENTS = (
    Requirement("no spills, no scratch", _at_most("bytes or registers", "spills", lambda r: 0)),
    Requirement("no fewer workgroups a processor", _occupancy),
    # Transposed operands need more padding; the published ones have K along their rows.
    Requirement(
        "no more LDS", _at_most("B of LDS", "lds_bytes", lambda r: r.lds_bytes), layouts=("nt",)
    ),
    Requirement(
        "full LDS drains in a K block",
        _at_most("full drains", "dscnt_full", _lds_drains),
    ),
    Requirement("copy drains in a K block", _copy_drains),
    Requirement("the published barriers", _barriers),
    Requirement(
        "registers of one wave a SIMD",
        _at_most("VGPRs", "vgprs", lambda r: r.vgprs or 0),
        first=11,
        last=11,
    ),
    Requirement("LDS loads per WMMA", _loads_per_matrix, first=11),
    Requirement("interleaved, not fenced", _interleaved, first=5, last=10),
    Requirement("6 LDS loads : 8 WMMAs visible", _pinned, first=12),
    Requirement("next stage loaded inside the last product", _carried, first=12),
    Requirement("products in the split barrier's window", _window, first=8),
    Requirement("two TDM loads, of waves 0 and 1", _issuers, first=7),
    Requirement("no bank conflict", _banks),
    Requirement("A and B in different partitions", _partitions, first=6),
    Requirement("address arithmetic outside the K loop", _instructions, first=7),
)


def verdicts(facts: Facts, row: Published, layout: str) -> dict[str, str]:
    """Each requirement's text and complaint, "" where it is met."""
    return {rule.text: rule.judge(facts, row) for rule in REQUIREMENTS if rule.applies(row, layout)}
