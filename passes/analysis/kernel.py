"""Kernels of a module: iteration, their target, workgroup size, and walking their ops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.passes.base import PassContext, PassError


@dataclass(frozen=True)
class Kernel:
    """A gpu.func of a module that names its target."""

    func: ir.OpView
    target: Target

    @property
    def body(self) -> ir.Block:
        """The kernel's entry block."""
        return self.func.regions[0].blocks[0]

    @property
    def name(self) -> str:
        """The symbol name."""
        return str(ir.StringAttr(self.func.operation.attributes["sym_name"]).value)

    def sizes(self, attribute: str) -> tuple[int, int, int] | None:
        """`known_block_size` or `known_grid_size`, or None if not known yet."""
        if attribute not in self.func.operation.attributes:
            return None
        x, y, z = ir.DenseI32ArrayAttr(self.func.operation.attributes[attribute])
        return x, y, z

    def head(self) -> ir.InsertionPoint:
        """Where rings and barriers are made: after the kernel's leading ones and constants."""
        leading = ("arith.constant", "tile.alloc", "tile.barrier_create")
        first = next(op for op in self.body.operations if op.operation.name not in leading)
        return ir.InsertionPoint(first)

    def waves(self) -> int:
        """Waves of a workgroup; raises PassError if the workgroup's size is not known yet."""
        block = self.sizes("known_block_size")
        if block is None:
            raise PassError(
                self.func, "needs a workgroup size (known_block_size); run tile-workgroup first"
            )
        return max(1, block[0] * block[1] * block[2] // self.target.wave_size)


def kernels(module: ir.Module, ctx: PassContext) -> list[Kernel]:
    """Every kernel of ``module``; raises PassError if there is none, or its target is unknown."""
    found = []
    for holder in module.body.operations:
        if holder.operation.name != "gpu.module":
            continue
        funcs = [
            f for f in holder.regions[0].blocks[0].operations if f.operation.name == "gpu.func"
        ]
        if funcs:
            target = module_target(holder, ctx)
            found += [Kernel(f, target) for f in funcs]
    if not found:
        raise PassError(module.operation, "found no GPU kernel; run import-matmul first")
    return found


def ring_name(kernel: Kernel, memref: ir.Value) -> str:
    """The name of a ring for tiles of ``memref``: the operand's own with _LDS, or tile_LDS."""
    attributes = kernel.func.operation.attributes
    names = ir.ArrayAttr(attributes["tile.names"]) if "tile.names" in attributes else []
    for argument, name in zip(kernel.body.arguments, names, strict=False):
        if argument == memref:
            return f"{ir.StringAttr(name).value}_LDS"
    return "tile_LDS"


def module_target(holder: ir.OpView, ctx: PassContext) -> Target:
    """The target that gpu.module ``holder`` names."""
    if "tile.target" not in holder.operation.attributes:
        raise PassError(holder, 'no target attached: add tile.target = "..." to the gpu.module')
    name = ir.StringAttr(holder.operation.attributes["tile.target"]).value
    try:
        return ctx.target(name)
    except KeyError as unknown:
        raise PassError(holder, f"unknown target '{name}' in tile.target") from unknown


def walk(block: ir.Block) -> Iterator[ir.Operation]:
    """Every op of ``block`` and of the regions inside, in program order."""
    for op in list(block.operations):
        yield op.operation
        for region in op.regions:
            for inner in region.blocks:
                yield from walk(inner)


def ancestors(op: ir.Operation) -> Iterator[ir.Operation]:
    """The ops around ``op``, innermost first, up to its function, which is left out."""
    parent = op.parent
    while parent is not None and parent.operation.name not in ("gpu.func", "func.func"):
        yield parent.operation
        parent = parent.operation.parent


def is_inside(value: ir.Value, loop: ir.Operation) -> bool:
    """Whether ``value`` is made in a region of ``loop``, by an op or as an argument."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        holder = owner.owner.operation
        return bool(holder == loop) or loop in ancestors(holder)
    return loop in ancestors(owner.operation)


def ops_named(block: ir.Block, *names: str) -> list[ir.Operation]:
    """The ops in ``block``, nested ones too, that have one of ``names``."""
    return [op for op in walk(block) if op.name in names]


def defining(value: ir.Value) -> ir.Operation | None:
    """The op that makes ``value``, or None for a block argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def constant(value: ir.Value) -> int | None:
    """``value`` as an integer constant, or None."""
    op = defining(value)
    if op is None or op.name != "arith.constant":
        return None
    attr = op.attributes["value"]
    return int(ir.IntegerAttr(attr).value) if isinstance(attr, ir.IntegerAttr) else None
