"""What a vendor supplies to the shared lowering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mlir import ir

from gemm_ladder.dialect_defs.target import Atom, Target
from gemm_ladder.dialect_defs.tile import TileOp, WaitOp
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.memory import MemoryTile


class Backend(Protocol):
    """One vendor's instructions.

    Every method that emits does so at the current insertion point and location. Vectors are
    builtin 1-D vectors of the atom's or fragment's element type, ``slot_count`` elements long; a
    backend bitcasts them to whatever its instruction takes. Refusals are PassErrors.
    """

    @property
    def target(self) -> Target:
        """The facts that the instructions are chosen by."""

    @property
    def lds_align(self) -> int:
        """Bytes: alignment of the kernel's LDS block and of every ring in it."""

    @property
    def lds_static_max(self) -> int:
        """Bytes of LDS beyond which the block is sized at launch."""

    def wave_id(self, threads: int) -> ir.Value:
        """i32 number of this wave in a workgroup of ``threads``; uniform to the compiler."""

    def mma(self, atom: Atom, a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
        """acc + a * b for one atom; operands in the atom's own order (swapped by the caller)."""

    def read_fragment(self, tile: MemoryTile, dist: Distribution) -> list[ir.Value] | None:
        """A fragment from LDS by a special instruction, or None: plain loads are right.

        ``tile`` starts at the fragment's first element; ``tile.transposed`` says that memory
        holds the fragment's transpose. Result: one vector for each of ``dist.origins()``.
        """

    def wait(self, op: WaitOp) -> None:
        """tile.wait: this wave's register copies, LDS, global loads or stores."""

    def arrive(self, op: TileOp) -> None:
        """tile.arrive on a barrier of kind hw and scope workgroup: releases LDS writes."""

    def wait_barrier(self, op: TileOp) -> None:
        """tile.wait_barrier on such a barrier: acquires LDS writes."""

    def barrier(self, op: TileOp) -> None:
        """tile.barrier on such a barrier: arrive, then wait."""

    def other(self, op: ir.Operation, operands: Sequence[ir.Value]) -> bool:
        """Any tile op that the core does not know (hints, fences); False: cannot be lowered."""

    def finish(self, func: ir.Operation, threads: int) -> None:
        """Put the vendor's attributes on the lowered gpu.func of ``threads`` a workgroup."""
