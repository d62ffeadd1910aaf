"""cluster-multicast: workgroups of a cluster share the answers of memory.

Before: copy_async(%A, %A_LDS[next]); arrive; mma; wait_barrier
After:  %maskA = 0x1111 << %cluster_x; copy_async(%A, %A_LDS[next], %maskA);
        arrive; arrive(%cluster) {issuer = 0}; mma; wait_barrier; wait_barrier(%cluster)
Source: the Helios GEMM ladder, Level 9
Test:   lit_tests/cluster-multicast
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith

from gemm_ladder.dialect_defs import build
from gemm_ladder.passes.analysis.cluster import block_axes
from gemm_ladder.passes.analysis.cluster_fills import SharedFills
from gemm_ladder.passes.analysis.cluster_parts import release_peers
from gemm_ladder.passes.analysis.cluster_sync import cluster_barrier, keep_in_step
from gemm_ladder.passes.analysis.idle_blocks import round_up_grid
from gemm_ladder.passes.analysis.kernel import Kernel, kernels
from gemm_ladder.passes.analysis.staged_loop import StagedLoop, find_staged_loops
from gemm_ladder.passes.base import PassContext, PassError
from gemm_ladder.passes.options import option


@dataclass(frozen=True)
class ClusterMulticast:
    """Workgroups of a cluster share the answers of memory.

    Before: every workgroup asks for its tiles of A and B
    After: a grid of whole clusters (workgroups without a tile run on empty ones). TDM: those that
        want the same tile ask for it with one mask; a barrier of the cluster beside the hand-offs
        of a K loop keeps them in step. TMA: each moves its part of the tile to all of them, and
        fills a stage again when all have read it
    Source: the Helios GEMM ladder, Level 9; PTX ISA, cp.async.bulk.tensor .multicast::cluster
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
            fills = SharedFills(kernel, self.dims, ctx)
            if self.multicast:
                for copy in (c for x in loops for c in (*x.prologue, *x.fills)):
                    fills.share(copy)
            self._order(kernel, find_staged_loops(kernel), fills)

    def _order(self, kernel: Kernel, loops: list[StagedLoop], fills: SharedFills) -> None:
        """Add the barriers that sharing needs, and those that keep workgroups in step."""
        count = self.dims[0] * self.dims[1]
        if not kernel.target.has("mbarrier"):
            # An engine fills its own workgroup's LDS only: in step, answers can be shared.
            if count > 1:
                keep_in_step(cluster_barrier(kernel, count), loops)
        elif fills.shared:
            peers, most = self._peers(kernel, fills)
            release_peers(kernel, loops, cluster_barrier(kernel, count), peers, most)

    def _peers(self, kernel: Kernel, fills: SharedFills) -> tuple[ir.Value, int]:
        """Mask and number of the workgroups that fill this one's LDS, itself among them."""
        parts = [(along, fills.mask(along)) for along in sorted(fills.shared)]
        value, count = parts[0][1], 1
        for along, other in parts:
            count += math.prod(self.dims[axis] for axis in along) - 1
            if other != value:
                with ir.InsertionPoint(fills.head), build.unnamed(kernel.func.location):
                    value = arith.ori(value, other)
        return value, count

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
