"""tile-workgroup: split each `tile.contract` over workgroups, waves and a K loop.

Before: "tile.contract"(%A, %B, %C)
After:  coordinates of workgroup and wave; for %k { load a; load b; mma }; store
Source: the Helios GEMM ladder, Level 0 (the tiling)
        NVIDIA, Matrix Multiplication Background: Wave Quantization (`fit`)
Test:   lit_tests/tile-workgroup
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, gpu, scf

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.target import Atom
from gemm_ladder.dialect_defs.tile import ContractOp
from gemm_ladder.dialect_defs.types import FragType, element_bytes
from gemm_ladder.passes.analysis.budget import fragment_registers
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, ops_named
from gemm_ladder.passes.analysis.rounds import fitted_width
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option

# Bytes of a row that swizzled LDS keeps together: B's tile has whole ones in either of its orders.
_SWIZZLED = 128


@dataclass(frozen=True)
class TileWorkgroup:
    """Split each `tile.contract` over workgroups, waves and a K loop.

    Before: one `tile.contract` of global operands
    After: fragments loaded straight from global memory, one `tile.mma` a K block, one `tile.store`
    Source: the Helios GEMM ladder, Level 0; of `fit` NVIDIA, Matrix Multiplication Background:
        Wave Quantization
    """

    name: ClassVar[str] = "tile-workgroup"
    analysis: ClassVar[bool] = False

    shape: tuple[int, int, int] = option(
        (64, 64, 32), help="M x N x K of a workgroup's block", minimum=1, dims=3
    )
    waves: tuple[int, int] = option((2, 2), help="waves along M x N", minimum=1, dims=2)
    fit: int = option(
        0,
        help="processors that take the blocks in rounds: N shrinks, at most to half, where that"
        " makes rounds x (N + 8) less, the time of the busiest; 0: N as given",
        minimum=0,
    )

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Rewrite every contraction; raises PassError if there is none or the shape is illegal."""
        found = [(k, ContractOp(op)) for k in kernels(module, ctx) for op in _contracts(k)]
        if not found:
            raise PassError(module.operation, "found no tile.contract; run import-matmul first")
        for kernel, contract in found:
            sizes = _Sizes.of(contract)
            fitted = self._fitted(kernel, sizes)
            frags = fitted._fragments(sizes)
            fitted._check(kernel, contract, sizes, frags)
            fitted._rewrite(kernel, contract, sizes, frags)

    def _fitted(self, kernel: Kernel, sizes: _Sizes) -> TileWorkgroup:
        """The pass with the columns that ``fit`` leaves: whole 128 B, whole products of a wave."""
        if not self.fit:
            return self
        elem = sizes.elem
        wave = max(_granules(kernel)[1], min((x.n for x in _atoms(kernel, elem)), default=1))
        step = math.lcm(_SWIZZLED // element_bytes(elem), self.waves[1] * wave)
        rows, cols, depth = self.shape
        width = fitted_width(sizes.m, sizes.n, (rows, cols), step, self.fit)
        return replace(self, shape=(rows, width, depth))

    def _fragments(self, sizes: _Sizes) -> list[FragType]:
        m, n = self.shape[0] // self.waves[0], self.shape[1] // self.waves[1]
        k, f32 = self.shape[2], ir.F32Type.get()
        elem = sizes.elem
        return [FragType(m, k, elem, "a"), FragType(k, n, elem, "b"), FragType(m, n, f32, "acc")]

    def _check(
        self, kernel: Kernel, contract: ContractOp, sizes: _Sizes, frags: list[FragType]
    ) -> None:
        target = kernel.target
        if kernel.sizes("known_block_size") is not None:
            raise PassError(contract, "the kernel has a workgroup size already (known_block_size)")
        self._check_shape(kernel, contract)
        threads = self.waves[0] * self.waves[1] * target.wave_size
        if threads > target.threads_max:
            raise PassError(
                contract,
                f"option 'waves' is {self.waves[0]}x{self.waves[1]}: {threads} threads, "
                f"{target.name} allows {target.threads_max} a workgroup",
            )
        parts = self._registers(kernel, frags)
        budget = target.register_budget(threads)
        if sum(parts) > budget:
            raise PassError(
                contract,
                f"needs at least {sum(parts)} registers a lane (accumulators {parts[0]} + A"
                f" {parts[1]} + B {parts[2]}), {target.name} has {budget} at {threads} threads;"
                " try a smaller shape or more waves",
            )
        grid = self._grid(sizes)
        if any(g > limit for g, limit in zip(grid, target.grid_max, strict=True)):
            raise PassError(
                contract, f"a grid of {grid} is over {target.name}'s limit {target.grid_max}"
            )

    def _registers(self, kernel: Kernel, frags: list[FragType]) -> list[int]:
        """Registers of the accumulators and of the shallowest A and B that a product can take.

        Later passes may cut a block's K into such steps, but nothing makes accumulators smaller.
        """
        a, b, acc = frags
        step = min([a.cols, *(x.k for x in _atoms(kernel, a.elem))])
        slices = (acc, replace(a, cols=step), replace(b, rows=step))
        return [fragment_registers(f, kernel.target.wave_size) for f in slices]

    def _check_shape(self, kernel: Kernel, contract: ContractOp) -> None:
        """Every wave's share must be whole rows and columns of the lanes' grid."""
        text = "x".join(str(s) for s in self.shape)
        for letter, extent, waves, granule in zip(
            "MN", self.shape[:2], self.waves, _granules(kernel), strict=True
        ):
            if extent % (waves * granule):
                raise PassError(
                    contract,
                    f"option 'shape' is {text}: {letter} = {extent} must be a multiple of"
                    f" {waves * granule} ({waves} waves of whole {granule}s)",
                )

    def _grid(self, sizes: _Sizes) -> tuple[int, int, int]:
        return -(-sizes.m // self.shape[0]), -(-sizes.n // self.shape[1]), 1

    def _rewrite(
        self, kernel: Kernel, contract: ContractOp, sizes: _Sizes, frags: list[FragType]
    ) -> None:
        threads = self.waves[0] * self.waves[1] * kernel.target.wave_size
        attributes = kernel.func.operation.attributes
        attributes["known_block_size"] = ir.DenseI32ArrayAttr.get([threads, 1, 1])
        attributes["known_grid_size"] = ir.DenseI32ArrayAttr.get(list(self._grid(sizes)))
        with ir.InsertionPoint(contract), contract.location:
            m, n = self._coordinates(contract.location, frags[2])
            self._product(contract, sizes, frags, m, n)
        contract.operation.erase()

    def _coordinates(self, at: ir.Location, acc: FragType) -> tuple[ir.Value, ir.Value]:
        """Element coordinates of this wave's part of the output."""
        m0, n0 = build.block_coord(self.shape[:2])
        with build.named("wave", at):
            wave = gpu.subgroup_id()
        across = build.index(self.waves[1])
        with build.named("wave_m", at):
            wave_m = arith.muli(arith.divui(wave, across), build.index(acc.rows))
        with build.named("wave_n", at):
            wave_n = arith.muli(arith.remui(wave, across), build.index(acc.cols))
        with build.named("m", at):
            m = arith.addi(m0, wave_m)
        with build.named("n", at):
            n = arith.addi(n0, wave_n)
        return m, n

    def _product(
        self,
        contract: ContractOp,
        sizes: _Sizes,
        frags: list[FragType],
        m: ir.Value,
        n: ir.Value,
    ) -> None:
        a, b, c = list(contract.operands)
        at = contract.location
        with build.named("acc_in", at):
            keep = contract.int_attr("accumulate")
            start = build.load(c, [m, n], frags[2], False) if keep else build.zero(frags[2])
        bounds = [build.index(v) for v in (0, sizes.k, self.shape[2])]
        with build.named("acc", at):
            loop = scf.ForOp(*bounds, [start])
        loop.regions[0].blocks[0].arguments[0].set_location(build.named("k", at))
        loop.regions[0].blocks[0].arguments[1].set_location(build.named("acc_k", at))
        with ir.InsertionPoint(loop.body):
            k = loop.induction_variable
            with build.named("A_reg", at):
                flip = sizes.a_order == "km"
                a_reg = build.load(a, [k, m] if flip else [m, k], frags[0], flip)
            with build.named("B_reg", at):
                flip = sizes.b_order == "nk"
                b_reg = build.load(b, [n, k] if flip else [k, n], frags[1], flip)
            with build.named("acc_next", at):
                done = build.mma(a_reg, b_reg, loop.inner_iter_args[0])
            scf.YieldOp([done])
        build.store(loop.results[0], c, [m, n])


@dataclass(frozen=True)
class _Sizes:
    """Problem sizes, orders and input element type of a contraction."""

    m: int
    n: int
    k: int
    a_order: str
    b_order: str
    elem: ir.Type

    @staticmethod
    def of(contract: ContractOp) -> _Sizes:
        a, b = (ir.MemRefType(v.type) for v in list(contract.operands)[:2])
        a_order, b_order = contract.str_attr("a_order"), contract.str_attr("b_order")
        a_dims = dict(zip(a_order, a.shape, strict=True))
        b_dims = dict(zip(b_order, b.shape, strict=True))
        return _Sizes(a_dims["m"], b_dims["n"], a_dims["k"], a_order, b_order, a.element_type)


def _granules(kernel: Kernel) -> list[int]:
    """Rows and columns that a wave has whole multiples of, without matrix instructions."""
    fma = kernel.target.fma_map
    return [1 + sum(bit[d] for bit in fma.lanes + fma.slots) for d in (0, 1)]


def _atoms(kernel: Kernel, elem: ir.Type) -> list[Atom]:
    """The target's matrix instructions of such inputs."""
    return [x for x in kernel.target.atoms if x.a == str(elem)]


def _contracts(kernel: Kernel) -> list[ir.Operation]:
    return ops_named(kernel.body, "tile.contract")
