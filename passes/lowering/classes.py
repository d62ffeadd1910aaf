"""One distribution for every fragment of a kernel: values that must agree share a class.

A value and the loop argument, yield or result that it becomes are one class. A class takes its
atom from the products that it meets; products that disagree are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mlir import ir

from gemm_ladder.dialect_defs.target import Atom, LaneMap, Target
from gemm_ladder.dialect_defs.tile import MmaOp
from gemm_ladder.dialect_defs.types import FragType
from gemm_ladder.passes.base import PassError
from gemm_ladder.passes.lowering.distribution import Distribution
from gemm_ladder.passes.lowering.walk import walk


@dataclass(frozen=True)
class Need:
    """What a product asks of a fragment: its atom and operand order ("" for plain FMA)."""

    atom: str
    order: str

    def text(self) -> str:
        """For messages."""
        if not self.atom:
            return "no atom"
        return f"atom {self.atom}" + (f", order {self.order}" if self.order else "")


@dataclass
class FragmentClasses:
    """The fragment values of one kernel and their classes (union-find)."""

    target: Target
    _parent: dict[ir.Value, ir.Value] = field(default_factory=dict)
    _needs: dict[ir.Value, tuple[Need, ir.Operation]] = field(default_factory=dict)

    @staticmethod
    def of(func: ir.Operation, target: Target) -> FragmentClasses:
        """The classes of ``func``; PassError where two products disagree."""
        classes = FragmentClasses(target)
        products = []
        for op in walk(func):
            if op.name in ("scf.for", "scf.if"):
                classes._join_region_op(op)
            elif op.name == "tile.mma":
                products.append(op)
        for op in products:
            classes._need(op)
        return classes

    def find(self, value: ir.Value) -> ir.Value:
        """The representative of ``value``'s class."""
        while value in self._parent:
            value = self._parent[value]
        return value

    def join(self, a: ir.Value, b: ir.Value) -> None:
        """``a`` and ``b`` are distributed alike."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self._parent[a] = b

    def distribution(self, value: ir.Value, at: ir.Operation) -> Distribution:
        """How ``value`` lies over the lanes; PassError at ``at`` if it is no whole grid."""
        frag = FragType.of(value.type)
        assert frag is not None
        found = self._needs.get(self.find(value))
        atom = self.target.atom(found[0].atom) if found and found[0].atom else None
        if atom is None:
            dist = Distribution(frag, _fma_map(self.target.fma_map, frag.role))
        else:
            assert found is not None
            dist = Distribution(frag, _map_of(atom, frag.role, found[0].order), atom)
        if not dist.fits:
            shape = "x".join(str(s) for s in dist.block)
            kind = f"atom {atom.name}" if atom else f"plain products on {self.target.name}"
            message = f"a {frag.rows}x{frag.cols} fragment is no whole number of {shape} blocks"
            raise PassError(at, f"{message}, as {kind} needs")
        return dist

    def _join_region_op(self, op: ir.Operation) -> None:
        first = 1 if op.name == "scf.for" else 0
        for region in op.regions:
            for block in region:
                ends = list(block.operations)[-1].operation.operands
                for result, end in zip(op.results, ends, strict=False):
                    self.join(result, end)
                for arg, result in zip(list(block.arguments)[first:], op.results, strict=False):
                    self.join(arg, result)
        if op.name == "scf.for":
            for init, result in zip(list(op.operands)[3:], op.results, strict=True):
                self.join(init, result)

    def _need(self, op: ir.Operation) -> None:
        view = MmaOp(op)
        atom, order = view.str_attr("atom"), view.str_attr("order", "ab")
        if atom:
            check_atom(op, self.target, atom, order)
        for value in [*list(op.operands)[:3], op.results[0]]:
            frag = FragType.of(value.type)
            if frag is not None:
                role_order = order if atom and frag.role == "acc" else ""
                self._record(value, Need(atom, role_order), op)

    def _record(self, value: ir.Value, need: Need, op: ir.Operation) -> None:
        root = self.find(value)
        known, where = self._needs.setdefault(root, (need, op))
        if known != need:
            message = f"a fragment of this product needs {need.text()}, another {known.text()}"
            raise PassError(op, message, [(where.location, "the other product")])


def check_atom(op: ir.Operation, target: Target, name: str, order: str) -> None:
    """PassError if ``target`` has no atom ``name``, or cannot swap its operands for ``order``."""
    atom = target.atom(name)
    if atom is None:
        known = ", ".join(a.name for a in target.atoms) or "none"
        raise PassError(op, f"{target.name} has no atom '{name}' (atoms: {known})")
    if order not in ("ab", "ba"):
        raise PassError(op, f"order is '{order}'; it is 'ab' or 'ba'")
    if order == "ba" and not atom.symmetric:
        raise PassError(op, f"atom {name} cannot swap its operands: their lane maps differ")


def _fma_map(acc: LaneMap, role: str) -> LaneMap:
    """A plain product's map: of the rows and columns that it sums, a lane holds every k."""
    if role == "acc":
        return acc
    if role == "a":
        lanes = tuple((row, 0) for row, _ in acc.lanes)
        return LaneMap(lanes, tuple((row, 0) for row, _ in acc.slots if row))
    lanes = tuple((0, col) for _, col in acc.lanes)
    return LaneMap(lanes, tuple((0, col) for _, col in acc.slots if col))


def _map_of(atom: Atom, role: str, order: str) -> LaneMap:
    if role == "acc":
        return atom.acc_map.transposed() if order == "ba" else atom.acc_map
    return atom.a_map if role == "a" else atom.b_map
