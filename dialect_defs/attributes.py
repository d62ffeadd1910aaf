"""Optional attributes of `tile` ops, which IRDL cannot declare, and the values they may take."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

Check = Callable[[ir.Attribute], bool]


def _one_of(*choices: str) -> Check:
    def check(attr: ir.Attribute) -> bool:
        return isinstance(attr, ir.StringAttr) and attr.value in choices

    check.__doc__ = "one of " + ", ".join(choices)
    return check


def _flag(attr: ir.Attribute) -> bool:
    """true or false"""
    return isinstance(attr, ir.BoolAttr)


def _text(attr: ir.Attribute) -> bool:
    """a string"""
    return isinstance(attr, ir.StringAttr)


def _count(attr: ir.Attribute) -> bool:
    """an integer of at least 0"""
    return isinstance(attr, ir.IntegerAttr) and attr.value >= 0


def _few(attr: ir.Attribute) -> bool:
    """an integer from 1 to 4096"""
    return isinstance(attr, ir.IntegerAttr) and 1 <= attr.value <= 4096


def _range(attr: ir.Attribute) -> bool:
    """[first, count], count at least 1"""
    if not isinstance(attr, ir.ArrayAttr) or len(attr) != 2:
        return False
    if not all(isinstance(a, ir.IntegerAttr) for a in attr):
        return False
    first, count = (ir.IntegerAttr(a).value for a in attr)
    return bool(first >= 0 and count >= 1)


def _pair(attr: ir.Attribute) -> bool:
    """two integers of at least 1"""
    if not isinstance(attr, ir.ArrayAttr) or len(attr) != 2:
        return False
    return all(isinstance(a, ir.IntegerAttr) and a.value >= 1 for a in attr)


def _names(attr: ir.Attribute) -> bool:
    """a list of strings"""
    return isinstance(attr, ir.ArrayAttr) and all(isinstance(a, ir.StringAttr) for a in attr)


def _segments(attr: ir.Attribute) -> bool:
    """an i32 array"""
    return isinstance(attr, ir.DenseI32ArrayAttr)


# Op name (without `tile.`) -> optional attribute -> check.
OPTIONAL: dict[str, dict[str, Check]] = {
    "alloc": {"name": _text, "offset": _count},
    "copy_async": {"issuer": _count, "parts": _pair, "operandSegmentSizes": _segments},
    "barrier_create": {"name": _text},
    "arrive": {"issuer": _count, "tx_bytes": _count, "operandSegmentSizes": _segments},
    "wait_barrier": {"operandSegmentSizes": _segments},
    "mma": {
        "atom": _text,
        "order": _one_of("ab", "ba"),
        "atoms": _range,
        "transpose_a": _flag,
        "transpose_b": _flag,
    },
    "store": {"chain": _names, "cols": _range},
    "sched_group": {"repeat": _few},
}

# Mandatory attributes with a closed set of values.
CLOSED: dict[tuple[str, str], Check] = {
    ("contract", "a_order"): _one_of("mk", "km"),
    ("contract", "b_order"): _one_of("kn", "nk"),
    ("copy_async", "engine"): _one_of("async", "tdm", "tma"),
    ("wait", "kind"): _one_of("copy", "lds", "global", "store"),
    ("wait", "pending"): _count,
    ("barrier_create", "scope"): _one_of("workgroup", "cluster"),
    ("barrier_create", "kind"): _one_of("hw", "mbarrier"),
    ("sched_group", "count"): _few,
    ("sched_group", "group"): _count,
    ("sched_group", "kind"): _one_of("lds_read", "mma", "valu", "global_read"),
    ("hint", "kind"): _one_of("lock_simd", "priority"),
    ("fence", "proxy"): _one_of("async"),
}

# Attributes that IRDL checks for presence; listed so that any other is a mistake.
MANDATORY: dict[str, tuple[str, ...]] = {
    "contract": ("a_order", "b_order", "accumulate"),
    "block_coord": ("tile",),
    "copy": ("align",),
    "copy_async": ("align", "engine"),
    "wait": ("kind", "pending"),
    "barrier_create": ("arrivals", "scope", "kind"),
    "load": ("transpose",),
    "sched_group": ("kind", "count", "group"),
    "hint": ("kind", "value"),
    "fence": ("proxy",),
    "set_registers": ("count",),
}


def role_error(op: ir.Operation) -> str | None:
    """What is wrong with the waves of the role that ``op``, of whatever dialect, is; or None."""
    if "tile.waves" not in op.attributes or _range(op.attributes["tile.waves"]):
        return None
    return f"attribute 'tile.waves' is {op.attributes['tile.waves']}; allowed: {_range.__doc__}"


def attribute_error(op: ir.Operation) -> str | None:
    """What is wrong with the attributes of `tile` op ``op``, or None.

    Attributes of another dialect's namespace (with a dot in the name) are nobody's business here.
    """
    short = op.name.removeprefix("tile.")
    optional = OPTIONAL.get(short, {})
    known = (*MANDATORY.get(short, ()), *optional)
    for name in op.attributes:
        attr = op.attributes[name]
        check = optional.get(name) or CLOSED.get((short, name))
        if check is not None and not check(attr):
            return f"attribute '{name}' is {attr}; allowed: {check.__doc__}"
        if name not in known and "." not in name:
            listed = ", ".join(known) or "none"
            return f"unknown attribute '{name}' (known: {listed})"
    return None
