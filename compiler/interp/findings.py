"""What the interpreter reports: one finding a pair of ops, with a place, a wave and an element."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemm_ladder.compiler.interp.program import Op

EARLY = "use before arrival"
READERS = "write before all readers are done"
UNORDERED = "two writes without order"
STUCK = "wait that never completes"
ALIAS = "alias used before the ring is free"
MULTICAST = "multicast error"
PHASE = "barrier phase skipped"
UNSET = "read of LDS that nobody wrote"
OPEN_END = "copy in flight at the end"
OUTSIDE = "outside the operand"
PROXY = "write not fenced for the engine"
SHAPE = "parts that do not fit"

MOST = 16


@dataclass(frozen=True)
class Finding:
    """One defect: its kind, the op that shows it, the op it conflicts with, and the sentence."""

    kind: str
    op: int
    other: int
    text: str


@dataclass
class Findings:
    """Findings of one launch, one for each kind and pair of ops, at most ``MOST``."""

    found: dict[tuple[str, int, int], Finding] = field(default_factory=dict)
    dropped: int = 0

    def add(self, kind: str, op: Op, other: Op | None, text: str) -> None:
        """Note a defect; a second of the same kind between the same ops says nothing new."""
        key = (kind, op.uid, -1 if other is None else other.uid)
        if key in self.found:
            return
        if len(self.found) >= MOST:
            self.dropped += 1
            return
        self.found[key] = Finding(*key, text=f"{kind}: {text}")

    def merge(self, others: Findings) -> None:
        """Add the findings of another batch."""
        for key, finding in others.found.items():
            if key in self.found:
                continue
            if len(self.found) < MOST:
                self.found[key] = finding
            else:
                self.dropped += 1
        self.dropped += others.dropped

    def lines(self) -> tuple[str, ...]:
        """All, one line each, in the order of discovery."""
        lines = [finding.text for finding in self.found.values()]
        if self.dropped:
            lines.append(f"{self.dropped} more findings like these")
        return tuple(lines)
