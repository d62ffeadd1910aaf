"""Fills of tiles that several workgroups of a cluster want."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mlir import ir

from gemm_ladder.dialect_defs import build
from gemm_ladder.dialect_defs.build_copies import multicast
from gemm_ladder.dialect_defs.tile import CopyLike
from gemm_ladder.passes.analysis.cluster import block_axes, mask, sharing
from gemm_ladder.passes.analysis.cluster_parts import cannot_share, fill_part, rank_along
from gemm_ladder.passes.analysis.kernel import Kernel, ring_name
from gemm_ladder.passes.analysis.remarks import remark
from gemm_ladder.passes.base import PassContext, PassError

Axes = tuple[int, ...]


@dataclass
class SharedFills:
    """Gives fills of ``kernel``, whose clusters are of ``dims``, the masks of who wants the tile.

    ``shared`` collects the axes of the cluster along which workgroups share tiles.
    """

    kernel: Kernel
    dims: tuple[int, int]
    ctx: PassContext
    shared: set[Axes] = field(default_factory=set)
    _masks: dict[Axes, ir.Value] = field(default_factory=dict)
    _ranks: dict[Axes, ir.Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Masks and ranks are made in front of what is the kernel's first op now."""
        self.head = self.kernel.head().ref_operation

    def share(self, copy: CopyLike) -> None:
        """Have ``copy`` serve all that want its tile, or say why not."""
        along = self._along(copy)
        if not along:
            return
        name = ring_name(self.kernel, copy.src).removesuffix("_LDS")
        count = math.prod(self.dims[axis] for axis in along)
        in_parts = self.kernel.target.has("mbarrier")
        reason = self._refusal(copy, count, in_parts)
        if reason is not None:
            text = f"cluster-multicast: every workgroup asks for {name} on its own: {reason}"
            remark(self.kernel, self.ctx, copy.location, text)
            return
        self.shared.add(along)
        if in_parts:
            fill_part(self.kernel, copy, count, self._rank(along), self.mask(along, name))
        else:
            multicast(copy, self.mask(along, name))
            copy.operation.erase()

    def mask(self, along: Axes, name: str = "") -> ir.Value:
        """The mask of the workgroups that differ only ``along``; mask + ``name`` if it is new."""
        if along not in self._masks:
            with ir.InsertionPoint(self.head), build.unnamed(self.kernel.func.location):
                self._masks[along] = mask(along, self.dims, f"mask{name}")
        return self._masks[along]

    def _rank(self, along: Axes) -> ir.Value:
        if along not in self._ranks:
            with ir.InsertionPoint(self.head), build.unnamed(self.kernel.func.location):
                self._ranks[along] = rank_along(along, self.dims)
        return self._ranks[along]

    def _refusal(self, copy: CopyLike, count: int, in_parts: bool) -> str | None:
        kind = copy.str_attr("engine")
        engine = self.kernel.target.engine(kind)
        if engine is None or not engine.multicast:
            return f"copies by {kind or 'registers'} cannot be shared, those of copy-engine can"
        return cannot_share(copy, count) if in_parts else None

    def _along(self, copy: CopyLike) -> Axes:
        """The cluster's axes along which workgroups want the tile of ``copy``; checks how many."""
        axes = [block_axes(value) for value in list(copy.operation.operands)[2:]]
        if any(found is None for found in axes):
            return ()
        along = sharing({axis for found in axes if found for axis in found}, self.dims)
        count = math.prod(self.dims[axis] for axis in along)
        target = self.kernel.target
        if count > target.multicast_max:
            raise PassError(
                copy,
                f"option 'dims' is {self.dims[0]}x{self.dims[1]}: {count} workgroups would share"
                f" this tile, one answer serves at most {target.multicast_max} on {target.name}",
            )
        return along
