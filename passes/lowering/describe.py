"""`tile.kernel`: what a launch has to know, as a dictionary attribute on the lowered kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir

from gemm_ladder.passes.analysis.kernel import defining
from gemm_ladder.passes.analysis.strides import strides_of
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering.state import BASE_ALIGN
from gemm_ladder.passes.lowering.walk import walk

# op -> (operands that it reads, operands that it writes), where these may be memrefs
_EFFECTS = {
    "tile.load": ((0,), ()),
    "tile.store": ((), (1,)),
    "tile.copy": ((0,), (1,)),
    "tile.copy_async": ((0,), (1,)),
    "memref.load": ((0,), ()),
    "memref.store": ((), (1,)),
}


def accesses(func: ir.Operation) -> list[str]:
    """What happens to each argument: read, write or readwrite; unknown ops do both."""
    args = list(func.regions[0].blocks[0].arguments)
    reads: set[int] = set()
    writes: set[int] = set()
    for op in walk(func):
        for position, operand in enumerate(op.operands):
            if defining(operand) is None and operand in args:
                number = args.index(operand)
                read, write = _effect(op, position)
                reads |= {number} if read else set()
                writes |= {number} if write else set()
    texts = {(True, False): "read", (False, True): "write", (True, True): "readwrite"}
    return [texts.get((i in reads, i in writes), "read") for i in range(len(args))]


def _effect(op: ir.Operation, position: int) -> tuple[bool, bool]:
    if op.name == "tile.contract":
        written = position == 2
        accumulates = ir.BoolAttr(op.attributes["accumulate"]).value
        return (not written or accumulates), written
    if op.name not in _EFFECTS:
        return True, True
    read, write = _EFFECTS[op.name]
    return position in read, position in write


def contract_of(func: ir.Operation) -> ir.Attribute | None:
    """The kernel's contract: its attribute, or the one of the tile.contract that it consists of."""
    if "tile.contract" in func.attributes:
        return func.attributes["tile.contract"]
    args = list(func.regions[0].blocks[0].arguments)
    for op in walk(func):
        if op.name == "tile.contract" and list(op.operands) == args[:3]:
            return _contract(op)
    return None


def _contract(op: ir.Operation) -> ir.Attribute:
    order = ir.StringAttr(op.attributes["a_order"]).value
    (rows, depth), (m, n) = (ir.MemRefType(op.operands[i].type).shape for i in (0, 2))
    facts = {"m": _int(m), "n": _int(n), "k": _int(depth if order == "mk" else rows)}
    names = ("a_order", "b_order", "accumulate")
    return ir.DictAttr.get({**facts, **{name: op.attributes[name] for name in names}})


def cluster_of(func: ir.Operation) -> tuple[int, int, int]:
    """Workgroups of a cluster along x, y and z: known_cluster_size, or one."""
    if "known_cluster_size" not in func.attributes:
        return 1, 1, 1
    x, y, z = ir.DenseI32ArrayAttr(func.attributes["known_cluster_size"])
    return x, y, z


def kernel_attr(
    func: ir.Operation,
    grid: Sequence[int],
    dynamic_lds: int,
    remarks: Sequence[str],
    more: Mapping[str, ir.Attribute],
) -> ir.Attribute:
    """The whole description of ``func`` (the old function); ``more`` is the vendor's part."""
    facts = {
        **more,
        "args": ir.ArrayAttr.get(_args(func)),
        "grid": ir.ArrayAttr.get([_int(extent) for extent in grid]),
        "cluster": ir.ArrayAttr.get([_int(extent) for extent in cluster_of(func)]),
        "dynamic_lds": _int(dynamic_lds),
        "remarks": ir.ArrayAttr.get([ir.StringAttr.get(text) for text in remarks]),
    }
    contract = contract_of(func)
    if contract is not None:
        facts["contract"] = contract
    return ir.DictAttr.get(facts)


def _args(func: ir.Operation) -> list[ir.Attribute]:
    values = list(func.regions[0].blocks[0].arguments)
    names = [f"arg{i}" for i in range(len(values))]
    if "tile.names" in func.attributes:
        found = [ir.StringAttr(a).value for a in ir.ArrayAttr(func.attributes["tile.names"])]
        if len(found) != len(values):
            raise PassError(func, f"{len(found)} tile.names for {len(values)} arguments")
        names = found
    kinds = accesses(func)
    return [_arg(func, *facts) for facts in zip(names, values, kinds, strict=True)]


def _arg(func: ir.Operation, name: str, value: ir.Value, access: str) -> ir.Attribute:
    if not isinstance(value.type, ir.MemRefType):
        raise PassError(func, f"argument {name} is {value.type}; only memrefs can be passed")
    memref = ir.MemRefType(value.type)
    if not memref.has_static_shape:
        raise PassError(func, f"argument {name} is {memref}; dynamic shapes are not supported yet")
    strides, _ = strides_of(memref)
    return ir.DictAttr.get(
        {
            "name": ir.StringAttr.get(name),
            "dtype": ir.StringAttr.get(str(memref.element_type)),
            "shape": ir.ArrayAttr.get([_int(extent) for extent in memref.shape]),
            "strides": ir.ArrayAttr.get([_int(stride) for stride in strides]),
            "access": ir.StringAttr.get(access),
            "align": _int(BASE_ALIGN),
        }
    )


def _int(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
