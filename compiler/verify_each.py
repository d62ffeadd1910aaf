"""Run the kernels after every pass of a pipeline, and stop at the pass that broke them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gemm_ladder.compiler.devices import INTERP, open_device
from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.compiler.reproducer import write_file, write_reproducer
from gemm_ladder.compiler.resolve import Step
from gemm_ladder.compiler.source import Source
from gemm_ladder.compiler.tile_artefact import tile_artefact
from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.errors import RuntimeFault

_TILE_OP = re.compile(r'"tile\.\w+"\(')
# A place in the text that was parsed for the run.
_PLACE = re.compile(r"\bIR(:\d+:\d+)")


class BrokenPassError(LadderError):
    """A pass left a kernel that is wrong; the text names the pass, the findings and the files."""


@dataclass(frozen=True)
class VerifyEach:
    """Called after a step: runs every kernel on ``device`` with inputs of ``seed``.

    Passes before the first kernel, and those behind tile IR, are not checked. ``folder`` takes the
    reproducer, ``stem`` begins its name.
    """

    device: str = INTERP
    seed: int = 0
    folder: Path = Path()
    stem: str = "ladder"

    def __call__(self, step: Step, before: str, after: str) -> None:
        """Raise BrokenPassError, after writing a reproducer, if a kernel of ``after`` is wrong."""
        if not _TILE_OP.search(after) or (before == after and _TILE_OP.search(before)):
            return
        failures = self.failures(after)
        if failures:
            raise BrokenPassError(self._explain(step, before, after, failures))

    def failures(self, text: str) -> list[str]:
        """What is wrong with the kernels of tile IR ``text``, one line each."""
        try:
            artefact = _artefact(text, self.device)
            results = check_artefact(artefact, open_device(self.device), seeds=(self.seed,))
        except RuntimeFault as fault:
            return [str(fault)]
        return [
            f"{result.kernel}: {failure}" if len(results) > 1 else failure
            for result in results
            for failure in result.failures
        ]

    def _explain(self, step: Step, before: str, after: str, failures: list[str]) -> str:
        stem = f"{self.stem}.{re.sub(r'[^A-Za-z0-9_.-]+', '-', step.name).strip('-')[:40]}"
        stage = "tile" if "gpu.func" in before else "linalg"
        wrong = self.folder / f"{stem}.after.tile.mlir"
        write_file(wrong, after)
        found = [_PLACE.sub(rf"{wrong}\1", failure) for failure in failures]
        path = self.folder / f"{stem}.reproducer.{stage}.mlir"
        command = f"ladder run {path} --passes='{step.text}' --verify-each --device {self.device}"
        write_reproducer(path, step, before, "\n".join(found), command)
        return "\n".join(
            [
                f"error: the kernel is wrong after pass '{step.text}' (on {self.device})",
                *(f"  {line}" for line in found),
                f"note: the IR before the pass is {path}; again: {command}",
            ]
        )


def _artefact(text: str, device: str) -> Artefact:
    """What ``device`` runs of tile IR ``text``."""
    if device.partition(":")[0] == INTERP:
        return tile_artefact(text, "the IR")
    from gemm_ladder.compiler.compilation import Request, compile_source

    link = "no" if device.partition(":")[0] == "sim" else "auto"
    result = compile_source(Request(Source("<prefix>", text, "tile", "prefix"), [], link=link))
    assert result.artefact is not None
    return result.artefact
