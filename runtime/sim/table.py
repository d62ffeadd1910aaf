"""What an instruction row is, and how a line finds its row.

A signature reads "results = sources" with a type each: u/i/f and a width, bf16, mask (a lane
mask in an SGPR), scc, exec; "nz" as a result sets SCC to (first result != 0); "dst:T" as a
source is the old value of the destination.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .asm import KernelAsm, Line
from .state import Array, Group

# What a handler asks of the scheduler: nothing, a jump of all waves, or of some of them.
Action = Any
Handler = Callable[[Group], Action]


@dataclass(frozen=True)
class Row:
    """One instruction: name, signature, effect on typed arrays, where the semantics come from."""

    name: str
    signature: str
    effect: Callable[..., Any]
    source: str = "LLVM AMDGPU"

    @property
    def results(self) -> tuple[str, ...]:
        """Types of the results, in operand order."""
        return _names(self.signature.partition("=")[0])

    @property
    def sources(self) -> tuple[str, ...]:
        """Types of the sources, in operand order."""
        return _names(self.signature.partition("=")[2])


def _names(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.replace(" ", "").split(",") if part)


@dataclass(frozen=True)
class Access:
    """A decoded memory mnemonic: space, direction, bytes a lane, how a value meets a register."""

    space: str
    store: bool
    size: int
    signed: bool
    half: str
    transpose: bool

    @property
    def registers(self) -> int:
        """Data registers of one address."""
        return max(1, self.size // 4)


@dataclass(frozen=True)
class Jump:
    """Some waves (`taken`, booleans over the group) continue at `target`, the rest fall through."""

    target: int
    taken: Array


@dataclass(frozen=True)
class Wait:
    """Only `ready` waves pass this instruction; the others try again later."""

    ready: Array


class End:
    """The group's waves are done."""


Builder = Callable[[Line, KernelAsm], Handler]


def base_name(mnemonic: str) -> str:
    """Mnemonic without the encoding suffix LLVM prints."""
    for suffix in ("_e32", "_e64"):
        if mnemonic.endswith(suffix):
            return mnemonic.removesuffix(suffix)
    return mnemonic
