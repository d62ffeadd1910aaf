"""One line of pseudocode for each `tile` op, in the notation of the published ladder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from gemm_ladder.compiler.names import Names
from gemm_ladder.dialect_defs.tile import (
    AllocOp,
    ArriveOp,
    BarrierCreateOp,
    CopyAsyncOp,
    CopyLike,
    LoadOp,
    MmaOp,
    TileOp,
    WaitBarrierOp,
)
from gemm_ladder.dialect_defs.types import FragType, LdsType

_READS = {"lds": "LDS reads", "global": "global loads", "store": "stores"}
# Engine -> (where its copies come from in the text, what a wait for them is called).
_ENGINES = {
    "": ("", "copy"),
    "async": ("", "async"),
    "tdm": ("tdm::", "tdm"),
    "tma": ("tma::", "tma"),
}

Text = str | None
Rule = Callable[[ir.Operation, Names], Text]


def statement(op: ir.Operation, names: Names) -> Text:
    """What ``op``, a `tile` op, does, as one line or, for one wave alone, an `if` and a line."""
    return _RULES[op.name](op, names) if op.name in _RULES else f"{op.name}()"


def groups(ops: Sequence[ir.Operation]) -> str:
    """Neighbouring tile.sched_groups as one line."""
    rounds = TileOp(ops[0]).int_attr("repeat", 1)
    parts = [f"{TileOp(op).int_attr('count')} {TileOp(op).str_attr('kind')}" for op in ops]
    times = f" x {rounds}" if rounds > 1 else ""
    return f"interleave({', '.join(parts)}){times}"


def _contract(op: ir.Operation, names: Names) -> Text:
    contract = TileOp(op)
    a, b, c = (names.of(v) for v in op.operands)
    a += "^T" if contract.str_attr("a_order") == "km" else ""
    b += "^T" if contract.str_attr("b_order") == "nk" else ""
    return f"{c} {'+=' if contract.int_attr('accumulate') else '='} {a} * {b}"


def _alloc(op: ir.Operation, names: Names) -> Text:
    alloc, lds = AllocOp(op), AllocOp(op).lds
    layout = lds.layout
    notes = []
    if "offset" in op.attributes:
        notes.append(f"at byte {alloc.int_attr('offset'):,}")
    notes += [f"on the bytes of {names.of(older)}" for older in op.operands]
    if 0 < layout.block < lds.row_bytes:
        notes.append(f"columns in blocks of {layout.block} B")
    if layout.interval:
        notes.append(f"{layout.pad} B of padding every {layout.interval} B")
    if layout.swizzle:
        notes.append(f"{layout.swizzle}-byte swizzle")
    what = f"{names.of(op.results[0])}[{lds.stages}]: {lds.rows}x{lds.cols} {lds.elem} in LDS"
    return ", ".join([what, *notes])


def _barrier_create(op: ir.Operation, names: Names) -> Text:
    bar = BarrierCreateOp(op)
    if bar.str_attr("kind") == "hw":
        return None
    arrivals = bar.int_attr("arrivals")
    who = "the cluster" if bar.str_attr("scope") == "cluster" else "the workgroup"
    count = f"{arrivals} arrival{'s' if arrivals > 1 else ''}"
    return f"{names.of(op.results[0])}: mbarriers, {count} in {who} a phase"


def _copy(op: ir.Operation, names: Names) -> Text:
    copy = CopyLike(op)
    slot = f"{names.of(copy.ring)}[{names.of(copy.slot)}]"
    memref = copy.src if copy.fills_lds else copy.dst
    other = place(memref, list(copy.coords), names)
    ends = [slot, other] if copy.fills_lds else [other, slot]
    verb = "load" if copy.fills_lds else "store"
    if op.name == "tile.copy":
        path = "global -> registers -> LDS" if copy.fills_lds else "LDS -> registers -> global"
        return f"{verb}({', '.join(ends)})  // {path}"
    posted = CopyAsyncOp(op)
    if posted.parts != (1, 1):
        ends[0 if copy.fills_lds else 1] += f" of {posted.parts[0] * posted.parts[1]} parts each"
    if posted.multicast is not None:
        ends.append(names.of(posted.multicast))
    if posted.predicate is not None:
        ends.append(f"count = {names.of(posted.predicate)}")
    if posted.completes is not None:
        ends.append(_slot(posted.completes[0], posted.completes[1], names))
    engine = _ENGINES[posted.str_attr("engine")][0]
    return _by(posted.issuer, f"{engine}{verb}_async({', '.join(ends)})")


def _by(issuer: int | None, text: str) -> str:
    """``text``, under an `if` where one wave alone does it."""
    return text if issuer is None else f"if wave_id == {issuer}:\n    {text}"


def _slot(bar: ir.Value, slot: ir.Value | None, names: Names) -> str:
    name = names.of(bar)
    return name if slot is None else f"{name}[{names.of(slot)}]"


# Who brings the data, in a wait's comment.
_MOVERS = {"": "register copies", "async": "async copies", "tdm": "TDM", "tma": "TMA"}


def _wait(op: ir.Operation, names: Names) -> Text:
    wait = TileOp(op)
    kind, pending = wait.str_attr("kind"), wait.int_attr("pending")
    left = f", all but {pending}" if pending else ""
    if kind != "copy":
        return f"wait_{kind}<{pending}>()  // wait for {_READS[kind]}{left}"
    name = "_".join(_ENGINES[engine][1] for engine in names.engines) or "copy"
    who = ", ".join(_MOVERS[engine] for engine in names.engines) or "register copies"
    return f"wait_{name}<{pending}>()  // wait for data ({who}){left}"


def _barrier(verb: str, meaning: str) -> Rule:
    def text(op: ir.Operation, names: Names) -> Text:
        maker = op.operands[0].owner
        made = maker.operation if not isinstance(maker, ir.Block) else None
        bar = BarrierCreateOp(made) if made is not None and "scope" in made.attributes else None
        scope = "barrier" if bar is None else bar.str_attr("scope")
        issuer = ArriveOp(op).issuer if op.name == "tile.arrive" else None
        if bar is not None and bar.str_attr("kind") == "mbarrier":
            return _by(issuer, f"{verb}({', '.join(_mbarrier(op, names))})")
        prefix = "cluster::" if scope == "cluster" else ""
        return _by(issuer, f"{prefix}{verb}()  // {meaning} ({scope})")

    return text


def _mbarrier(op: ir.Operation, names: Names) -> list[str]:
    """Arguments of an arrival at, or a wait for, a slot of an mbarrier."""
    if op.name == "tile.wait_barrier":
        wait = WaitBarrierOp(op)
        phase = [] if wait.phase is None else [names.of(wait.phase)]
        return [_slot(op.operands[0], wait.slot, names), *phase]
    if op.name != "tile.arrive":
        return [names.of(op.operands[0])]
    arrive = ArriveOp(op)
    found = [_slot(op.operands[0], arrive.slot, names)]
    if arrive.int_attr("tx_bytes"):
        found.append(f"expect {arrive.int_attr('tx_bytes'):,} B")
    return [*found, *([] if arrive.peers is None else [f"in {names.of(arrive.peers)}"])]


def place(memory: ir.Value, coords: list[ir.Value], names: Names) -> str:
    """`A_LDS[slot][row, col]` or `A[row, col]`."""
    texts = [names.of(c) for c in coords]
    name = names.of(memory)
    if LdsType.of(memory.type) is not None and len(texts) == 3:
        return f"{name}[{texts[0]}][{texts[1]}, {texts[2]}]"
    return f"{name}[{', '.join(texts)}]"


def _load(op: ir.Operation, names: Names) -> Text:
    load = LoadOp(op)
    flip = "^T" if load.transposed else ""
    where, frag = place(load.src, load.coords, names), load.frag
    size = f"{frag.rows}x{frag.cols} {frag.elem}"
    return f"{names.of(op.results[0])} = load({where}{flip})  // {size}"


def _mma(op: ir.Operation, names: Names) -> Text:
    mma = MmaOp(op)
    operands, coords = [], list(op.operands)[3:]
    for value, flip in zip(list(op.operands)[:2], mma.transposes, strict=True):
        text = names.of(value)
        if LdsType.of(value.type) is not None:
            text, coords = place(value, coords[:3], names), coords[3:]
        operands.append(f"{text}^T" if flip else text)
    acc = names.of(op.operands[2])
    how = mma.str_attr("atom") or "fma"
    if mma.str_attr("order") == "ba":
        how += ", operands swapped"
    part = mma.ints_attr("atoms")
    cut = f"[{part[0]}:{sum(part)}]" if part else ""
    if part:
        how = f"{part[1]} x {how}"
    return f"{names.of(op.results[0])} = mma({', '.join([acc, *operands])}){cut}  // {how}"


def _store(op: ir.Operation, names: Names) -> Text:
    where = place(op.operands[1], list(op.operands)[2:], names)
    return f"store({where}, {names.of(op.operands[0])})"


def _zero(op: ir.Operation, names: Names) -> Text:
    frag = FragType.of(op.results[0].type)
    size = f"  // {frag.rows}x{frag.cols} {frag.elem}" if frag else ""
    return f"{names.of(op.results[0])} = 0{size}"


def _hint(op: ir.Operation, names: Names) -> Text:
    hint = TileOp(op)
    value = hint.int_attr("value")
    return f"{hint.str_attr('kind')}({value if value != 1 else ''})"


_RULES: dict[str, Rule] = {
    "tile.contract": _contract,
    "tile.alloc": _alloc,
    "tile.barrier_create": _barrier_create,
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
    "tile.sched_fence": lambda op, names: "sched_fence()",
    "tile.hint": _hint,
    "tile.fence": lambda op, names: f"fence_{TileOp(op).str_attr('proxy')}_proxy()",
    "tile.set_registers": lambda op, names: f"set_registers({TileOp(op).int_attr('count')})",
}
