"""What the interpreter reports: one finding a pair of ops, with a place, a wave and an element."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
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
    """One defect: its kind, the op that shows it, the op it conflicts with ("" for none), and the
    whole sentence; ``line`` and ``other_line`` are the ops' lines in the IR, 0 if unknown."""

    kind: str
    message: str
    line: int
    text: str
    other_line: int = 0
    other_text: str = ""


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
        sides = (op.line, str(op)) if other is None else (op.line, str(op), other.line, str(other))
        self.found[key] = Finding(kind, f"{kind}: {text}", *sides)

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
        lines = [finding.message for finding in self.found.values()]
        if self.dropped:
            lines.append(f"{self.dropped} more findings like these")
        return tuple(lines)

    def records(self) -> tuple[dict[str, object], ...]:
        """All, field by field."""
        return tuple(asdict(finding) for finding in self.found.values())
