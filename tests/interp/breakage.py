"""Deliberately broken versions of passes: the real pass runs, then something is undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import pytest
from mlir import ir
from mlir.dialects import arith

from gemm_ladder.compiler.interp.program import find_kernels
from gemm_ladder.passes import registry
from gemm_ladder.passes.analysis.kernel import walk
from gemm_ladder.passes.base import Pass, PassContext

Damage = Callable[[ir.Module], None]


def broken_pass(monkeypatch: pytest.MonkeyPatch, name: str, damage: Damage) -> None:
    """Make pass ``name`` do ``damage`` to its result."""
    real = registry.pass_class(name)

    @dataclass(frozen=True)
    class Broken(real):  # type: ignore[misc, valid-type] # the class is a value
        name: ClassVar[str] = real.name

        def run(self, module: ir.Module, ctx: PassContext) -> None:
            super().run(module, ctx)
            damage(module)

    def found(asked: str) -> type[Pass]:
        return Broken if asked == name else original(asked)

    original = registry.pass_class
    monkeypatch.setattr("gemm_ladder.compiler.resolve.pass_class", found)


def ops(module: ir.Module, *names: str) -> list[ir.Operation]:
    """The ops of all kernels that have one of ``names``."""
    bodies = [func.regions[0].blocks[0] for func in find_kernels(module)]
    return [op for body in bodies for op in walk(body) if op.name in names]


def drop(*names: str) -> Damage:
    """Erase every op with one of ``names``."""

    def damage(module: ir.Module) -> None:
        for op in ops(module, *names):
            op.erase()

    return damage


def drop_last(name: str) -> Damage:
    """Erase the last op called ``name``."""
    return lambda module: ops(module, name)[-1].erase()


def drop_waits(kind: str) -> Damage:
    """Erase every tile.wait of ``kind``."""

    def damage(module: ir.Module) -> None:
        for op in ops(module, "tile.wait"):
            if ir.StringAttr(op.attributes["kind"]).value == kind:
                op.erase()

    return damage


DropWaits = drop_waits("copy")


def set_attr(name: str, attribute: str, text: str) -> Damage:
    """Set ``attribute`` of every op called ``name``."""

    def damage(module: ir.Module) -> None:
        for op in ops(module, name):
            op.attributes[attribute] = ir.Attribute.parse(text, op.context)

    return damage


def swap_operands(name: str, first: int, second: int) -> Damage:
    """Exchange two operands of every op called ``name``."""

    def damage(module: ir.Module) -> None:
        for op in ops(module, name):
            a, b = op.operands[first], op.operands[second]
            op.operands[first], op.operands[second] = b, a

    return damage


def shift_operand(name: str, number: int, by: int) -> Damage:
    """Add ``by`` to operand ``number`` of the last op called ``name``."""

    def damage(module: ir.Module) -> None:
        op = ops(module, name)[-1]
        with ir.InsertionPoint(op), op.location:
            step = arith.constant(ir.IndexType.get(), by)
            op.operands[number] = arith.addi(op.operands[number], step)

    return damage
