"""What a kernel uses of the target's LDS and registers, and the refusal when it is too much."""

from __future__ import annotations

from gemm_ladder.dialect_defs.tile import AllocOp
from gemm_ladder.dialect_defs.types import FragType, element_bytes
from gemm_ladder.passes.analysis.kernel import Kernel, ops_named
from gemm_ladder.passes.base import PassError


def check_lds(kernel: Kernel) -> None:
    """Raise PassError, with the sum, if the kernel's rings do not fit the target's LDS.

    A ring that aliases another is not counted again.
    """
    rings = [a for a in map(AllocOp, ops_named(kernel.body, "tile.alloc")) if not len(a.operands)]
    need, have = sum(r.lds.total_bytes for r in rings), kernel.target.lds_bytes
    if need <= have:
        return
    parts = [f"{r.str_attr('name', 'ring')} {r.lds.stages} x {r.lds.slot_bytes:,}" for r in rings]
    raise PassError(
        rings[-1],
        f"needs {need:,} B of LDS, {kernel.target.name} has {have:,} B: {' + '.join(parts)};"
        " try a smaller shape in tile-workgroup, or fewer stages",
    )


def fragment_registers(frag: FragType, wave_size: int) -> int:
    """32-bit registers a lane needs for ``frag``, spread evenly over the wave."""
    return -(-frag.rows * frag.cols * element_bytes(frag.elem) // (4 * wave_size))
