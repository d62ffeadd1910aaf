"""A kernel of tile IR as plain Python objects: no MLIR call is made while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mlir import ir

from gemm_ladder.compiler.codegen.description import plain
from gemm_ladder.compiler.names import Names
from gemm_ladder.compiler.session import place
from gemm_ladder.dialect_defs.types import BarType, FragType, LdsType
from gemm_ladder.runtime.errors import DeviceError

_QUIET = ("zero", "sched_fence", "sched_group", "hint", "set_registers", "block_coord", "alloc")
_QUIET_OPS = {f"tile.{name}" for name in (*_QUIET, "barrier_create")}


@dataclass
class Block:
    """Argument ids, ops, and the operands of the terminator."""

    args: tuple[int, ...]
    ops: list[Op]
    results: tuple[int, ...]


@dataclass
class Op:
    """One op. ``operands`` and ``results`` are value ids; ``types`` the operands' types.

    ``waves`` are those that reach the op by the tags of the roles around it (None: all); ``event``
    says whether other waves may act between the op before and this one.
    """

    uid: int
    name: str
    operands: tuple[int, ...]
    results: tuple[int, ...]
    attrs: dict[str, Any]
    types: tuple[Any, ...]
    result_types: tuple[Any, ...]
    blocks: tuple[Block, ...]
    handle: ir.Operation
    names: Names
    waves: frozenset[int] | None
    event: bool

    def parts(self, counts: int) -> list[int | None]:
        """Value ids of ``counts`` operand groups of at most one value each."""
        sizes = self.attrs.get("operandSegmentSizes")
        if sizes is None:
            found = list(self.operands)
            return [*found, *([None] * (counts - len(found)))]
        rest = iter(self.operands)
        return [next(rest) if size else None for size in sizes]

    @property
    def line(self) -> int:
        """The line of the op's location, 0 if it has none."""
        parts = place(self.handle.location).rsplit(":", 2)
        return int(parts[1]) if len(parts) == 3 else 0

    def __str__(self) -> str:
        """The op as `tile.load %A_LDS, %current (file:line:col)`."""
        values = ", ".join(self.names.of(v) for v in self.handle.operands)
        where = place(self.handle.location).replace("<stdin>", "IR") or "no location"
        return f"{self.name} {values} ({where})" if values else f"{self.name} ({where})"


@dataclass
class Program:
    """A kernel: its body, argument memrefs, and the sizes that its attributes state."""

    name: str
    body: Block
    args: tuple[ir.MemRefType, ...]
    block: tuple[int, int, int] | None
    grid: tuple[int, int, int] | None
    cluster: tuple[int, int, int]
    ops: list[Op]
    module: ir.Module
    values: int = 0


@dataclass
class _Builder:
    names: Names
    ids: dict[ir.Value, int] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    types: dict[str, Any] = field(default_factory=dict)

    def id_of(self, value: ir.Value) -> int:
        return self.ids.setdefault(value, len(self.ids))

    def type_of(self, type_: ir.Type) -> Any:
        text = str(type_)
        if text not in self.types:
            known = LdsType.of(type_) or FragType.of(type_) or BarType.of(type_)
            self.types[text] = known or type_
        return self.types[text]

    def block(self, block: ir.Block, waves: frozenset[int] | None) -> Block:
        args = tuple(self.id_of(a) for a in block.arguments)
        views = list(block.operations)
        ops = [self.op(view.operation, waves) for view in views[:-1]]
        return Block(args, ops, tuple(self.id_of(v) for v in views[-1].operands))

    def op(self, op: ir.Operation, waves: frozenset[int] | None) -> Op:
        made = Op(
            uid=len(self.ops),
            name=op.name,
            operands=tuple(self.id_of(v) for v in op.operands),
            results=tuple(self.id_of(v) for v in op.results),
            attrs={name: plain_or_text(op.attributes[name]) for name in op.attributes},
            types=tuple(self.type_of(v.type) for v in op.operands),
            result_types=tuple(self.type_of(v.type) for v in op.results),
            blocks=(),
            handle=op,
            names=self.names,
            waves=waves,
            event=op.name.startswith("tile.") and op.name not in _QUIET_OPS,
        )
        self.ops.append(made)
        blocks = [b for region in op.regions for b in region.blocks]
        made.blocks = tuple(
            self.block(b, _role(made, number, waves)) for number, b in enumerate(blocks)
        )
        return made


def _role(op: Op, branch: int, waves: frozenset[int] | None) -> frozenset[int] | None:
    """Waves that take branch ``branch`` of ``op``, by its `tile.waves` = [first, count]."""
    tagged = op.attrs.get("tile.waves")
    if tagged is None or op.name != "scf.if":
        return waves
    first, count = tagged
    everyone = frozenset(range(1024)) if waves is None else waves
    chosen = frozenset(range(first, first + count))
    return everyone & chosen if branch == 0 else everyone - chosen


def plain_or_text(attr: ir.Attribute) -> Any:
    """An attribute as Python data, or as text where it has no such form."""
    try:
        return plain(attr)
    except AttributeError:
        return str(attr)


def find_kernels(module: ir.Module) -> list[ir.Operation]:
    """The gpu.func of every kernel."""
    found = []
    for holder in module.body.operations:
        if holder.operation.name == "gpu.module":
            body = holder.regions[0].blocks[0]
            found += [f.operation for f in body.operations if f.operation.name == "gpu.func"]
    return found


def build_program(module: ir.Module, kernel: str) -> Program:
    """The kernel called ``kernel``; DeviceError if there is none, or an argument is no memref."""
    for func in find_kernels(module):
        if ir.StringAttr(func.attributes["sym_name"]).value == kernel:
            return _program(module, func, kernel)
    raise DeviceError(f"no kernel '{kernel}' in the tile IR")


def _program(module: ir.Module, func: ir.Operation, kernel: str) -> Program:
    builder = _Builder(Names(func))
    entry = func.regions[0].blocks[0]
    for arg in entry.arguments:
        if not isinstance(arg.type, ir.MemRefType) or not arg.type.has_static_shape:
            raise DeviceError(f"kernel {kernel}: argument of type {arg.type} cannot be passed")
    body = builder.block(entry, None)
    return Program(
        name=kernel,
        body=body,
        args=tuple(ir.MemRefType(a.type) for a in entry.arguments),
        block=_dims(func, "known_block_size"),
        grid=_dims(func, "known_grid_size"),
        cluster=_dims(func, "known_cluster_size") or (1, 1, 1),
        ops=builder.ops,
        module=module,
        values=len(builder.ids),
    )


def _dims(func: ir.Operation, name: str) -> tuple[int, int, int] | None:
    if name not in func.attributes:
        return None
    x, y, z = ir.DenseI32ArrayAttr(func.attributes[name])
    return x, y, z
