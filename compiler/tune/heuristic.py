"""Options for a shape without a search: the tile that keeps the most processors busy the longest.

A rough model of Hopper, good enough to pick among a few tiles and to be beaten by `ladder tune`:
a round of workgroups takes as long as one tile; a tile takes its products at the rate that its
shape reaches when the processor is full, or its bytes at a processor's share of memory, and a fixed
time to start and to store.
"""

from __future__ import annotations

from dataclasses import dataclass

from gemm_ladder.passes.analysis.staging import equal_parts

PROCESSORS = 132  # SMs of an H200
SHARED = 232_448 - 1024  # bytes a workgroup can have, less what mbarriers take
_PEAK = 800e12 / PROCESSORS  # FLOP/s of a processor that is fed
_MEMORY = 4.4e12  # bytes/s of the whole chip
_L2 = 11e12  # bytes/s from L2 to all processors
_FIXED = 3e-6  # seconds to fill the pipeline and to store a tile
_COLUMNS = 128  # of C are staged at a time at most
_BLOCK = 64  # columns that a tile of B has a multiple of where they are contiguous in memory
_MOST_STAGES = 8
_ROWS = 16  # of tiles in a group: with 8 columns of 256 a round reads as much of A as of B


@dataclass(frozen=True)
class Tile:
    """A workgroup's tile, the waves that multiply it, and the share of peak that it reaches."""

    m: int
    n: int
    waves: int
    rate: float

    def bytes(self, depth: int, out_bytes: int) -> tuple[int, int]:
        """(a stage of A and B of ``depth`` elements, the part of C that is staged at a time)."""
        return 2 * depth * (self.m + self.n), out_bytes * self.m * self.columns

    @property
    def columns(self) -> int:
        """Columns of C that are staged at a time: an equal part of the tile's, as the pass does."""
        return equal_parts(self.n, _COLUMNS)[-1]


# Rates against the first tile's where both fill their rounds, measured on an H200 as
# benchmarks/h200_shapes.py does: tiles of 128 rows at its shapes, every width at each of them, and
# at 16896x26880x1024 and x4096 (every width fills its rounds); those of the last four only by what
# they share.
TILES = (
    Tile(128, 256, 8, 1.0),
    Tile(128, 224, 8, 0.97),
    Tile(128, 192, 8, 1.0),
    Tile(128, 160, 8, 0.96),
    Tile(128, 128, 8, 0.95),
    Tile(64, 256, 4, 0.86),
    Tile(64, 128, 4, 0.66),
    Tile(128, 64, 8, 0.62),
    Tile(64, 64, 4, 0.42),
    Tile(64, 32, 4, 0.25),
)


@dataclass(frozen=True)
class Choice:
    """A tile, K of a stage and stages, the cluster; ``staged``: C goes through shared memory;
    ``group``: rows of clusters in a persistent kernel's order, 0: each tile has a workgroup."""

    tile: Tile
    depth: int
    stages: int
    cluster: tuple[int, int]
    staged: bool
    group: int


def choose(m: int, n: int, k: int, out_bytes: int = 2, b_order: str = "nk") -> Choice:
    """The choice that the model takes to be the fastest, for C [m, n] of ``out_bytes``."""
    legal = [tile for tile in TILES if b_order == "nk" or tile.n % min(_BLOCK, tile.n) == 0]
    tile = min(legal, key=lambda t: _seconds(t, m, n, k))
    rows, cols = -(-m // tile.m), -(-n // tile.n)
    one_round = rows * cols <= PROCESSORS
    # Where memory is what a round waits for, long stages keep more of it under way.
    depth = 128 if one_round and _fed_by_memory(tile, m, n, k) else 64
    stage, output = tile.bytes(depth, out_bytes)
    # Rows of less than a swizzled block gain nothing from staging.
    staged = tile.n * out_bytes >= 128 and output + 3 * stage <= SHARED
    room = SHARED - (output if staged else 0)
    stages = min(room // stage, _MOST_STAGES, max(2, -(-k // depth)))
    # Multicast spares L2, which reads more for rows that start amid its lines; else nothing.
    shared = k % 64 and rows * cols >= 2 * PROCESSORS and rows % 2 == 0
    cluster = (2, 1) if shared else (1, 1)
    group = 0 if one_round else _ROWS // cluster[0]
    return Choice(tile, depth, stages, cluster, staged, group)


def _seconds(tile: Tile, m: int, n: int, k: int) -> float:
    tiles = -(-m // tile.m) * -(-n // tile.n)
    products = 2 * tile.m * tile.n * k / (_PEAK * tile.rate)
    streamed = 2 * k * (min(tile.m, m) + min(tile.n, n)) * min(tiles, PROCESSORS) / _L2
    rounds = -(-tiles // PROCESSORS)
    return max(rounds * max(products, streamed), _whole(m, n, k)) + _FIXED


def _whole(m: int, n: int, k: int) -> float:
    """Seconds to read A and B once and to write C."""
    return 2 * (m * k + n * k + m * n) / _MEMORY


def _fed_by_memory(tile: Tile, m: int, n: int, k: int) -> bool:
    return 2 * tile.m * tile.n * k / _PEAK < 2 * _whole(m, n, k)


def pipeline(m: int, n: int, k: int, out_bytes: int = 2, b_order: str = "nk") -> str:
    """Level 12's passes with the options of choose()."""
    chosen = choose(m, n, k, out_bytes, b_order)
    tile, (x, y) = chosen.tile, chosen.cluster
    passes = [
        "import-matmul",
        f"tile-workgroup{{shape={tile.m}x{tile.n}x{chosen.depth} waves={tile.waves}x1}}",
        "promote-to-lds",
        "matrix-core",
        f"multi-buffer{{stages={chosen.stages}}}",
        "async-copies",
        "swizzle-lds",
        "copy-engine",
        "wgmma",
        "split-barriers",
        f"cluster-multicast{{dims={x}x{y}}}" if x * y > 1 else "",
        f"stage-epilogue{{alias=false columns={_COLUMNS}}}" if chosen.staged else "",
        "warp-specialize",
        "persistent" if chosen.group else "",
        f"rasterize{{group={chosen.group}}}" if chosen.group else "",
        "split-epilogue" if chosen.staged else "",
    ]
    return ",".join(text for text in passes if text)
