"""Running the commands in this process and looking at what the user sees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gemm_ladder.compiler.cli import main as ladder_main
from gemm_ladder.compiler.cli import opt

REPO = Path(__file__).parents[2]
MATMUL = str(REPO / "examples" / "matmul.mlir")


@dataclass(frozen=True)
class Seen:
    """Exit code and both streams."""

    code: int
    out: str
    err: str


def ladder(capfd: pytest.CaptureFixture[str], *argv: str) -> Seen:
    """Run `ladder` with ``argv``."""
    capfd.readouterr()
    code = ladder_main.main(list(argv))
    return Seen(code, *capfd.readouterr())


def ladder_opt(capfd: pytest.CaptureFixture[str], *argv: str) -> Seen:
    """Run `ladder-opt` with ``argv``."""
    capfd.readouterr()
    code = opt.main(list(argv))
    return Seen(code, *capfd.readouterr())
