"""External tools: where ld.lld and ptxas are looked for, and running one."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from gemm_ladder.compiler.errors import LadderError, MissingToolError


@dataclass(frozen=True)
class Tool:
    """A program that was found: the start of its command line."""

    command: tuple[str, ...]


@dataclass(frozen=True)
class _Place:
    """One place to look: how it reads in an error, and the candidates there."""

    label: str
    find: Callable[[], Iterable[tuple[str, ...]]]


def find_lld() -> Tool:
    """A linker for AMDGPU objects; MissingToolError lists every place that was tried."""
    places = (
        _Place("$LADDER_LLD", lambda: _from_environment("LADDER_LLD")),
        _Place(
            "iree-lld of package iree-base-compiler",
            lambda: _in_package("iree.compiler", "_mlir_libs/iree-lld", "-flavor", "gnu"),
        ),
        _Place("$ROCM_PATH/llvm/bin/ld.lld", lambda: _rocm("llvm/bin/ld.lld")),
        _Place("ld.lld on PATH", lambda: _on_path("ld.lld")),
    )
    return _find("ld.lld", "to link an HSACO", places)


def find_ptxas() -> Tool:
    """NVIDIA's assembler; MissingToolError lists every place that was tried."""
    places = (
        _Place("$LADDER_PTXAS", lambda: _from_environment("LADDER_PTXAS")),
        _Place("package nvidia-cuda-nvcc (extra `cuda`)", _nvcc_package),
        _Place("ptxas on PATH", lambda: _on_path("ptxas")),
    )
    return _find("ptxas", "to make a cubin", places)


def run_tool(tool: Tool, arguments: list[str], what: str, makes: Path) -> str:
    """Run ``tool``, which makes a file; its stdout and stderr. LadderError if it fails."""
    command = [*tool.command, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise LadderError(
            f"error: {what}: cannot run {tool.command[0]}: {error.strerror}"
        ) from None
    output = done.stdout + done.stderr
    if done.returncode != 0:
        said = output.strip() or f"exit code {done.returncode}"
        raise LadderError(f"error: {what}: {tool.command[0]} failed:\n{said}")
    if not makes.is_file():
        raise LadderError(f"error: {what}: {tool.command[0]} ended well but made no file")
    return output


def _find(name: str, purpose: str, places: tuple[_Place, ...]) -> Tool:
    for place in places:
        for command in place.find():
            if os.access(command[0], os.X_OK) and Path(command[0]).is_file():
                return Tool(command)
    tried = ", ".join(place.label for place in places)
    raise MissingToolError(f"error: {name} is needed {purpose} and was not found; tried: {tried}")


def _from_environment(variable: str) -> list[tuple[str, ...]]:
    """The program that the environment names; MissingToolError if it is set and no program."""
    path = os.environ.get(variable)
    if not path:
        return []
    if not (Path(path).is_file() and os.access(path, os.X_OK)):
        raise MissingToolError(f"error: ${variable} is '{path}', which is no program")
    # One binary serves every object format; iree-lld must be told which linker to be.
    flavor = ("-flavor", "gnu") if Path(path).name == "iree-lld" else ()
    return [(path, *flavor)]


def _in_package(module: str, relative: str, *arguments: str) -> list[tuple[str, ...]]:
    try:
        spec = importlib.util.find_spec(module)
    except ImportError:
        return []
    folders = spec.submodule_search_locations if spec else None
    return [(str(Path(folder) / relative), *arguments) for folder in folders or ()]


def _nvcc_package() -> list[tuple[str, ...]]:
    # The folder below nvidia/ names the toolkit's major version (cu13), older wheels cuda_nvcc.
    folders = [Path(found[0]) for found in _in_package("nvidia", "")]
    return [(str(p),) for folder in folders for p in sorted(folder.glob("*/bin/ptxas"))]


def _rocm(relative: str) -> list[tuple[str, ...]]:
    root = os.environ.get("ROCM_PATH", "/opt/rocm")
    return [(str(Path(root) / relative),)]


def _on_path(name: str) -> list[tuple[str, ...]]:
    found = shutil.which(name)
    return [(found,)] if found else []
