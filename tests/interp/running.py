"""Running tile IR under many seeds and landing modes, with one load of the kernel."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gemm_ladder.compiler.interp.device import LANDINGS, InterpDevice
from gemm_ladder.compiler.interp.machine import Settings
from gemm_ladder.compiler.tile_artefact import tile_artefact
from gemm_ladder.runtime.buffers import GuardedArray
from gemm_ladder.runtime.compare import compare
from gemm_ladder.runtime.inputs import make_case
from gemm_ladder.runtime.launch import prepare

PROGRAMS = Path(__file__).parent / "programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.mlir"))


def program(name: str) -> str:
    """The text of a hand-written program."""
    return (PROGRAMS / f"{name}.mlir").read_text(encoding="utf-8")


def every_mode(seeds: range) -> list[Settings]:
    """Each seed in each landing mode."""
    return [Settings(landing, seed) for seed in seeds for landing in LANDINGS]


def failures(text: str, settings: Iterable[Settings]) -> list[str]:
    """Findings and mismatches of the module's only kernel, in the first setting that has any."""
    artefact = tile_artefact(text, "program")
    kernel, device = artefact.kernels[0], InterpDevice()
    arrays = [GuardedArray(device, arg) for arg in kernel.args]
    launch = prepare(device, artefact, kernel.name, [a.array for a in arrays])
    case = make_case(kernel, "integer", 0)
    assert kernel.contract is not None
    for setting in settings:
        device.settings = setting
        for array, values in zip(arrays, case.operands(kernel.contract), strict=True):
            array.fill(values)
        found = list(launch.run().notes)
        wrong = compare(arrays[2].read()[0], case).mismatches
        if wrong:
            found.append(f"{wrong} elements of C are wrong")
        if found:
            return found
    return []
