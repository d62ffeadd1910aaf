"""Passes that do what a test says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from gemm_ladder.compiler.resolve import Step
from gemm_ladder.passes.base import PassContext


@dataclass(frozen=True)
class Scripted:
    """A pass that does what a test says."""

    name: ClassVar[str] = "scripted"
    analysis: ClassVar[bool] = False
    action: Callable[[ir.Module, PassContext], None] = lambda *_: None

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        self.action(module, ctx)


def scripted(name: str, action: Callable[[ir.Module, PassContext], None]) -> Step:
    """A step called ``name`` that runs ``action``."""
    return Step(name, name, pass_=Scripted(action))
