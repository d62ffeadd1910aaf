"""Try the candidates of a folder on a device: each checked, timed beside the first, kept on disk.

A folder has `candidates.json` (what `ladder tune --compile-only` writes) and gets one line a result
in `results-DEVICE.jsonl`, so that a run that breaks off goes on where it was. A candidate that took
the device with it is not tried again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .artefact_files import load_artefact
from .device import Device
from .errors import ArtefactError, DeviceError, RuntimeFault
from .sampled import SampledProblem
from .timing import measure, ratio

CANDIDATES = "candidates.json"
_PASS = re.compile(r"[^,{]+(?:\{[^}]*\})?")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Candidate:
    """A compiled kernel: the pipeline that made it, its artefact's file in the folder, its code's
    digest, by which results are kept."""

    number: int
    pipeline: str
    file: str
    sha256: str


@dataclass(frozen=True)
class Score:
    """What a candidate showed: device seconds, and how many times as fast as the first one.

    ``failure`` is why it does not count: wrong results, or a fault. ``final`` scores come from the
    longer round between the best.
    """

    number: int
    pipeline: str
    sha256: str = ""
    seconds: float | None = None
    ratio: float | None = None
    failure: str = ""
    final: bool = False


def read_candidates(folder: Path) -> list[Candidate]:
    """The compiled candidates of ``folder``; RuntimeFault if there are none."""
    path = folder / CANDIDATES
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = [Candidate(**entry) for entry in document["candidates"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RuntimeFault(f"cannot read {path}: {error}") from error
    if not found:
        raise RuntimeFault(f"{path} names no candidate that compiled")
    return found


def try_all(
    folder: Path, device: Device, say: Say, *, count: int = 10, finalists: int = 6
) -> list[Score]:
    """Scores of every candidate, the best first; those on disk already are not taken again.

    Raises DeviceError if the device is lost: the next call goes on behind the candidate at hand.
    """
    candidates = read_candidates(folder)
    results = _Results(folder / f"results-{_slug(device)}.jsonl")
    problem = SampledProblem(device, load_artefact(folder / candidates[0].file).kernels[0])
    try:
        trial = _Trial(folder, device, problem, results)
        for done, candidate in enumerate(candidates, 1):
            score = results.score(candidate) or trial.first_round(candidate, candidates[0], count)
            say(
                f"[{done}/{len(candidates)}] {_said(score)}  "
                f"{changes(candidates[0].pipeline, candidate.pipeline)}"
            )
        trial.final_round(candidates, 3 * count, finalists)
    finally:
        problem.release()
    # Pipelines may end in one code: the first to do so stands for them.
    scores = {c.sha256: s for c in reversed(candidates) if (s := results.score(c))}
    return sorted(scores.values(), key=_order)


def winner(scores: list[Score], folder: Path, say: Say) -> str | None:
    """Say how ``scores`` stand; the fastest pipeline's text, or None if no candidate is right."""
    right = [score for score in scores if not score.failure]
    say(f"{len(scores)} kernels measured, {len(scores) - len(right)} failed; results in {folder}")
    for score in right[:5]:
        say(f"  {_said(score)}  {score.pipeline}")
    if not right:
        say("error: no candidate is right")
    return right[0].pipeline if right else None


def changes(base: str, pipeline: str) -> str:
    """What ``pipeline`` has that ``base`` has not; "-name" is a pass that is left out."""
    old, new = (_PASS.findall(text) for text in (base, pipeline))
    names = {text.partition("{")[0] for text in new}
    gone = [f"-{text}" for text in (t.partition("{")[0] for t in old) if text not in names]
    return " ".join([*(text for text in new if text not in old), *gone]) or "the pipeline itself"


def _order(score: Score) -> tuple[bool, bool, float]:
    return (bool(score.failure), not score.final, -(score.ratio or 0.0))


def _said(score: Score) -> str:
    if score.failure:
        return f"-- {score.failure}"
    assert score.seconds is not None and score.ratio is not None
    return f"{1e6 * score.seconds:,.1f} us, {score.ratio:.3f}x the first"


def _slug(device: Device) -> str:
    return re.sub(r"[^a-z0-9]+", "-", device.properties().name.lower()).strip("-")


class _Results:
    """The lines of a results file: the last word on each kernel, by its code."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, Score] = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for line in lines:
            entry = json.loads(line)
            self._known[entry["sha256"]] = Score(**entry)

    def score(self, candidate: Candidate) -> Score | None:
        return self._known.get(candidate.sha256)

    def add(self, score: Score) -> Score:
        self._known[score.sha256] = score
        with self.path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(score)) + "\n")
        return score


@dataclass
class _Trial:
    """Candidates loaded on a device, beside the problem that they compute."""

    folder: Path
    device: Device
    problem: SampledProblem
    results: _Results

    def first_round(self, candidate: Candidate, base: Candidate, count: int) -> Score:
        """Check ``candidate``, and time it beside ``base`` in turn."""
        # Whoever finds this line and no later one knows that the device was lost here.
        bare = Score(candidate.number, candidate.pipeline, candidate.sha256)
        self.results.add(replace(bare, failure="took the device with it"))
        try:
            own = self._run(candidate)
            wrong = self.problem.check(own)
            if wrong:
                return self.results.add(replace(bare, failure=wrong))
            runs = {"own": own, **({} if candidate == base else {"base": self._run(base)})}
            times = measure(runs, self.device, warmup=2, count=count)
        except (ArtefactError, DeviceError) as error:
            if "lost" in str(error) or "did not finish" in str(error):
                raise
            return self.results.add(replace(bare, failure=str(error)))
        beside = ratio(times["own"], times["base"]) if "base" in times else 1.0
        return self.results.add(replace(bare, seconds=times["own"].median, ratio=beside))

    def final_round(self, candidates: list[Candidate], count: int, finalists: int) -> None:
        """Time the best few and the first in one go, unless all have been in such a round."""
        scored = [(c, s) for c in candidates if (s := self.results.score(c)) and not s.failure]
        best = sorted(scored, key=lambda pair: -(pair[1].ratio or 0.0))[:finalists]
        if not best or all(score.final for _, score in best):
            return
        base = candidates[0]
        runs = {c.sha256: self._run(c) for c in (*(c for c, _ in best), base)}
        times = measure(runs, self.device, warmup=2, count=count)
        for candidate, score in best:
            own = times[candidate.sha256]
            beside = ratio(own, times[base.sha256])
            self.results.add(replace(score, seconds=own.median, ratio=beside, final=True))

    def _run(self, candidate: Candidate) -> Callable[[], float]:
        artefact = load_artefact(self.folder / candidate.file)
        kernel = artefact.kernels[0]
        handle = self.device.load(artefact, kernel.name)
        # A device that can prepare a launch does not let the GPU wait for Python.
        ready: Any = getattr(self.device, "launcher", None)
        if ready is None:
            return lambda: self.device.launch(handle, self.problem.addresses).seconds
        device: Any = self.device
        enqueue = ready(handle, self.problem.addresses)
        return lambda: float(device.timed(enqueue, kernel.name))
