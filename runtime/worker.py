"""Check artefacts in a child process, because a kernel that faults or hangs can take it along.

After an illegal access the GPU's context is unusable for the rest of the process. The child checks
one artefact a line of input and answers with one line of JSON; when it dies, or a kernel has hung,
the artefact at hand is a failure and a fresh child takes the rest.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from .artefact_files import load_artefact
from .check import check_artefact
from .device import Device, open_device
from .errors import DeviceError, RuntimeFault
from .results import CheckResult


@dataclass(frozen=True)
class Settings:
    """What to check with: device as for open_device, seeds, repeats, kinds of input."""

    device: str
    seeds: tuple[int, ...]
    repeats: int
    inputs: tuple[str, ...]

    def arguments(self) -> list[str]:
        """The same settings as command-line options."""
        seeds = [str(seed) for seed in self.seeds]
        options = ["--device", self.device, "--repeats", str(self.repeats)]
        return [*options, "--seeds", *seeds, "--inputs", *self.inputs]


def check_all(paths: Sequence[Path], settings: Settings) -> Iterator[list[CheckResult]]:
    """Results of each artefact in turn. Raises DeviceError if the device cannot be opened."""
    child: _Child | None = None
    try:
        for path in paths:
            child = child or _Child(settings)
            results = child.check(path)
            if child.lost:
                child.stop()
                child = None
            yield results
    finally:
        if child is not None:
            child.stop()


class _Child:
    """One worker process with its device open."""

    def __init__(self, settings: Settings) -> None:
        command = [sys.executable, "-m", __package__, "serve", *settings.arguments()]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.lost = False
        self._kind = settings.device.partition(":")[0]
        answer = self._answer()
        if answer is None or "fault" in answer:
            self.stop()
            raise DeviceError(answer["fault"] if answer else "the device's process died at start")

    def check(self, path: Path) -> list[CheckResult]:
        """Results for one artefact; sets `lost` if this child cannot be used again."""
        assert self._process.stdin is not None
        answer = None
        try:
            print(json.dumps(str(path)), file=self._process.stdin, flush=True)
            answer = self._answer()
        except BrokenPipeError:
            pass  # It died between two artefacts: reported below.
        if answer is None:
            self.lost = True
            status = self._process.wait()
            return [_failure(path, self._kind, f"the process running it died (status {status})")]
        self.lost = bool(answer["lost"])
        return [_restored(fields) for fields in answer["results"]]

    def stop(self) -> None:
        """End the process; a hung kernel does not answer, so it is killed."""
        self._process.kill()
        self._process.communicate()

    def _answer(self) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return dict(json.loads(line)) if line else None


def serve(settings: Settings, requests: IO[str], answers: IO[str]) -> int:
    """The child's side: open the device, then answer each request until the input ends."""

    def answer(fields: dict[str, object]) -> None:
        print(json.dumps(fields), file=answers, flush=True)

    try:
        device = open_device(settings.device)
    except RuntimeFault as fault:
        answer({"fault": str(fault)})
        return 1
    answer({"ready": True})
    for line in requests:
        results = _check_one(Path(json.loads(line)), device, settings)
        lost = any(result.failures for result in results) and not _alive(device)
        answer({"results": [asdict(result) for result in results], "lost": lost})
    return 0


def _check_one(path: Path, device: Device, settings: Settings) -> list[CheckResult]:
    try:
        artefact = load_artefact(path)
        results = check_artefact(
            artefact, device, seeds=settings.seeds, repeats=settings.repeats, inputs=settings.inputs
        )
    except RuntimeFault as fault:
        return [_failure(path, device.kind, str(fault))]
    return [replace(result, source=str(path)) for result in results]


def _alive(device: Device) -> bool:
    """Whether the device still works after a failure."""
    try:
        address = device.alloc(4)
        device.write(address, b"ping")
        echoed = device.read(address, 4)
        device.free(address)
    except RuntimeFault:
        return False
    return echoed == b"ping"


def _failure(path: Path, kind: str, message: str) -> CheckResult:
    return CheckResult(kind, "-", (0, 0, 0), failures=(message,), source=str(path))


def _restored(fields: dict[str, Any]) -> CheckResult:
    for key in ("grid", "failures", "notes", "findings"):
        fields[key] = tuple(fields[key])
    return CheckResult(**fields)
