"""The recursive walk that lowers a kernel's body op by op over a map of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from mlir import ir
from mlir.dialects import gpu, scf

from gemm_ladder.dialect_defs.tile import (
    ArriveOp,
    BarrierOp,
    BlockCoordOp,
    ContractOp,
    CopyAsyncOp,
    CopyOp,
    LoadOp,
    MmaOp,
    StoreOp,
    TileOp,
    WaitBarrierOp,
    WaitOp,
)
from gemm_ladder.dialect_defs.types import BarType, FragType, LdsType
from gemm_ladder.passes.analysis.kernel import defining
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering import (
    contract,
    copies,
    emit,
    fragments,
    lds,
    loads,
    products,
    slices,
)
from gemm_ladder.passes.lowering.narrow import loop_bounds, narrowed
from gemm_ladder.passes.lowering.state import GLOBAL_SPACE, State
from gemm_ladder.passes.lowering.views import plain_operand
from gemm_ladder.passes.lowering.walk import walk

_Sync = TypeVar("_Sync", bound=TileOp)

# Around another loop: what is computed once for all rounds lives through the inner loop's products,
# whose accumulators need the registers; a round can compute it again.
_UNHOISTED = "#llvm.loop_annotation<licm = <disable = true>>"


class Walk:
    """One kernel's walk; ops land at the insertion point."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._late: set[ir.Value] = set()
        self.rules: dict[str, Callable[[ir.Operation], Sequence[ir.Value] | None]] = {
            "tile.alloc": lambda op: self.state.values[op.results[0]],
            "tile.barrier_create": lambda op: self.state.values.get(op.results[0], []),
            "tile.block_coord": self._block_coord,
            "tile.contract": lambda op: contract.lower(self.state, ContractOp(op)),
            "tile.copy": self._copy,
            "tile.copy_async": self._copy_async,
            "tile.load": self._load,
            "tile.mma": self._mma,
            "tile.store": lambda op: loads.store(self.state, StoreOp(op)),
            "tile.zero": self._zero,
            "tile.wait": self._wait,
            "tile.arrive": lambda op: self._sync(ArriveOp(op), self.state.backend.arrive),
            "tile.wait_barrier": lambda op: self._sync(
                WaitBarrierOp(op), self.state.backend.wait_barrier
            ),
            "tile.barrier": lambda op: self._sync(BarrierOp(op), self.state.backend.barrier),
            "gpu.subgroup_id": self._wave,
            "scf.for": self._for,
            "scf.if": self._if,
        }

    def block(self, block: ir.Block) -> None:
        """Lower the ops of ``block`` at the insertion point."""
        for op in [inner.operation for inner in block]:
            if op.name == "scf.yield" or op.name == "gpu.return":
                self.state.flush()
            with op.location:
                self._op(op)

    def _op(self, op: ir.Operation) -> None:
        if op.regions:
            self.state.flush()
        rule = self.rules.get(op.name)
        if rule is not None:
            made = rule(op)
            if made is not None:
                self.state.values[op.results[0]] = list(made)
        elif not self.state.backend.other(self.state, op):
            if op.name.startswith("tile."):
                raise PassError(op, f"{self.state.target.name} cannot lower {op.name} yet")
            self._clone(op)

    def _clone(self, op: ir.Operation) -> None:
        """An op that is not ours: copied, with its operands replaced."""
        narrow = narrowed(self.state, op)
        if narrow is not None:
            self.state.values[op.results[0]] = [narrow]
            return
        for inner in [op, *walk(op)]:
            if inner is not op and inner.name.startswith("tile."):
                raise PassError(inner, f"inside {op.name}, which is not lowered with it")
        new = op.clone()
        for old_op, new_op in zip([op, *walk(op)], [new.operation, *walk(new)], strict=True):
            for position, old in enumerate(old_op.operands):
                if old in self.state.values:
                    value = plain_operand(op, old, self.state.values[old], new)
                    new_op.operands[position] = value
        for old, result in zip(op.results, new.results, strict=True):
            self.state.values[old] = [result]

    def _flat(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        return [new for old in values for new in self.state.values[old]]

    def _sync(self, op: _Sync, emit_it: Callable[[State, _Sync], None]) -> None:
        self.state.flush()
        if defining(op.operation.operands[0]) is None:
            raise PassError(op, "which barrier is this? Only one that is named directly is lowered")
        emit_it(self.state, op)

    def _wait(self, op: ir.Operation) -> None:
        wait = WaitOp(op)
        if wait.str_attr("kind") == "copy":
            self.state.flush()
        self.state.backend.wait(self.state, wait)

    def _wave(self, op: ir.Operation) -> list[ir.Value]:
        return [emit.to_index(self.state.backend.wave_id(self.state.threads))]

    def _zero(self, op: ir.Operation) -> list[ir.Value]:
        dist = self.state.classes.distribution(op.results[0], op)
        return self.state.backend.to_blocks(dist, fragments.zero(dist))

    def _load(self, op: ir.Operation) -> list[ir.Value]:
        if op.results[0] in self.state.deferred:
            return []
        if loads.may_stand_later(op) and self.state.backend.late(self.state, LoadOp(op)):
            self._late.add(op.results[0])
            return []
        return self._read(op)

    def _read(self, op: ir.Operation) -> list[ir.Value]:
        dist = self.state.classes.distribution(op.results[0], op)
        return self.state.backend.to_blocks(dist, loads.load(self.state, LoadOp(op)))

    def _copy(self, op: ir.Operation) -> None:
        later = body_after(op)
        waited = any(
            other.name == "tile.wait" and WaitOp(other).str_attr("kind") == "copy"
            for other in later
        )
        copies.lower(self.state, CopyOp(op), waited)

    def _copy_async(self, op: ir.Operation) -> None:
        self.state.flush()
        self.state.backend.copy_async(self.state, CopyAsyncOp(op))

    def _mma(self, op: ir.Operation) -> list[ir.Value]:
        late = [value for value in list(op.operands)[:2] if value in self._late]
        if len(late) == 2 and "atom" in op.attributes:
            a, b = (LoadOp(value.owner.operation) for value in late)
            return slices.product(self.state, MmaOp(op), a, b)
        for value in late:
            with value.owner.location:
                self.state.values[value] = self._read(value.owner.operation)
            self._late.remove(value)
        if any(LdsType.of(value.type) is not None for value in list(op.operands)[:2]):
            return self.state.backend.mma_lds(self.state, MmaOp(op))
        return products.lower(self.state, MmaOp(op))

    def _block_coord(self, op: ir.Operation) -> None:
        tile = BlockCoordOp(op).ints_attr("tile")
        for result, extent, dim in zip(
            op.results, tile, (gpu.Dimension.x, gpu.Dimension.y), strict=True
        ):
            self.state.values[result] = [emit.mul(gpu.block_id(dim), extent)]

    def _types(self, value: ir.Value, op: ir.Operation) -> list[ir.Type]:
        """New types of an old value."""
        if FragType.of(value.type) is not None:
            dist = self.state.classes.distribution(value, op)
            return [self.state.backend.block_type(dist)] * len(dist.origins())
        if LdsType.of(value.type) is not None:
            return [emit.pointer_type(lds.LDS_SPACE)]
        if BarType.of(value.type) is not None:
            raise PassError(op, "a barrier has to be named directly, not carried by a region")
        if isinstance(value.type, ir.MemRefType):
            return [emit.pointer_type(GLOBAL_SPACE)]
        return [value.type]

    def _bind(self, olds: Sequence[ir.Value], news: Sequence[ir.Value], op: ir.Operation) -> None:
        rest = list(news)
        for old in olds:
            count = len(self._types(old, op))
            self.state.values[old], rest = rest[:count], rest[count:]

    def _for(self, op: ir.Operation) -> None:
        bounds = loop_bounds(self.state, op)
        loop = scf.ForOp(*bounds, self._flat(list(op.operands)[3:]))
        old = op.regions[0].blocks[0]
        counter = loop.induction_variable
        with ir.InsertionPoint(loop.body):
            same = counter.type == old.arguments[0].type
            self.state.values[old.arguments[0]] = [counter if same else emit.to_index(counter)]
        self._bind(list(old.arguments)[1:], list(loop.inner_iter_args), op)
        self._region(old, loop.body)
        self._bind(list(op.results), list(loop.results), op)
        if any(inner.name == "scf.for" for inner in walk(op)):
            loop.operation.attributes["loop_annotation"] = ir.Attribute.parse(_UNHOISTED)

    def _if(self, op: ir.Operation) -> None:
        types = [t for result in op.results for t in self._types(result, op)]
        regions = [region for region in op.regions if len(region.blocks)]
        made = scf.IfOp(self.state.value(op.operands[0]), types, has_else=len(regions) > 1)
        self._region(regions[0].blocks[0], made.then_block)
        if len(regions) > 1:
            self._region(regions[1].blocks[0], made.else_block)
        self._bind(list(op.results), list(made.results), op)

    def _region(self, old: ir.Block, new: ir.Block) -> None:
        with ir.InsertionPoint(new):
            ops = [inner.operation for inner in old]
            for op in ops[:-1]:
                with op.location:
                    self._op(op)
            self.state.flush()
            with ops[-1].location:
                scf.YieldOp(self._flat(ops[-1].operands))


def body_after(op: ir.Operation) -> list[ir.Operation]:
    """The ops after ``op`` in its block."""
    block = [inner.operation for inner in op.block]
    return block[block.index(op) + 1 :]
