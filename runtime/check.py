"""Check the kernels of an artefact on a device: right, fully written, within bounds, repeatable."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from statistics import median

from .artefact import Artefact, Kernel
from .buffers import GuardedArray
from .compare import Verdict, compare
from .device import Device
from .dtypes import Array
from .errors import ArtefactError, DeviceError, RuntimeFault
from .inputs import Case, make_case
from .launch import PreparedLaunch, check_target, prepare
from .report import render_table, to_json
from .results import CheckResult

__all__ = ["CheckResult", "check_artefact", "check_kernel", "render_table", "to_json"]


def check_artefact(
    artefact: Artefact,
    device: Device,
    kernels: Sequence[str] | None = None,
    *,
    seeds: Sequence[int] = (0,),
    repeats: int = 1,
    inputs: Sequence[str] = ("normal", "integer"),
) -> list[CheckResult]:
    """Check the named kernels, or all; one result each, in the artefact's order.

    Raises LaunchError if the device is not the artefact's target, ArtefactError on an unknown
    kernel. Whatever goes wrong with one kernel is a failure in its result, and the next one runs.
    """
    check_target(device, artefact)
    chosen = artefact.kernels if kernels is None else [artefact.kernel(n) for n in kernels]
    if not chosen:
        raise ArtefactError("the artefact has no kernels")
    return [
        check_kernel(artefact, device, kernel, seeds=seeds, repeats=repeats, inputs=inputs)
        for kernel in chosen
    ]


def check_kernel(
    artefact: Artefact,
    device: Device,
    kernel: Kernel,
    *,
    seeds: Sequence[int] = (0,),
    repeats: int = 1,
    inputs: Sequence[str] = ("normal", "integer"),
) -> CheckResult:
    """Run one kernel `repeats` times on each kind of input with each seed, and judge every run."""
    tally = _Tally(kernel)
    try:
        with ExitStack() as stack:
            arrays = []
            for arg in kernel.args:
                arrays.append(GuardedArray(device, arg))
                stack.callback(_release, arrays[-1])
            launch = prepare(device, artefact, kernel.name, [array.array for array in arrays])
            stack.callback(launch.release)
            for kind in inputs:
                for seed in seeds:
                    _run_case(tally, launch, arrays, make_case(kernel, kind, seed), seed, repeats)
    except RuntimeFault as fault:
        tally.failures.append(str(fault))
        tally.find(fault.findings)
    return tally.result(device.kind, repeats)


def _release(array: GuardedArray) -> None:
    """Free; a device that was lost says so again, which must not hide the first cause."""
    with suppress(DeviceError):
        array.free()


@dataclass
class _Tally:
    """Collects what the launches of one kernel show."""

    kernel: Kernel
    seconds: list[float] = field(default_factory=list)
    verdicts: list[tuple[str, Verdict]] = field(default_factory=list)
    identical: bool = True
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    findings: list[dict[str, object]] = field(default_factory=list)

    def find(self, findings: Sequence[dict[str, object]]) -> None:
        """Take in a launch's findings that no launch before had; counts and lanes may differ."""
        known = {(f["kind"], f["line"], f["other_line"]) for f in self.findings}
        self.findings += [
            f for f in findings if (f["kind"], f["line"], f["other_line"]) not in known
        ]

    def result(self, device: str, repeats: int) -> CheckResult:
        """The whole as one CheckResult, each failure named once."""
        base = CheckResult(
            device,
            self.kernel.name,
            self.kernel.grid,
            failures=tuple(dict.fromkeys(self.failures)),
            findings=tuple(self.findings),
        )
        if not self.verdicts:
            return base
        normal = [verdict for kind, verdict in self.verdicts if kind == "normal"]
        worst = max(normal, key=lambda v: v.error / v.bound if v.bound else v.error, default=None)
        return CheckResult(
            device=device,
            kernel=self.kernel.name,
            grid=self.kernel.grid,
            seconds=median(self.seconds),
            max_error=worst.error if worst else None,
            bound=worst.bound if worst else None,
            mismatches=max(verdict.mismatches for _, verdict in self.verdicts),
            never_written=max(verdict.never_written for _, verdict in self.verdicts),
            launches=len(self.verdicts),
            repeats=repeats,
            identical=self.identical if repeats > 1 else None,
            failures=base.failures,
            findings=base.findings,
            notes=tuple(dict.fromkeys(self.notes)),
        )


def _run_case(
    tally: _Tally,
    launch: PreparedLaunch,
    arrays: Sequence[GuardedArray],
    case: Case,
    seed: int,
    repeats: int,
) -> None:
    """Launch one case `repeats` times on fresh arrays; judge each output and what lies round it."""
    contract = tally.kernel.contract
    assert contract is not None  # make_case raised otherwise
    first: Array | None = None
    where = f"{case.kind} inputs, seed {seed}"
    for repeat in range(repeats):
        for array, values in zip(arrays, case.operands(contract), strict=True):
            array.fill(values)
        outcome = launch.run()
        tally.seconds.append(outcome.seconds)
        tally.find(outcome.findings)
        for note in outcome.notes:
            (tally.notes if note.startswith("info:") else tally.failures).append(note)
        bits = _read_back(tally, arrays, where)
        verdict = compare(bits, case)
        tally.verdicts.append((case.kind, verdict))
        if verdict.mismatches and repeat == 0:
            tally.failures.append(_describe(verdict, case, tally.kernel, where))
        if first is None:
            first = bits
        elif (differing := int((bits != first).sum())) and tally.identical:
            tally.identical = False
            tally.failures.append(
                f"{where}: repeat {repeat} differs from the first run in {differing} elements"
            )


def _read_back(tally: _Tally, arrays: Sequence[GuardedArray], where: str) -> Array:
    """Bits of C; damage to guards or to read-only arguments becomes a failure."""
    for array in (*arrays[:2], *arrays[3:], arrays[2]):
        bits, damage = array.read()
        if damage:
            tally.failures.append(f"{where}: {damage}")
    return bits


def _describe(verdict: Verdict, case: Case, kernel: Kernel, where: str) -> str:
    """One line on a wrong output: how many, what kind, and the worst element with its tile."""
    assert verdict.worst is not None
    m, n = verdict.worst
    parts = [f"{where}: {verdict.mismatches:,} of {case.reference.size:,} elements are wrong"]
    if verdict.never_written:
        parts.append(f"{verdict.never_written:,} never written")
    if verdict.nans:
        parts.append(f"{verdict.nans:,} NaN (read beyond an edge?)")
    place = f"C[{m}, {n}]"
    if kernel.tile:
        place += f" in tile ({m // kernel.tile[0]}, {n // kernel.tile[1]})"
    limit = "" if case.exact else f" within {verdict.bound:.3g}"
    parts.append(f"worst {place}: got {verdict.got:.9g}, expected {verdict.want:.9g}{limit}")
    return "; ".join(parts)
