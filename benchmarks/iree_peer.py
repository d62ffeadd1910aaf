"""The same matmul through `iree-compile` for gfx1250: its counts and its time."""

from __future__ import annotations

import re
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from compile_time import commands, find_iree, measure

from gemm_ladder.compiler.codegen.amd_asm import resources
from gemm_ladder.compiler.targets import load_target
from gemm_ladder.runtime.artefact import Kernel


def peer(source: str, level: str, runs: int) -> dict[str, Any] | None:
    """Facts of IREE's kernel and median seconds of both compilers; None without IREE.

    ``source`` is the linalg text that both compile; ``level`` is what ladder compiles it with.
    """
    if find_iree() is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "mm.mlir"
        path.write_text(source, encoding="utf-8")
        kernel = _kernel(path, folder)
        seconds = alternating(commands(path, level, folder), runs)
    return {
        "version": _version(),
        "vgprs": kernel.vgprs,
        "sgprs": kernel.sgprs,
        "spills": kernel.spills,
        "lds_bytes": kernel.lds_bytes,
        "threads": kernel.block[0],
        "k_loop": dict(kernel.k_loop),
        "seconds": seconds,
        "level": level,
        "ratio": seconds["ladder"] / seconds["iree-compile"],
    }


def alternating(both: dict[str, list[str]], runs: int) -> dict[str, float]:
    """Median seconds of each command, run in turn after one warm-up of each."""
    samples: dict[str, list[float]] = {who: [] for who in both}
    for _ in range(runs + 1):
        for who, command in both.items():
            samples[who].append(measure(command))
    return {who: median(values[1:]) for who, values in samples.items()}


def _version() -> str:
    try:
        return version("iree-base-compiler")
    except PackageNotFoundError:
        return "?"


def _kernel(path: Path, folder: Path) -> Kernel:
    """IREE's kernel with most matrix instructions, as its assembly describes it."""
    command = [
        *commands(path, "level1", folder)["iree-compile"],
        f"--iree-hal-dump-executable-intermediates-to={folder}",
    ]
    measure(command)
    found = []
    for file in sorted(folder.glob("*.rocmasm")):
        asm = file.read_text(encoding="utf-8")
        for name in re.findall(r"\.amdhsa_kernel (\S+)", asm):
            threads = re.search(r"\.max_flat_workgroup_size: (\d+)", asm)
            block = (int(threads[1]) if threads else 1, 1, 1)
            bare = Kernel(name, (), (1, 1, 1), block)
            found.append(resources(asm, bare, load_target("gfx1250")))
    if not found:
        raise SystemExit("error: iree-compile wrote no assembly")
    return max(found, key=lambda kernel: int(str(kernel.k_loop.get("matrix", 0))))
