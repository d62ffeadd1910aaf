"""Render tile IR as the pseudocode in which GEMM ladders are published."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.compiler.names import Names
from gemm_ladder.compiler.statements import groups, statement

_INDENT = "    "
_SILENT = (
    "gpu.return",
    "scf.yield",
    "gpu.subgroup_id",
    "tile.block_coord",
    "gpu.cluster_block_id",
    "arith.constant",
)


def render(module: ir.Module) -> str:
    """Every kernel of ``module`` as pseudocode, a statement an op, index arithmetic inlined."""
    lines: list[str] = []
    for holder in module.body.operations:
        if holder.operation.name != "gpu.module":
            continue
        for func in holder.regions[0].blocks[0].operations:
            if func.operation.name == "gpu.func":
                if lines:
                    lines.append("")
                lines += _Renderer(func.operation, holder.operation).kernel()
    return "\n".join(lines) + "\n" if lines else "// no GPU kernel: run import-matmul first\n"


class _Renderer:
    def __init__(self, func: ir.Operation, holder: ir.Operation) -> None:
        self.func, self.holder = func, holder
        self.names = Names(func)
        self.guard = ""  # the branch that the current block stands in

    def kernel(self) -> list[str]:
        """The header, the rings, then the body."""
        args = list(self.func.regions[0].blocks[0].arguments)
        params = ", ".join(f"{self.names.of(a)}: {_memory(a.type)}" for a in args)
        lines = [f"kernel {ir.StringAttr(self.func.attributes['sym_name']).value}({params})"]
        if facts := self._facts():
            lines[0] += f"  // {facts}"
        return lines + self.block(self.func.regions[0].blocks[0], 1)

    def _facts(self) -> str:
        facts = []
        if "tile.target" in self.holder.attributes:
            facts.append(ir.StringAttr(self.holder.attributes["tile.target"]).value)
        for key, word in (("known_grid_size", "workgroups"), ("known_block_size", "threads")):
            if key in self.func.attributes:
                sizes = list(ir.DenseI32ArrayAttr(self.func.attributes[key]))
                while len(sizes) > 1 and sizes[-1] == 1:
                    sizes.pop()
                facts.append("x".join(str(s) for s in sizes) + f" {word}")
        return ", ".join(facts)

    def block(self, block: ir.Block, depth: int) -> list[str]:
        """The statements of ``block``."""
        lines, last = list[str](), ""
        ops = [view.operation for view in block.operations]
        for number, op in enumerate(ops):
            if op.name == "scf.for":
                lines, last = lines + self.loop(op, depth), ""
            elif op.name == "scf.if":
                lines, last = lines + self.branch(op, depth), ""
            elif op.name == "tile.sched_group" and number and ops[number - 1].name == op.name:
                continue
            elif (text := self.statement(ops[number:])) is not None:
                guard, _, rest = text.rpartition("\n")
                if guard and guard not in (self.guard, last):
                    lines.append(_INDENT * depth + guard)
                inner = int(bool(guard) and guard != self.guard)
                lines.append(_INDENT * (depth + inner) + rest.strip())
                last = guard
        return lines

    def loop(self, op: ir.Operation, depth: int) -> list[str]:
        """`for k = 0 to K step s:`, the body, and what is carried to the next iteration."""
        body, pad = op.regions[0].blocks[0], _INDENT * depth
        arguments = list(body.arguments)
        lines = [
            f"{pad}{self.names.of(argument)} = {self.names.of(initial)}"
            for argument, initial in zip(arguments[1:], list(op.operands)[3:], strict=True)
            if self.names.of(argument) != self.names.of(initial)
        ]
        low, high, step = (self.names.of(v) for v in list(op.operands)[:3])
        lines.append(f"{pad}for {self.names.of(arguments[0])} = {low} to {high} step {step}:")
        lines += self.block(body, depth + 1)
        for argument, value in zip(arguments[1:], list(body.operations)[-1].operands, strict=True):
            if self.names.of(argument) != self.names.of(value):
                carried = f"{self.names.of(argument)} = {self.names.of(value)}"
                lines.append(f"{pad}{_INDENT}{carried}")
        return lines

    def branch(self, op: ir.Operation, depth: int) -> list[str]:
        """`if condition:`, with the role that it stands for."""
        pad = _INDENT * depth
        role = ""
        if "tile.role" in op.attributes:
            role = f"  // {ir.StringAttr(op.attributes['tile.role']).value}"
        outer, guard = self.guard, f"if {self.names.of(op.operands[0])}:"
        lines = [f"{pad}{guard}{role}"]
        self.guard = guard
        lines += self.block(op.regions[0].blocks[0], depth + 1)
        self.guard = outer
        if len(op.regions[1].blocks):
            lines.append(f"{pad}else:")
            lines += self.block(op.regions[1].blocks[0], depth + 1)
        return lines

    def statement(self, ops: list[ir.Operation]) -> str | None:
        """The text for the first of ``ops``; None for what other lines say already."""
        op = ops[0]
        if op.name == "tile.sched_group":
            return groups(_run(ops))
        if op.name in _SILENT:
            return None
        if op.name.startswith("tile."):
            return statement(op, self.names)
        if op.name.startswith("arith."):
            return self.names.definition(op)
        results = ", ".join(self.names.of(r) for r in op.results)
        operands = ", ".join(self.names.of(v) for v in op.operands)
        return f"{results}{' = ' if results else ''}{op.name}({operands})"


def _run(ops: list[ir.Operation]) -> list[ir.Operation]:
    """The leading ops of one name."""
    count = next((i for i, op in enumerate(ops) if op.name != ops[0].name), len(ops))
    return ops[:count]


def _memory(type_: ir.Type) -> str:
    if not isinstance(type_, ir.MemRefType):
        return str(type_)
    return "x".join(str(d) for d in type_.shape) + f" {type_.element_type}"
