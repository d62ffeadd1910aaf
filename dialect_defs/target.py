"""Facts about a target: budgets, capabilities, and which lane of a wave holds which element.

The values live in compiler/targets/<name>.toml, each beside its source; this is their shape.
"""

from __future__ import annotations

from dataclasses import dataclass


class TargetError(ValueError):
    """A target's facts are inconsistent; the message names the fact."""


@dataclass(frozen=True)
class LaneMap:
    """Which element of a matrix each lane's vector holds, as a map linear over bits.

    Element ``slot`` of lane ``lane`` is the matrix element whose (row, col) is the sum of
    ``lanes[i]`` over the set bits i of ``lane`` and ``slots[j]`` over the set bits j of ``slot``.
    All that is there ``copies`` times, ``step`` apart: the slots of a copy follow the last one's.
    """

    lanes: tuple[tuple[int, int], ...]
    slots: tuple[tuple[int, int], ...]
    copies: int = 1
    step: tuple[int, int] = (0, 0)

    def transposed(self) -> LaneMap:
        """The map of the transposed matrix."""

        def swap(bits: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
            return tuple((c, r) for r, c in bits)

        (step,) = swap((self.step,))
        return LaneMap(swap(self.lanes), swap(self.slots), self.copies, step)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols) of the matrix."""
        bits = [*self.lanes, *self.slots, *[self.step] * (self.copies - 1)]
        return 1 + sum(r for r, _ in bits), 1 + sum(c for _, c in bits)

    @property
    def slot_count(self) -> int:
        """Elements a lane holds."""
        return int(2 ** len(self.slots)) * self.copies

    def slot_offset(self, slot: int) -> tuple[int, int]:
        """(row, col) of ``slot`` relative to the lane's first element."""
        copy, within = divmod(slot, int(2 ** len(self.slots)))
        row, col = _sum(self.slots, within)
        return row + copy * self.step[0], col + copy * self.step[1]

    def lane_offset(self, lane: int) -> tuple[int, int]:
        """(row, col) of slot 0 of ``lane``."""
        return _sum(self.lanes, lane)


def _sum(bits: tuple[tuple[int, int], ...], index: int) -> tuple[int, int]:
    chosen = [b for i, b in enumerate(bits) if index >> i & 1]
    return sum(r for r, _ in chosen), sum(c for _, c in chosen)


@dataclass(frozen=True)
class Atom:
    """One matrix instruction: acc[m, n] += a[m, k] * b[k, n].

    ``a``, ``b``, ``acc`` are element types as MLIR spells them; ``op`` is the operation that the
    target's lowering emits. Lane maps are of a [m, k], b [k, n] and acc [m, n]. ``symmetric`` says
    that a and b share one map up to transposition, so that mma(b, a) computes the transpose.
    ``waves`` consecutive waves execute it together, each on its own ``m`` rows, all on one b; then
    both operands are in LDS, or a in registers; the map of an operand that never is has no bits.
    """

    name: str
    op: str
    m: int
    n: int
    k: int
    a: str
    b: str
    acc: str
    a_map: LaneMap
    b_map: LaneMap
    acc_map: LaneMap
    waves: int = 1

    @property
    def symmetric(self) -> bool:
        """Whether operands may be swapped to transpose the accumulator."""
        return self.m == self.n and self.a == self.b and self.a_map == self.b_map.transposed()


@dataclass(frozen=True)
class Engine:
    """Something that copies tiles between global memory and LDS beside the waves.

    ``align`` is the bytes to which base, row stride and extents of the global operand, and the
    tile, must be aligned, ``row_align`` that of a row of the tile. ``per_lane``: every lane of
    every wave moves its part and chooses where it goes, so that any LDS layout will do; otherwise
    a wave posts the whole tile. Then ``interval_max`` and ``pad_max`` bound the padding that it
    leaves (0: none), ``swizzles`` says that it can write blocks with an xor swizzle, and
    ``row_max`` bounds the elements of a row. ``null``: it has a form that copies nothing, so that
    it can be predicated. ``multicast``: one answer may serve several workgroups of a cluster.
    """

    name: str
    align: int
    row_align: int
    per_lane: bool
    interval_max: int
    pad_max: int
    swizzles: bool
    row_max: int
    null: bool
    multicast: bool


@dataclass(frozen=True)
class Target:
    """One target.

    ``lowering`` is the pass that lowers tile IR, ``backend`` the code generator, ``chip`` and
    ``features`` what it is told. ``simds`` is how many SIMD units share a workgroup's waves.
    ``registers_total`` is 32-bit registers of a workgroup's processor counted over lanes,
    ``registers_max`` the most that one lane can address, ``registers_granule`` what a lane gets
    more of at a time; ``waves_max`` is the waves that the processor holds. ``lds_bytes`` is what
    one workgroup can have; ``lds_align`` the bytes at whose multiples a ring may start;
    ``lds_bank_bytes`` the bytes that all banks serve at once; ``lds_partition_bytes`` what one LDS
    path serves at a time (0: LDS is not partitioned). ``fma_map`` distributes an accumulator of a
    product without an atom over the lanes. ``grid_max`` bounds the grid's three extents.
    ``cluster_max`` is the most workgroups of a cluster, ``multicast_max`` the most that one answer
    of memory may serve (0: none). ``engines`` go from the widest to the narrowest.
    """

    name: str
    lowering: str
    backend: str
    chip: str
    features: str
    device_archs: tuple[str, ...]
    capabilities: frozenset[str]
    wave_size: int
    simds: int
    threads_max: int
    registers_total: int
    registers_max: int
    registers_granule: int
    waves_max: int
    lds_bytes: int
    lds_align: int
    lds_bank_bytes: int
    lds_partition_bytes: int
    cluster_max: int
    multicast_max: int
    grid_max: tuple[int, int, int]
    fma_map: LaneMap
    engines: tuple[Engine, ...]
    atoms: tuple[Atom, ...]

    def has(self, capability: str) -> bool:
        """Whether the target has ``capability``."""
        return capability in self.capabilities

    def atom(self, name: str) -> Atom | None:
        """The atom called ``name``."""
        return next((a for a in self.atoms if a.name == name), None)

    def engine(self, name: str) -> Engine | None:
        """The copy engine called ``name``."""
        return next((e for e in self.engines if e.name == name), None)

    def register_budget(self, threads: int) -> int:
        """32-bit registers a lane of a workgroup of ``threads`` may use, the workgroup alone."""
        return min(self.registers_max, self.registers_total // threads)
