"""What a vendor supplies to the shared lowering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mlir import ir

from gemm_ladder.dialect_defs.target import Atom, Target
from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierOp,
    CopyAsyncOp,
    LoadOp,
    MmaOp,
    WaitBarrierOp,
    WaitOp,
)
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.memory import MemoryTile

if TYPE_CHECKING:
    from gemm_ladder.passes.lowering.state import State


@dataclass(frozen=True)
class Parameter:
    """A kernel parameter besides the operands: its type and its argument attributes."""

    type: ir.Type
    attributes: ir.DictAttr


class Backend(Protocol):
    """One vendor's instructions.

    Every method that emits does so at the current insertion point and location. Vectors are
    builtin 1-D vectors of the atom's or fragment's element type, ``slot_count`` elements long; a
    backend bitcasts them to whatever its instruction takes. A barrier's value is the pointer to its
    slots (kind mbarrier) or nothing (kind hw). Refusals are PassErrors.
    """

    @property
    def target(self) -> Target:
        """The facts that the instructions are chosen by."""

    @property
    def lds_static_max(self) -> int:
        """Bytes of LDS beyond which the block is sized at launch."""

    @property
    def scalar(self) -> Callable[[ir.Value], ir.Value] | None:
        """Hides how a uniform value was made, where global memory is addressed by a scalar base and
        an unsigned 32-bit offset; None where it is not.
        """

    def hidden(self, value: ir.Value) -> ir.Value:
        """The i32 end of a loop of one trip, where straight-line code would lose its schedule."""

    @property
    def predicates(self) -> bool:
        """Whether an access that may not exist stands best under a branch of its own, which becomes
        its predicate; else it reads an element that exists, and drops it.
        """

    def wave_id(self, threads: int) -> ir.Value:
        """i32 number of this wave in a workgroup of ``threads``; uniform to the compiler."""

    def block_type(self, dist: Distribution) -> ir.Type:
        """What holds a lane's part of one block of a fragment between ops: mostly its vector."""

    def to_blocks(self, dist: Distribution, vectors: list[ir.Value]) -> list[ir.Value]:
        """A fragment's vectors as values of ``block_type``."""

    def to_vectors(self, dist: Distribution, blocks: list[ir.Value]) -> list[ir.Value]:
        """The vectors of a fragment that something other than a product uses."""

    def mma(self, atom: Atom, a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
        """acc + a * b for one atom; operands in the atom's own order (swapped by the caller)."""

    def read_fragment(self, tile: MemoryTile, dist: Distribution) -> list[ir.Value] | None:
        """A fragment from LDS by a special instruction, or None: plain loads are right.

        ``tile`` starts at the fragment's first element; ``tile.transposed`` says that memory
        holds the fragment's transpose. Result: one vector for each of ``dist.origins()``.
        """

    def late(self, state: State, op: LoadOp) -> bool:
        """Whether a load from LDS had better stand at the product that uses it."""

    def write_fragment(
        self, tile: MemoryTile, dist: Distribution, vectors: Sequence[ir.Value]
    ) -> bool:
        """Store an accumulator to LDS by a special instruction; False: plain stores are right."""

    def kernel_params(self, func: ir.Operation) -> Sequence[Parameter]:
        """Parameters of the kernel besides the operands of ``func`` (the old function)."""

    def facts(self, func: ir.Operation) -> Mapping[str, ir.Attribute]:
        """Entries of `tile.kernel` that only this vendor has."""

    def begin(self, state: State, func: ir.Operation) -> None:
        """At the kernel's entry, when rings and barriers have addresses: set up what needs it."""

    def copy_async(self, state: State, op: CopyAsyncOp) -> None:
        """tile.copy_async by any engine, in either direction."""

    def mma_lds(self, state: State, op: MmaOp) -> list[ir.Value]:
        """tile.mma with an operand in LDS: the new accumulator's vectors."""

    def wait(self, state: State, op: WaitOp) -> None:
        """tile.wait: this wave's copies, LDS accesses, global loads or stores."""

    def arrive(self, state: State, op: ArriveOp) -> None:
        """tile.arrive: what is over for this wave is over for who waits."""

    def wait_barrier(self, state: State, op: WaitBarrierOp) -> None:
        """tile.wait_barrier: no access moves up across it."""

    def barrier(self, state: State, op: BarrierOp) -> None:
        """tile.barrier: arrive, then wait."""

    def other(self, state: State, op: ir.Operation) -> bool:
        """Any op that the core has no rule for, results put into ``state.values``; False: not ours.

        A tile op that is not ours is refused, any other is copied.
        """

    def finish(self, func: ir.Operation, threads: int) -> None:
        """Put the vendor's attributes on the lowered gpu.func of ``threads`` a workgroup."""
