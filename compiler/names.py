"""Names for the values of a kernel: from locations, else from what a value is used for."""

from __future__ import annotations

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyAsyncOp, CopyLike
from gemm_ladder.dialect_defs.types import BarType, FragType, LdsType
from gemm_ladder.passes.analysis.kernel import walk

_INFIX = {
    "arith.addi": "+",
    "arith.subi": "-",
    "arith.muli": "*",
    "arith.divui": "/",
    "arith.divsi": "/",
    "arith.remui": "mod",
    "arith.remsi": "mod",
    "arith.shli": "<<",
    "arith.shrui": ">>",
    "arith.andi": "and",
    "arith.ori": "or",
    "arith.xori": "xor",
}
_CALLS = {
    "arith.minsi": "min",
    "arith.minui": "min",
    "arith.maxsi": "max",
    "arith.maxui": "max",
}
_CASTS = ("arith.index_cast", "arith.index_castui", "arith.extui", "arith.trunci")
_COMPARE = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
# Names of values that read better as what they are.
_INLINED = ("valid", "start", "part")
_ROLES = {"a": "A_reg", "b": "B_reg", "acc": "acc"}


class Names:
    """Gives every value of kernel ``func`` a name, or the text of the expression that it is.

    Accumulators that one loop carries share a name, as pseudocode has one variable for them.
    ``engines`` are the engines whose copies a tile.wait is for, "" being copies through registers.
    """

    def __init__(self, func: ir.Operation) -> None:
        self._names: dict[ir.Value, str] = {}
        body = func.regions[0].blocks[0]
        listed = (
            ir.ArrayAttr(func.attributes["tile.names"]) if "tile.names" in func.attributes else []
        )
        for number, argument in enumerate(body.arguments):
            name = ir.StringAttr(listed[number]).value if number < len(listed) else f"arg{number}"
            self._names[argument] = name
        self.engines = _engines(body)

    def of(self, value: ir.Value) -> str:
        """The name of ``value``, or its expression where it is unnamed index arithmetic."""
        if value in self._names:
            return self._names[value]
        owner = value.owner
        if isinstance(owner, ir.Block):
            text = self._argument(value)
        else:
            text = self._result(value, owner.operation)
        self._names[value] = text
        return text

    def definition(self, op: ir.Operation) -> str | None:
        """`name = expression` for arithmetic inside a loop that bears a name; None for the rest.

        Arithmetic outside loops (but for masks), and the parts of an expression, are told by their
        names alone.
        """
        name = _own_name(op.results[0])
        inside = op.parent.operation.name in ("scf.for", "scf.if")
        if name is None or op.name in _CASTS or not (inside or op.name == "arith.shli"):
            return None
        users = [use.owner.operation for use in op.results[0].uses]
        if any(u.results and _own_name(u.results[0]) == name for u in users):
            return None
        if name in _INLINED:
            return None
        return f"{name} = {self._expression(op, name)}"

    def _argument(self, value: ir.Value) -> str:
        argument = ir.BlockArgument(value)
        frag, own = FragType.of(value.type), _own_name(value)
        if frag is not None and (own is None or frag.role == "acc"):
            return _ROLES.get(frag.role, "frag")
        if own is not None:
            return own
        if argument.arg_number == 0:
            return "k"
        return "current" if _is_slot(value) else f"i{argument.arg_number}"

    def _result(self, value: ir.Value, op: ir.Operation) -> str:
        frag = FragType.of(value.type)
        if frag is not None and frag.role == "acc":
            return _ROLES["acc"]
        if op.name in ("tile.alloc", "tile.barrier_create") and "name" in op.attributes:
            return str(ir.StringAttr(op.attributes["name"]).value)
        if op.name == "tile.block_coord":
            return ("m0", "n0")[ir.OpResult(value).result_number]
        if op.name == "gpu.subgroup_id":
            return "wave_id"
        if op.name == "gpu.cluster_block_id":
            return f"cluster_{str(op.attributes['dimension'])[-2]}"
        if op.name in _CASTS:
            return self.of(op.operands[0])
        if op.name == "arith.constant":
            return _constant(op)
        if op.name == "scf.for":
            return self.of(op.regions[0].blocks[0].arguments[ir.OpResult(value).result_number + 1])
        named = _own_name(value)
        if op.name.startswith("arith.") and (named is None or named in _INLINED):
            return self._expression(op, None)
        return named if named is not None else self._by_kind(value)

    def _by_kind(self, value: ir.Value) -> str:
        frag = FragType.of(value.type)
        if frag is not None:
            return _ROLES.get(frag.role, "frag")
        if LdsType.of(value.type) is not None:
            return "LDS"
        if BarType.of(value.type) is not None:
            return "bar"
        return f"v{len(self._names)}"

    def _expression(self, op: ir.Operation, within: str | None) -> str:
        """``op`` as text; operands that bear the name ``within`` are written out."""
        parts = []
        for operand in op.operands:
            owner = operand.owner
            inner = None if isinstance(owner, ir.Block) else owner.operation
            if inner is not None and within is not None and _is_part(inner, within):
                parts.append(f"({self._expression(inner, within)})")
            else:
                parts.append(self._operand(operand))
        if op.name in _CALLS:
            bare = [p[1:-1] if p.startswith("(") and p.endswith(")") else p for p in parts]
            return f"{_CALLS[op.name]}({', '.join(bare)})"
        if op.name in _INFIX:
            return f" {_INFIX[op.name]} ".join(parts)
        if op.name == "arith.select":
            return f"{parts[1]} if {parts[0]} else {parts[2]}"
        if op.name == "arith.cmpi":
            sign = _COMPARE[ir.IntegerAttr(op.attributes["predicate"]).value]
            return f"{parts[0]} {sign} {parts[1]}"
        return f"{op.name.removeprefix('arith.')}({', '.join(parts)})"

    def _operand(self, value: ir.Value) -> str:
        text = self.of(value)
        is_call = text.startswith(tuple(f"{name}(" for name in _CALLS.values()))
        return f"({text})" if " " in text and not is_call else text


def _is_part(op: ir.Operation, name: str) -> bool:
    """Whether ``op`` is arithmetic that only the text of ``name`` tells of."""
    if not op.name.startswith("arith.") or op.name in (*_CASTS, "arith.constant"):
        return False
    return _own_name(op.results[0]) in (None, name)


def _own_name(value: ir.Value) -> str | None:
    location = value.location
    return str(location.name_str) if location.is_a_name() else None


def _constant(op: ir.Operation) -> str:
    attr = op.attributes["value"]
    is_mask = isinstance(attr.type, ir.IntegerType) and ir.IntegerType(attr.type).width == 32
    if is_mask and (attr.value > 9 or _own_name(op.results[0]) is not None):
        return f"{attr.value:#x}"
    if isinstance(attr, (ir.IntegerAttr, ir.FloatAttr)):
        return str(attr.value)
    return str(attr)


def _engines(body: ir.Block) -> tuple[str, ...]:
    found = set()
    for op in walk(body):
        if op.name == "tile.copy" and CopyLike(op).fills_lds:
            found.add("")
        elif op.name == "tile.copy_async" and CopyAsyncOp(op).completes is None:
            found.add(CopyAsyncOp(op).str_attr("engine"))
    return tuple(sorted(found, reverse=True))


def _is_slot(value: ir.Value) -> bool:
    """Whether ``value`` chooses the stage that a fragment is loaded from."""
    loads = (u.owner.operation for u in value.uses if u.owner.operation.name == "tile.load")
    return any(len(op.operands) == 4 and op.operands[1] == value for op in loads)
