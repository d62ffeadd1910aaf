"""How a kernel is launched: threads of a workgroup and workgroups of the grid."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import contract
from gemm_ladder.passes.lowering.backend import Backend
from gemm_ladder.passes.lowering.walk import walk


def launch_shape(
    func: ir.Operation, backend: Backend
) -> tuple[tuple[int, int, int], tuple[int, int, int] | None]:
    """(block, grid) of a kernel, from its attributes or its contraction; grid None if unknown.

    PassError if the workgroup is no whole number of waves along x.
    """
    contractions = [op for op in walk(func) if op.name == "tile.contract"]
    block, grid = (_dims(func, key) for key in ("known_block_size", "known_grid_size"))
    if contractions:
        if len(contractions) > 1 or contractions[0].block.owner.operation != func:
            raise PassError(contractions[-1], "a kernel is one contraction, at its top level")
        groups, threads = contract.launch(contractions[0])
        return block or (threads, 1, 1), grid or (groups, 1, 1)
    if block is None:
        raise PassError(func, "no known_block_size: how many waves has the workgroup?")
    wave = backend.target.wave_size
    if block[1:] != (1, 1) or block[0] % wave or not 0 < block[0] <= backend.target.threads_max:
        limits = f"multiple of {wave} up to {backend.target.threads_max} along x"
        raise PassError(func, f"a workgroup of {'x'.join(map(str, block))} threads is no {limits}")
    return block, grid


def _dims(func: ir.Operation, key: str) -> tuple[int, int, int] | None:
    if key not in func.attributes:
        return None
    x, y, z = ir.DenseI32ArrayAttr(func.attributes[key])
    return x, y, z
