"""The ladders as data: for each target a table of levels, in which every row adds one technique."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One level: the passes of level ``base`` with some replaced, dropped and added at the end.

    ``replace`` holds pass texts, each in the place of the base's pass of the same name; ``drop``
    names of passes; ``technique`` is what `ladder pipelines` says of the level.
    """

    technique: str
    base: str = ""
    add: tuple[str, ...] = ()
    replace: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def text(self) -> str:
        """The row as a table shows it: the base, what changes, what goes and what comes."""
        dropped = (f"without {name}" for name in self.drop)
        base = (self.base,) if self.base else ()
        return ", ".join((*base, *self.replace, *dropped, *self.add))


_FIRST = {
    "level0": Row(
        "naive: one LDS buffer, matrix core",
        add=(
            "import-matmul",
            "tile-workgroup{shape=64x64x32 waves=2x2}",
            "promote-to-lds",
            "matrix-core",
        ),
    ),
    "level1": Row(
        "double buffering: two stages in flight", "level0", add=("multi-buffer{stages=2}",)
    ),
}

# The published ladder of gfx1250, and its multicast-free variants.
_HELIOS = {
    **_FIRST,
    "level2": Row("copies that pass no registers", "level1", add=("async-copies",)),
    "level3": Row(
        "a larger tile: four times the workgroup's data reuse",
        "level2",
        replace=("tile-workgroup{shape=128x128x32 waves=4x4}",),
    ),
    "level4": Row(
        "the largest tile: 64x64 a wave",
        "level3",
        replace=("tile-workgroup{shape=256x256x32 waves=4x4}",),
    ),
    "level5": Row(
        "deep K: fragments of the next step load under the products of this one",
        "level4",
        replace=("tile-workgroup{shape=256x256x128 waves=4x4}",),
        add=("register-pipeline{slots=2}",),
    ),
    "level6": Row(
        "A and B of a stage in different LDS partitions", "level5", add=("partition-lds",)
    ),
    "level7": Row("a copy engine that two waves issue to", "level6", add=("copy-engine",)),
    "level8": Row("split barriers: arrive, last product, wait", "level7", add=("split-barriers",)),
    "level9": Row(
        "clusters of workgroups share A and B by multicast",
        "level8",
        add=("cluster-multicast{dims=4x4}",),
    ),
    "level10": Row(
        "C through LDS to wide stores; matrix instructions back to back",
        "level9",
        add=("stage-epilogue", "lock-simd"),
    ),
    "level11": Row(
        "one wave a SIMD: 128x128 a wave, three slots of fragments",
        "level10",
        replace=(
            "tile-workgroup{shape=256x256x128 waves=2x2}",
            "register-pipeline{slots=3}",
        ),
    ),
    "level12": Row(
        "two waves a SIMD: pinned interleave, last product cut by the hand-off",
        "level11",
        replace=(
            "tile-workgroup{shape=256x256x128 waves=4x2}",
            "register-pipeline{slots=2 carry=true}",
            "split-barriers{after=12}",
        ),
        add=("pin-schedule{ds=6 mma=8 repeat=4}",),
    ),
    **{
        f"level{number}-nomc": Row(
            f"level{number} without multicast",
            f"level{number}",
            replace=("cluster-multicast{dims=4x4 multicast=false}",),
        )
        for number in (9, 10, 11, 12)
    },
}

_HOPPER = {
    **_FIRST,
    # With one workgroup on a processor, two stages do not hide memory's latency.
    "level2": Row(
        "copies that pass no registers, two stages ahead",
        "level1",
        replace=("multi-buffer{stages=3}",),
        add=("async-copies",),
    ),
    "level3": Row(
        "a larger tile: four times the workgroup's data reuse",
        "level2",
        replace=("tile-workgroup{shape=128x128x32 waves=2x4}",),
    ),
    "level4": Row(
        "the largest tile: 64x64 a wave",
        "level3",
        replace=("tile-workgroup{shape=128x256x32 waves=2x4}",),
    ),
    "level5": Row(
        "deep K: fragments of the next step load under the products of this one",
        "level4",
        replace=("tile-workgroup{shape=128x256x64 waves=2x4}",),
        add=("register-pipeline{slots=2}",),
    ),
    "level6": Row("no padding: an xor swizzle keeps banks apart", "level5", add=("swizzle-lds",)),
    "level7-mma": Row("a copy engine that one thread issues to", "level6", add=("copy-engine",)),
    "level7": Row(
        "a copy engine, and matrix instructions that read its tiles in place",
        "level7-mma",
        replace=("tile-workgroup{shape=128x256x64 waves=8x1}",),
        drop=("register-pipeline",),
        add=("wgmma",),
    ),
    "level8": Row(
        "early release: full and empty barriers, four stages",
        "level7",
        replace=("multi-buffer{stages=4}",),
        add=("split-barriers",),
    ),
    "level9": Row(
        "clusters of two workgroups share B by multicast",
        "level8",
        add=("cluster-multicast{dims=2x1}",),
    ),
    "level10": Row("C through LDS to the copy engine", "level9", add=("stage-epilogue",)),
    "level11": Row(
        "warp specialisation: one warpgroup loads, two multiply",
        "level10",
        add=("warp-specialize",),
    ),
    "level12": Row(
        "a persistent grid, its rounds full, in an order that keeps tiles in L2; the epilogue under"
        " the next fills",
        "level11",
        replace=(
            "tile-workgroup{shape=128x256x64 waves=8x1 fit=132}",
            "multi-buffer{stages=4}",
            "stage-epilogue{alias=false columns=128}",
        ),
        add=("persistent", "rasterize", "split-epilogue"),
    ),
}

# A workgroup of sm_120 has 99 KB of shared memory, and the target no wgmma.
_BLACKWELL_RTX = {
    **{name: _HOPPER[name] for name in ("level0", "level1", "level2", "level3", "level4")},
    "level5": Row(
        "deep K: fragments of the next step load under the products of this one",
        "level3",
        replace=("tile-workgroup{shape=128x128x64 waves=2x4}", "multi-buffer{stages=2}"),
        add=("register-pipeline{slots=2}",),
    ),
    "level6": _HOPPER["level6"],
}

# Target -> level -> row.
LADDERS: dict[str, dict[str, Row]] = {
    "gfx1250": _HELIOS,
    "sm_90a": _HOPPER,
    "sm_120": _BLACKWELL_RTX,
}


def levels(target: str) -> list[str]:
    """The names of ``target``'s levels, lowest first."""
    return list(LADDERS[target])


def pass_name(text: str) -> str:
    """The name of the pass that entry ``text`` runs."""
    return text.partition("{")[0]


def expand(name: str, target: str) -> tuple[str, ...]:
    """The pass texts of level ``name`` of ``target``; KeyError if there is none."""
    row = LADDERS[target][name]
    texts = expand(row.base, target) if row.base else ()
    instead = {pass_name(text): text for text in row.replace}
    kept = (text for text in texts if pass_name(text) not in row.drop)
    return (*(instead.get(pass_name(text), text) for text in kept), *row.add)
