"""The shadow of a workgroup's LDS: who wrote each element last, and who has read it since."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gemm_ladder.compiler.interp import findings as kinds
from gemm_ladder.compiler.interp.clocks import OPEN, Access, Rect, Write, meeting, overlap
from gemm_ladder.compiler.interp.overlay import Overlay
from gemm_ladder.compiler.interp.values import Array
from gemm_ladder.dialect_defs.types import LdsType

if TYPE_CHECKING:
    from gemm_ladder.compiler.interp.findings import Findings
    from gemm_ladder.compiler.interp.program import Op

_PRUNE = 64


@dataclass
class Ring:
    """A ring of one workgroup: ``data`` [batch, stages, rows, cols] in f32, and its shadow.

    ``writer`` [stages, rows, cols] holds an index into ``Shadow.writes``, 0 where nobody wrote;
    ``reads`` lists the accesses of each stage that a later write has to come after; those that
    everyone has seen the end of are dropped when there are more than ``limits``.
    """

    name: str
    lds: LdsType
    data: Array
    writer: Array
    reads: list[list[Access]]
    limits: list[int]
    op: Op


@dataclass
class Shadow:
    """All rings of one workgroup. ``rank`` is the workgroup's number in its cluster."""

    rank: int
    findings: Findings
    overlay: Overlay
    rings: dict[int, Ring] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)

    def add(self, number: int, ring: Ring) -> None:
        """Make a ring known under value id ``number``."""
        self.rings[number] = ring
        self.overlay.add(number, ring.lds, ring.op)

    def read(self, access: Access, number: int, slot: int) -> None:
        """Check a read against the last writers of its elements, and remember it."""
        ring, rect, clock = self.rings[number], access.rect, access.wave.clock
        ids = ring.writer[slot, rect[0] : rect[1], rect[2] : rect[3]]
        for found in _distinct(ids):
            if found == 0:
                self._report_unset(access, ring, slot, ids)
                continue
            write = self.writes[found - 1]
            if write.ring != number:
                self._report_foreign(access, ring, slot, write)
            elif not write.before(clock):
                self._report_early(access, ring, slot, write)
            elif access.by_proxy:
                self._check_fence(access, ring, slot, write)
        reads = ring.reads[slot]
        reads.append(access)
        if len(reads) > ring.limits[slot]:
            floor = access.wave.machine.floor()
            ring.reads[slot] = [r for r in reads if not r.before(floor)]
            ring.limits[slot] = _PRUNE + 2 * len(ring.reads[slot])

    def write(self, access: Access, write: Write) -> None:
        """Check one wave's part of ``write`` and remember it."""
        if not write.parts:
            self._begin(write)
        write.parts.append(access)
        if access.generic:
            access.wave.written.append(access)
        ring = self.rings[write.ring]
        for other in write.replaced:
            if not other.before(access.wave.clock) and not other.in_order(access):
                self._report_two(access, ring, write, other)
        self._check_readers(access, write, write.ring, None)
        for number, mask in self.overlay.masks(write.ring, write.slot, write.rect):
            self._check_readers(access, write, number, mask)

    def _begin(self, write: Write) -> None:
        """Mark the elements; keep whom they belonged to."""
        self.writes.append(write)
        mine = len(self.writes)
        rect = write.rect
        view = self.rings[write.ring].writer[write.slot, rect[0] : rect[1], rect[2] : rect[3]]
        before = set(_distinct(view))
        view[...] = mine
        for number, mask in self.overlay.masks(write.ring, write.slot, write.rect):
            other = self.rings[number]
            before |= set(_distinct(other.writer[mask]))
            other.writer[mask] = mine
            other.data[:, mask] = np.nan
        write.replaced = tuple(self.writes[i - 1] for i in sorted(before) if i not in (0, mine))

    def _check_readers(self, access: Access, write: Write, number: int, mask: Array | None) -> None:
        """Readers of the elements must be done before ``access``; ``mask`` [stages, rows, cols]
        is given for another ring on the same bytes."""
        ring = self.rings[number]
        slots = range(ring.lds.stages) if mask is not None else (write.slot,)
        for slot in slots:
            for read in ring.reads[slot]:
                own = read.wave is access.wave and not (read.engine or access.engine)
                if own or read.before(access.wave.clock):
                    continue
                r = read.rect
                if mask is None:
                    hit = overlap(r, write.rect)
                else:
                    hit = bool(mask[slot, r[0] : r[1], r[2] : r[3]].any())
                if hit:
                    self._report_reader(access, write, read, number, slot)

    def _check_fence(self, access: Access, ring: Ring, slot: int, write: Write) -> None:
        bare = next((p for p in write.parts if p.generic and not p.fenced), None)
        if bare is not None:
            self._add(
                kinds.PROXY, access, bare,
                f"{_who(access)} reads {_where(ring, slot, access.rect)}, which {_who(bare)} wrote"
                ' without a tile.fence {proxy = "async"} behind it',
            )  # fmt: skip

    def _report_unset(self, access: Access, ring: Ring, slot: int, ids: Array) -> None:
        row, col = (int(x[0]) for x in np.nonzero(ids == 0))
        at = (access.rect[0] + row, 0, access.rect[2] + col, 0)
        self._add(
            kinds.UNSET,
            access,
            None,
            f"{_who(access)} reads {_where(ring, slot, at)}, never written",
        )

    def _report_foreign(self, access: Access, ring: Ring, slot: int, write: Write) -> None:
        part = write.culprit(access.wave.clock)
        over = self.rings[write.ring].name
        self._add(
            kinds.ALIAS, access, part,
            f"{_who(access)} reads {_where(ring, slot, access.rect)}, whose bytes {_who(part)} "
            f"overwrote as {over}",
        )  # fmt: skip

    def _report_early(self, access: Access, ring: Ring, slot: int, write: Write) -> None:
        part = write.culprit(access.wave.clock)
        row, col = meeting(access.rect, write.rect)
        missing = write.expected - len(write.parts)
        state = "is still under way" if part.time >= OPEN else "is over only for its own waves"
        if missing and part.before(access.wave.clock):
            state = f"lacks the part of {missing} of {write.expected} waves"
        self._add(
            kinds.EARLY, access, part,
            f"{_who(access)} reads {_where(ring, slot, (row, 0, col, 0))}; its write by "
            f"{_who(part)} {state}: no wait and barrier order the two",
        )  # fmt: skip

    def _report_two(self, access: Access, ring: Ring, write: Write, other: Write) -> None:
        part = other.culprit(access.wave.clock)
        row, col = write.rect[0], write.rect[2]
        kind = kinds.UNORDERED
        if other.ring == write.ring:
            row, col = meeting(write.rect, other.rect)
        else:
            kind = kinds.ALIAS
        self._add(
            kind, access, part,
            f"{_who(access)} writes {_where(ring, write.slot, (row, 0, col, 0))} while the write "
            f"by {_who(part)} is not over for it",
        )  # fmt: skip

    def _report_reader(
        self, access: Access, write: Write, read: Access, number: int, slot: int
    ) -> None:
        ring = self.rings[write.ring]
        kind, rect, seen = kinds.READERS, write.rect, ring
        if number != write.ring:
            kind, seen = kinds.ALIAS, self.rings[number]
        else:
            row, col = meeting(write.rect, read.rect)
            rect = (row, 0, col, 0)
        self._add(
            kind, access, read,
            f"{_who(access)} writes {_where(ring, write.slot, rect)} while {_who(read)} may still "
            f"read {seen.name}[slot {slot}]: its read is not behind a wait and barrier",
        )  # fmt: skip

    def _add(self, kind: str, access: Access, other: Access | None, text: str) -> None:
        self.findings.add(kind, access.op, None if other is None else other.op, text)


def _distinct(ids: Array) -> list[int]:
    """The different values of ``ids``; one comparison where all are the same."""
    if ids.size == 0:
        return []
    first = int(ids.flat[0])
    if bool((ids == first).all()):
        return [first]
    return [int(i) for i in np.unique(ids)]


def _who(access: Access) -> str:
    return f"{access.op} by {access.wave}"


def _where(ring: Ring, slot: int, rect: Rect) -> str:
    return f"{ring.name}[slot {slot}] element ({rect[0]}, {rect[2]})"


def make_ring(name: str, lds: LdsType, batch: int, op: Op) -> Ring:
    """A ring of NaN that nobody has written."""
    shape = (lds.stages, lds.rows, lds.cols)
    return Ring(
        name,
        lds,
        np.full((batch, *shape), np.nan, np.float32),
        np.zeros(shape, np.int32),
        [[] for _ in range(lds.stages)],
        [_PRUNE] * lds.stages,
        op,
    )
