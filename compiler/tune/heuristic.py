"""Options for a shape without a search: the tile that keeps the most processors busy the longest.

A rough model of Hopper, good enough to pick among a few tiles and to be beaten by `ladder tune`:
a round of workgroups takes as long as one tile; a tile takes its products at the rate that its
shape reaches when the processor is full, or its bytes at a processor's share of memory, and a fixed
time to start and to store.
"""

from __future__ import annotations

from dataclasses import dataclass

PROCESSORS = 132  # SMs of an H200
SHARED = 232_448 - 1024  # bytes a workgroup can have, less what mbarriers take
DEPTH = 64  # K of a stage: one row of 128 swizzled bytes
_MOST_STAGES = 8


@dataclass(frozen=True)
class Tile:
    """A workgroup's tile, the waves that multiply it, and the share of peak that it reaches."""

    m: int
    n: int
    waves: int
    rate: float

    def bytes(self, out_bytes: int) -> tuple[int, int]:
        """(a stage of A and B, the staged part of C)."""
        return 2 * DEPTH * (self.m + self.n), out_bytes * self.m * self.n


# Rates against the first tile's where both fill their rounds, measured on an H200 with
# benchmarks/h200_ladder.py: 16384x1280x8192, 2048x5120x5120 and 512x14336x4096; those of the last
# four only by what they share.
TILES = (
    Tile(128, 256, 8, 1.0),
    Tile(128, 128, 8, 0.95),
    Tile(128, 64, 8, 0.66),
    Tile(64, 256, 4, 0.86),
    Tile(64, 128, 4, 0.62),
    Tile(64, 64, 4, 0.42),
    Tile(64, 32, 4, 0.25),
)

_PEAK = 800e12 / PROCESSORS  # FLOP/s of a processor that is fed
_MEMORY = 4.4e12  # bytes/s of the whole chip
_MUCH = 8192  # K from which workgroups share B
_FIXED = 3e-6  # seconds to fill the pipeline and to store a tile


@dataclass(frozen=True)
class Choice:
    """A tile, its stages and cluster; ``staged``: C goes through shared memory; ``persistent``: a
    workgroup takes several tiles."""

    tile: Tile
    stages: int
    cluster: tuple[int, int]
    staged: bool
    persistent: bool


def choose(m: int, n: int, k: int, out_bytes: int = 2) -> Choice:
    """The choice that the model takes to be the fastest, for C [m, n] of ``out_bytes``."""
    tile = min(TILES, key=lambda t: _seconds(t, m, n, k))
    return _fitted(tile, m, n, k, out_bytes)


def _seconds(tile: Tile, m: int, n: int, k: int) -> float:
    tiles = -(-m // tile.m) * -(-n // tile.n)
    rounds = -(-tiles // PROCESSORS)
    products = 2 * tile.m * tile.n * k / (_PEAK * tile.rate)
    busy = min(tiles, PROCESSORS)
    # Every byte of the smaller operand comes from L2 after the first time.
    own = 2 * k * (min(tile.m, m) + min(tile.n, n)) * busy
    streamed = own / (2.5 * _MEMORY)
    whole = 2 * (m * k + n * k + m * n) / _MEMORY
    return max(rounds * max(products, streamed), whole) + _FIXED


def _fitted(tile: Tile, m: int, n: int, k: int, out_bytes: int) -> Choice:
    stage, output = tile.bytes(out_bytes)
    # Rows of less than a swizzled block gain nothing from staging.
    staged = tile.n * out_bytes >= 128 and output + 3 * stage <= SHARED
    room = SHARED - (output if staged else 0)
    stages = min(room // stage, _MOST_STAGES, max(2, -(-k // DEPTH)))
    rows, cols = -(-m // tile.m), -(-n // tile.n)
    # Multicast spares L2; waiting for a peer costs more where there is little to share.
    shared = k >= _MUCH and rows * cols >= 2 * PROCESSORS
    cluster = (2, 1) if shared and rows % 2 == 0 else (1, 1)
    return Choice(tile, stages, cluster, staged, rows * cols > PROCESSORS)


def pipeline(m: int, n: int, k: int, out_bytes: int = 2) -> str:
    """Level 12's passes with the options of choose()."""
    chosen = choose(m, n, k, out_bytes)
    tile, (x, y) = chosen.tile, chosen.cluster
    passes = [
        "import-matmul",
        f"tile-workgroup{{shape={tile.m}x{tile.n}x{DEPTH} waves={tile.waves}x1}}",
        "promote-to-lds",
        "matrix-core",
        f"multi-buffer{{stages={chosen.stages}}}",
        "async-copies",
        "swizzle-lds",
        "copy-engine",
        "wgmma",
        "split-barriers",
        f"cluster-multicast{{dims={x}x{y}}}" if x * y > 1 else "",
        "stage-epilogue{alias=false}" if chosen.staged else "",
        "warp-specialize",
        "persistent" if chosen.persistent else "",
        "rasterize" if chosen.persistent else "",
    ]
    return ",".join(text for text in passes if text)
