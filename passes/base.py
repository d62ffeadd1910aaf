"""What a pass is: its protocol, the context that it runs in, and how it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from mlir import ir

from gemm_ladder.dialect_defs.target import Target


class PassError(Exception):
    """A pass refuses its input.

    ``op`` is where (its location is printed), ``message`` states the value and the limit, or which
    pass establishes the missing precondition; ``notes`` are further lines, each with a location.
    """

    def __init__(
        self,
        op: ir.Operation | ir.OpView,
        message: str,
        notes: Sequence[tuple[ir.Location, str]] = (),
    ) -> None:
        super().__init__(message)
        self.location: ir.Location = op.location
        self.message = message
        self.notes = tuple(notes)


@dataclass(frozen=True)
class PassContext:
    """What a pass may use besides the IR.

    ``target`` looks a target's facts up by name (KeyError if unknown); ``default_target`` is the
    name that import-matmul writes on the modules it makes; ``remark(location, text)`` tells the
    user about a decision that the IR alone does not show.
    """

    target: Callable[[str], Target]
    default_target: str
    remark: Callable[[ir.Location, str], None]


class Pass(Protocol):
    """One technique or one lowering: rewrites ``module`` in place or raises PassError.

    Classes are frozen dataclasses whose fields are options (see options.py). ``name`` is the name
    in pipeline text; ``analysis`` is True for a pass that only checks (never warned about as
    having changed nothing). The class docstring is: one line, Before, After, Source.
    """

    name: ClassVar[str]
    analysis: ClassVar[bool]

    def run(self, module: ir.Module, ctx: PassContext) -> None:
        """Rewrite ``module``; the caller holds its MLIR context entered."""
