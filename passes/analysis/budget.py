"""What a kernel uses of the target's LDS and registers, and the refusal when it is too much."""

from __future__ import annotations

from gemm_ladder.dialect_defs.types import FragType, element_bytes
from gemm_ladder.passes.analysis.kernel import Kernel
from gemm_ladder.passes.analysis.lds_places import place_lds


def check_lds(kernel: Kernel) -> None:
    """Raise PassError, with the sum, if the kernel's rings do not fit the target's LDS."""
    place_lds(kernel.body, kernel.target)


def fragment_registers(frag: FragType, wave_size: int) -> int:
    """32-bit registers a lane needs for ``frag``, spread evenly over the wave."""
    return -(-frag.rows * frag.cols * element_bytes(frag.elem) // (4 * wave_size))
