"""Stages of a compilation, named by file suffix; a run may start and stop at any of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from gemm_ladder.compiler.errors import UsageError, closest

# Stage -> suffix, in order. Which of them a target passes through: stages_of().
SUFFIXES: dict[str, str] = {
    "linalg": ".linalg.mlir",
    "tile": ".tile.mlir",
    "gpu": ".gpu.mlir",
    "llvm": ".llvm.mlir",
    "ll": ".ll",
    "s": ".s",
    "hsaco": ".hsaco",
    "ptx": ".ptx",
    "cubin": ".cubin",
}
MEANINGS: dict[str, str] = {
    "linalg": "linalg on tensors or memrefs, as .mlir is",
    "tile": "the workgroup and wave program",
    "gpu": "a lane's program, upstream dialects",
    "llvm": "the LLVM dialect",
    "ll": "AMD: LLVM IR",
    "s": "AMD: assembly",
    "hsaco": "AMD: binary, with JSON and assembly beside it",
    "ptx": "NVIDIA: PTX",
    "cubin": "NVIDIA: binary, with JSON and PTX beside it",
}
MLIR_STAGES = ("linalg", "tile", "gpu", "llvm")
BINARY_STAGES = ("hsaco", "cubin")
# Code generator -> the stages behind the LLVM dialect.
_BACKEND_STAGES = {"amdgpu": ("ll", "s", "hsaco"), "nvptx": ("ptx", "cubin")}


@dataclass(frozen=True)
class Name:
    """A file name taken apart: ``mm.tile.mlir`` is stem ``mm`` at stage ``tile``."""

    stem: str
    stage: str


def backends() -> list[str]:
    """The code generators there are."""
    return list(_BACKEND_STAGES)


def stages_of(backend: str) -> tuple[str, ...]:
    """The stages of a compilation by ``backend``, in order."""
    return MLIR_STAGES + _BACKEND_STAGES[backend]


def parse_name(path: str) -> Name | None:
    """Stem and stage of ``path`` by its suffix, plain ``.mlir`` being linalg; None if unknown."""
    name = PurePath(path).name
    for stage, suffix in SUFFIXES.items():
        if name.endswith(suffix) and len(name) > len(suffix):
            return Name(name[: -len(suffix)], stage)
    if name.endswith(".mlir") and len(name) > len(".mlir"):
        return Name(name[: -len(".mlir")], "linalg")
    return None


def stage_named(text: str) -> str:
    """The stage that ``text`` names, as ``tile``, ``.tile.mlir`` or ``tile.mlir``; UsageError."""
    for stage, suffix in SUFFIXES.items():
        if text in (stage, suffix, suffix[1:]):
            return stage
    guess = closest(text, list(SUFFIXES))
    raise UsageError(f"error: unknown stage '{text}'{guess}\nstages: {', '.join(SUFFIXES)}")
