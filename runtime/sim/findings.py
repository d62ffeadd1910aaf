"""What the simulator found wrong with a kernel: one record for each pair of instructions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from .asm import Line

if TYPE_CHECKING:
    from .state import Machine

KINDS = {
    "missing-wait": "a register or LDS byte is used before the wait that makes it ready",
    "race": "two waves touch one LDS location, one writes, and no barrier orders them",
    "uninitialised": "a value that nobody wrote decides a result, an address or a branch",
    "out-of-bounds": "an access outside its allocation",
    "misaligned": "an address the instruction may not have",
    "multicast": "a multicast mask that the cluster's workgroups do not agree on",
    "barrier": "a barrier used against its rules",
}
MOST = 200


@dataclass(frozen=True)
class Finding:
    """A fault with the instruction that shows it and, if there is one, that which caused it.

    `line` and `other_line` are 1-based lines of the assembly; `source` is the debug line's
    "file:line:column" there, "" if the assembly carries none. `address` is a byte address in LDS or
    global memory, `lane` the first lane affected; `count` says how many launches' batches showed
    the same pair of instructions.
    """

    kind: str
    message: str
    line: int
    text: str
    source: str = ""
    other_line: int = 0
    other_text: str = ""
    other_source: str = ""
    workgroup: tuple[int, int, int] = (0, 0, 0)
    wave: int = 0
    lane: int | None = None
    address: int | None = None
    count: int = 1

    def __str__(self) -> str:
        place = f"workgroup {self.workgroup} wave {self.wave}"
        if self.lane is not None:
            place += f" lane {self.lane}"
        if self.address is not None:
            place += f" address {self.address:#x}"
        text = f"{self.kind}: line {self.line}: `{self.text}`{_from(self.source)}: {self.message}"
        if self.other_line:
            other = f"line {self.other_line}: `{self.other_text}`{_from(self.other_source)}"
            text += f"; the other is {other}"
        times = f" ({self.count} times)" if self.count > 1 else ""
        return f"{text}; {place}{times}"

    def to_json(self) -> dict[str, object]:
        """All fields, for `--findings json`."""
        return asdict(self)


def _from(source: str) -> str:
    return f" (from {source})" if source else ""


@dataclass
class Findings:
    """Findings of one launch; the same pair of instructions counts up one record."""

    found: dict[tuple[str, int, int], Finding] = field(default_factory=dict)
    dropped: int = 0

    def add(
        self,
        kind: str,
        line: Line,
        message: str,
        machine: Machine,
        wave: int,
        *,
        lane: int | None = None,
        address: int | None = None,
        other: Line | None = None,
    ) -> None:
        """Record a fault of machine wave `wave` at `line`."""
        key = (kind, line.number, other.number if other else 0)
        known = self.found.get(key)
        if known is not None:
            self.found[key] = replace(known, count=known.count + 1)
            return
        if len(self.found) >= MOST:
            self.dropped += 1
            return
        self.found[key] = Finding(
            kind, message, line.number, line.text, line.source,
            other.number if other else 0, other.text if other else "",
            other.source if other else "", machine.workgroup_id(wave),
            wave % machine.waves_per_group, lane, address,
        )  # fmt: skip

    def all(self) -> list[Finding]:
        """The findings in the order in which they first showed."""
        return list(self.found.values())
