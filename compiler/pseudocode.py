"""Render tile IR as the pseudocode in which GEMM ladders are published."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

from gemm_ladder.compiler.names import Names
from gemm_ladder.dialect_defs.tile import AllocOp, BarrierCreateOp, CopyLike, LoadOp, TileOp
from gemm_ladder.dialect_defs.types import FragType, LdsType

_INDENT = "    "
_SILENT = ("gpu.return", "scf.yield", "gpu.subgroup_id", "tile.block_coord")


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
        lines: list[str] = []
        for view in block.operations:
            op = view.operation
            if op.name == "scf.for":
                lines += self.loop(op, depth)
            elif op.name == "scf.if":
                lines += self.branch(op, depth)
            elif (text := self.statement(op)) is not None:
                lines.append(_INDENT * depth + text)
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
        lines = [f"{pad}if {self.names.of(op.operands[0])}:{role}"]
        lines += self.block(op.regions[0].blocks[0], depth + 1)
        if len(op.regions[1].blocks):
            lines.append(f"{pad}else:")
            lines += self.block(op.regions[1].blocks[0], depth + 1)
        return lines

    def statement(self, op: ir.Operation) -> str | None:
        """One line for ``op``; None for what other lines say already."""
        if op.name in _STATEMENTS:
            return _STATEMENTS[op.name](self, op)
        if op.name in _SILENT or op.name == "arith.constant":
            return None
        if op.name.startswith("arith."):
            return self.names.definition(op)
        results = ", ".join(self.names.of(r) for r in op.results)
        operands = ", ".join(self.names.of(v) for v in op.operands)
        return f"{results}{' = ' if results else ''}{op.name}({operands})"

    def place(self, memory: ir.Value, coords: list[ir.Value]) -> str:
        """`A_LDS[slot][row, col]` or `A[row, col]`."""
        texts = [self.names.of(c) for c in coords]
        name = self.names.of(memory)
        if LdsType.of(memory.type) is not None and len(texts) == 3:
            return f"{name}[{texts[0]}][{texts[1]}, {texts[2]}]"
        return f"{name}[{', '.join(texts)}]"


def _memory(type_: ir.Type) -> str:
    if not isinstance(type_, ir.MemRefType):
        return str(type_)
    return "x".join(str(d) for d in type_.shape) + f" {type_.element_type}"


def _contract(r: _Renderer, op: ir.Operation) -> str:
    contract = TileOp(op)
    a, b, c = (r.names.of(v) for v in op.operands)
    a += "^T" if contract.str_attr("a_order") == "km" else ""
    b += "^T" if contract.str_attr("b_order") == "nk" else ""
    return f"{c} {'+=' if contract.int_attr('accumulate') else '='} {a} * {b}"


def _alloc(r: _Renderer, op: ir.Operation) -> str:
    lds = AllocOp(op).lds
    note = _layout(lds)
    name = r.names.of(op.results[0])
    return f"{name}[{lds.stages}]: {lds.rows}x{lds.cols} {lds.elem} in LDS{note}"


def _layout(lds: LdsType) -> str:
    layout = lds.layout
    cut = 0 < layout.block < lds.row_bytes
    parts = [f"columns in blocks of {layout.block} B"] if cut else []
    if layout.interval:
        parts.append(f"{layout.pad} B of padding every {layout.interval} B")
    if layout.swizzle:
        parts.append(f"{layout.swizzle}-byte swizzle")
    return "".join(f", {part}" for part in parts)


def _copy(r: _Renderer, op: ir.Operation) -> str:
    copy = CopyLike(op)
    slot = f"{r.names.of(copy.ring)}[{r.names.of(copy.slot)}]"
    other = r.place(copy.src if copy.fills_lds else copy.dst, list(copy.coords))
    verb = "load" if copy.fills_lds else "store"
    ends = f"{slot}, {other}" if copy.fills_lds else f"{other}, {slot}"
    if op.name == "tile.copy":
        path = "global -> registers -> LDS" if copy.fills_lds else "LDS -> registers -> global"
        return f"{verb}({ends})  // {path}"
    return f"{verb}_async({ends})  // {copy.str_attr('engine')}"


def _wait(r: _Renderer, op: ir.Operation) -> str:
    wait = TileOp(op)
    job = {"copy": "fills of LDS", "lds": "LDS reads", "global": "global loads", "store": "stores"}
    pending = wait.int_attr("pending")
    left = f"until {pending} are left" if pending else "all"
    return f"wait_{wait.str_attr('kind')}<{pending}>()  // {job[wait.str_attr('kind')]}, {left}"


def _barrier(verb: str, meaning: str) -> Callable[[_Renderer, ir.Operation], str]:
    def text(r: _Renderer, op: ir.Operation) -> str:
        arguments = ", ".join(r.names.of(v) for v in list(op.operands)[1:])
        bar = op.operands[0].owner
        scope = "barrier"
        if not isinstance(bar, ir.Block) and bar.operation.name == "tile.barrier_create":
            scope = BarrierCreateOp(bar.operation).str_attr("scope")
        return f"{verb}({arguments})  // {meaning} ({scope})"

    return text


def _load(r: _Renderer, op: ir.Operation) -> str:
    load = LoadOp(op)
    flip = "^T" if load.transposed else ""
    frag = load.frag
    return (
        f"{r.names.of(op.results[0])} = load({r.place(load.src, load.coords)}{flip})"
        f"  // {frag.rows}x{frag.cols} {frag.elem}"
    )


def _mma(r: _Renderer, op: ir.Operation) -> str:
    mma = TileOp(op)
    a, b, acc = (r.names.of(v) for v in list(op.operands)[:3])
    atom = mma.str_attr("atom") or "fma"
    order = ", operands swapped" if mma.str_attr("order") == "ba" else ""
    part = mma.ints_attr("atoms")
    atoms = f", atoms {part[0]}..{sum(part) - 1}" if part else ""
    return f"{r.names.of(op.results[0])} = mma({acc}, {a}, {b})  // {atom}{order}{atoms}"


def _store(r: _Renderer, op: ir.Operation) -> str:
    place = r.place(op.operands[1], list(op.operands)[2:])
    return f"store({place}, {r.names.of(op.operands[0])})"


def _zero(r: _Renderer, op: ir.Operation) -> str:
    frag = FragType.of(op.results[0].type)
    size = f"  // {frag.rows}x{frag.cols} {frag.elem}" if frag else ""
    return f"{r.names.of(op.results[0])} = 0{size}"


_STATEMENTS: dict[str, Callable[[_Renderer, ir.Operation], str | None]] = {
    "tile.contract": _contract,
    "tile.alloc": _alloc,
    "tile.barrier_create": lambda r, op: None,
    "tile.copy": _copy,
    "tile.copy_async": _copy,
    "tile.wait": _wait,
    "tile.barrier": _barrier("sync", "wait for everyone"),
    "tile.arrive": _barrier("arrive", "signal everyone"),
    "tile.wait_barrier": _barrier("wait", "wait for everyone"),
    "tile.load": _load,
    "tile.mma": _mma,
    "tile.store": _store,
    "tile.zero": _zero,
    "tile.sched_fence": lambda r, op: "sched_fence()",
}
