"""Builders of copies by an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from gemm_ladder.dialect_defs.tile import CopyLike


@dataclass(frozen=True)
class Posting:
    """How an engine is asked: ``engine``, by wave ``issuer`` alone (None: by every wave).

    Only where ``predicate`` holds; ``completes`` is an mbarrier and its slot.
    """

    engine: str
    issuer: int | None = None
    predicate: ir.Value | None = None
    completes: tuple[ir.Value, ir.Value] | None = None


def copy_async(copy: CopyLike, posting: Posting) -> ir.Operation:
    """What ``copy`` moves, by an engine, at the insertion point.

    A predicate of ``copy``'s own is kept where ``posting`` has none, its multicast mask always.
    """
    parts = optional_operands(copy)
    if posting.predicate is not None:
        parts[0] = [posting.predicate]
    if posting.completes is not None:
        parts[2:] = [[value] for value in posting.completes]
    i64 = ir.IntegerType.get_signless(64)
    attributes: dict[str, ir.Attribute] = {
        "align": copy.operation.attributes["align"],
        "engine": ir.StringAttr.get(posting.engine),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1] * 7 + [len(p) for p in parts]),
    }
    if posting.issuer is not None:
        attributes["issuer"] = ir.IntegerAttr.get(i64, posting.issuer)
    operands = [*list(copy.operation.operands)[:7], *(v for part in parts for v in part)]
    made = ir.Operation.create("tile.copy_async", operands=operands, attributes=attributes)
    return made.operation


def multicast(copy: CopyLike, mask: ir.Value) -> ir.Operation:
    """Ask for what ``copy`` moves, an op by an engine, together with the workgroups of ``mask``.

    Made in front of ``copy``, which the caller erases.
    """
    parts = optional_operands(copy)
    parts[1] = [mask]
    attributes = {name: copy.operation.attributes[name] for name in copy.operation.attributes}
    sizes = [1] * 7 + [len(part) for part in parts]
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes)
    operands = [*list(copy.operation.operands)[:7], *(v for part in parts for v in part)]
    with ir.InsertionPoint(copy.operation), copy.operation.location:
        made = ir.Operation.create("tile.copy_async", operands=operands, attributes=attributes)
    return made.operation


def optional_operands(copy: CopyLike) -> list[Sequence[ir.Value]]:
    """The operands behind the extents: predicate, multicast, completes, its slot; each 0 or 1."""
    operands, attributes = list(copy.operation.operands), copy.operation.attributes
    if copy.operation.name == "tile.copy":
        return [operands[7:], [], [], []]
    sizes = list(ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"]))
    found: list[Sequence[ir.Value]] = []
    start = 7
    for size in sizes[7:]:
        found.append(operands[start : start + size])
        start += size
    return found
