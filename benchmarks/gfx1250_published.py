"""The published GEMM ladder of MI455X (gfx1250): what each level's kernel uses and reached.

Sources, of every number below:
  LADDER   AMD and HazyResearch, "An Educational GEMM Ladder for Helios GPUs", 14 Sep 2026: steps,
           waits and barriers of the pseudocode, matrix instructions in the barrier's window.
  README   HazyResearch/HipKittens, kernels/cdna5/gemm/bf16fp32/gfx1250/README of 3 Aug 2026:
           TFLOP/s of levels 0 to 9, registers, LDS, workgroups on a processor.
  derived  TFLOP/s of levels 10 to 12 from level 9's and LADDER's steps; matrix instructions and
           LDS loads of a K block from the tile, 16 x 16 x 32 an instruction, 16 bytes a load.
8192 x 8192 x 8192, bf16 in and out, f32 accumulation, both operands with K along their rows. The
waits are those of the source; a compiler adds partial ones.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_INSTRUCTIONS = 40  # VALU and SALU of a K block and wave from level 7 on; this project's goal


@dataclass(frozen=True)
class Published:
    """One level: tiles are (m, n) and k; registers and LDS of one workgroup's kernel, bytes.

    ``wait_full``, ``wait_partial`` count waits on LDS reads in a K block, ``copy_drains`` waits for
    all copies, ``barriers`` the workgroup's. ``window`` counts matrix instructions between signal
    and wait of the barrier that ``window_scope`` names. None: not published.
    """

    level: int
    tile: tuple[int, int, int]
    waves: tuple[int, int]
    vgprs: int | None
    sgprs: int | None
    lds_bytes: int
    workgroups: int
    copies: str
    wait_full: int
    wait_partial: int
    copy_drains: int = 1
    barriers: int = 1
    cluster_barriers: int = 0
    window: int = 0
    window_scope: str = "workgroup"
    spills: int = 0
    step: str = ""
    tflops: float | None = None

    @property
    def wave_tile(self) -> tuple[int, int]:
        """(m, n) of one wave."""
        return self.tile[0] // self.waves[0], self.tile[1] // self.waves[1]

    @property
    def accumulators(self) -> int:
        """f32 accumulators of a lane."""
        return self.wave_tile[0] * self.wave_tile[1] // 32

    @property
    def matrix(self) -> int:
        """Matrix instructions of a K block and wave."""
        return self.accumulators // 8 * (self.tile[2] // 32)

    @property
    def lds_loads(self) -> int:
        """16-byte LDS loads of a K block and wave: two a 16 x 32 fragment."""
        return sum(self.wave_tile) // 16 * 2 * (self.tile[2] // 32)


_SMALL, _MIDDLE = (64, 64, 32), (128, 128, 32)
_LARGE, _DEEP = (256, 256, 32), (256, 256, 128)
_FOUR = (4, 4)

# fmt: off
LEVELS = (
    Published(0, _SMALL, (2, 2), 84, 40, 8704, 10, "vector", 2, 0, copy_drains=2, barriers=2,
              tflops=366.9),
    Published(1, _SMALL, (2, 2), 82, 38, 17408, 10, "vector", 1, 0, step="< 1 %", tflops=369.1),
    Published(2, _SMALL, (2, 2), 83, 30, 17408, 10, "async", 1, 0, step="+48 %", tflops=606.0),
    Published(3, _MIDDLE, _FOUR, 94, 26, 34816, 2, "async", 1, 0, step="+80 %", tflops=1087.3),
    Published(4, _LARGE, _FOUR, 220, 26, 69632, 1, "async", 1, 0, step="+25 %", tflops=1363.9),
    Published(5, _DEEP, _FOUR, 226, 26, 278528, 1, "async", 1, 3, step="+19 %", tflops=1596.1),
    Published(6, _DEEP, _FOUR, 226, 26, 278528, 1, "async", 1, 3, step="0 %", tflops=1599.1),
    Published(7, _DEEP, _FOUR, 222, 46, 278528, 1, "tdm", 1, 3, step="+38 %", tflops=2198.1),
    Published(8, _DEEP, _FOUR, 234, 46, 278528, 1, "tdm", 1, 3, window=16, step="+4 %",
              tflops=2304.1),
    Published(9, _DEEP, _FOUR, 220, 50, 278528, 1, "tdm", 1, 3, cluster_barriers=1, window=16,
              step="+7 %", tflops=2450.3),
    Published(10, _DEEP, _FOUR, 220, 46, 278528, 1, "tdm", 1, 3, cluster_barriers=1, window=16,
              step="+8 %", tflops=2646),
    Published(11, _DEEP, (2, 2), 910, 54, 278528, 1, "tdm", 1, 3, cluster_barriers=1, window=64,
              step="+6 %", tflops=2805),
    Published(12, _DEEP, (4, 2), None, None, 278528, 1, "tdm", 1, 0, cluster_barriers=1, window=20,
              window_scope="cluster", spills=29, step="+6 %", tflops=2973),
)
# fmt: on


def published(name: str) -> Published | None:
    """The published level that pipeline ``name`` ("level9", "level9-nomc") stands for."""
    number = name.removeprefix("level").partition("-")[0]
    return next((row for row in LEVELS if str(row.level) == number), None)
