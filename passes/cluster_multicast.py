"""cluster-multicast: workgroups of a cluster share the answers of memory.

Before: copy_async(%A, %A_LDS[next]); arrive; mma; wait_barrier
After:  %maskA = 0x1111 << %cluster_x; copy_async(%A, %A_LDS[next], %maskA);
        arrive; arrive(%cluster) {issuer = 0}; mma; wait_barrier; wait_barrier(%cluster)
Source: the Helios GEMM ladder, Level 9
Test:   lit_tests/cluster-multicast
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.build_copies import multicast
from gemm_ladder.dialect_defs.tile import CopyLike
from gemm_ladder.passes.analysis.cluster import block_axes, mask, sharing
from gemm_ladder.passes.analysis.cluster_sync import keep_in_step
from gemm_ladder.passes.analysis.idle_blocks import round_up_grid
from gemm_ladder.passes.analysis.kernel import Kernel, kernels, ring_name
from gemm_ladder.passes.analysis.remarks import remark
from gemm_ladder.passes.analysis.staged_loop import StagedLoop, find_staged_loops
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class ClusterMulticast:
    """Workgroups of a cluster share the answers of memory.

    Before: every workgroup asks for its tiles of A and B
    After: a grid of whole clusters (workgroups without a tile run on empty ones); the workgroups
        that want the same tile ask for it with one mask; a barrier of the cluster beside each
        hand-off of a K loop keeps them in step
    Source: the Helios GEMM ladder, Level 9
    """

    name: ClassVar[str] = "cluster-multicast"
    analysis: ClassVar[bool] = False

    dims: tuple[int, int] = option((4, 4), help="workgroups along M x N", minimum=1, dims=2)
    multicast: bool = option(True, help="one answer for all that want a tile; false: clusters only")

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Form clusters in every kernel; raises PassError without a K loop, or over a limit."""
        found = [(k, find_staged_loops(k)) for k in kernels(module, ctx)]
        if not any(loops for _, loops in found):
            raise PassError(
                module.operation,
                "found no loop that fills LDS rings and reads them; run promote-to-lds first",
            )
        for kernel, loops in found:
            self._check(kernel, loops)
            round_up_grid(kernel, self.dims)
            sizes = ir.DenseI32ArrayAttr.get([*self.dims, 1])
            kernel.func.operation.attributes["known_cluster_size"] = sizes
            if self.multicast:
                self._share(kernel, loops, ctx)
            if self.dims[0] * self.dims[1] > 1:
                keep_in_step(kernel, loops, self.dims)

    def _check(self, kernel: Kernel, loops: list[StagedLoop]) -> None:
        target, text = kernel.target, f"{self.dims[0]}x{self.dims[1]}"
        count = self.dims[0] * self.dims[1]
        if not target.has("cluster"):
            raise PassError(kernel.func, f"{target.name} has no clusters of workgroups")
        if count > target.cluster_max:
            raise PassError(
                kernel.func,
                f"option 'dims' is {text}: {count} workgroups, a cluster of {target.name} has at"
                f" most {target.cluster_max}",
            )
        if "known_cluster_size" in kernel.func.operation.attributes:
            raise PassError(kernel.func, "has clusters already (known_cluster_size)")
        for loop in loops:
            if any(block_axes(bound) != set() for bound in list(loop.loop.operands)[:3]):
                raise PassError(
                    loop.loop, "workgroups may not run this loop equally often: bounds differ"
                )

    def _share(self, kernel: Kernel, loops: list[StagedLoop], ctx: PassContext) -> None:
        """Give every fill of a tile that several workgroups want their mask."""
        masks: dict[tuple[str, tuple[int, ...]], ir.Value] = {}
        place = ir.InsertionPoint(kernel.head().ref_operation)
        for copy in (c for loop in loops for c in (*loop.prologue, *loop.fills)):
            along = self._along(kernel, copy)
            if not along:
                continue
            name = ring_name(kernel, copy.src).removesuffix("_LDS")
            engine = kernel.target.engine(copy.str_attr("engine"))
            if engine is None or not engine.multicast:
                how = copy.str_attr("engine") or "registers"
                text = f"{name} is asked for by every workgroup on its own, by {how}"
                where = copy.location
                remark(kernel, ctx, where, f"cluster-multicast: {text}; run copy-engine before")
                continue
            if (name, along) not in masks:
                with place, build.unnamed(kernel.func.location):
                    masks[name, along] = mask(along, self.dims, f"mask{name}")
            multicast(copy, masks[name, along])
            copy.operation.erase()

    def _along(self, kernel: Kernel, copy: CopyLike) -> tuple[int, ...]:
        """The cluster's axes along which workgroups want the tile of ``copy``; checks how many."""
        axes = [block_axes(value) for value in list(copy.operation.operands)[2:]]
        if any(found is None for found in axes):
            return ()
        along = sharing({axis for found in axes if found for axis in found}, self.dims)
        count = 1
        for axis in along:
            count *= self.dims[axis]
        if count > kernel.target.multicast_max:
            raise PassError(
                copy,
                f"option 'dims' is {self.dims[0]}x{self.dims[1]}: {count} workgroups would share"
                f" this tile, one answer serves at most {kernel.target.multicast_max} on"
                f" {kernel.target.name}",
            )
        return along
