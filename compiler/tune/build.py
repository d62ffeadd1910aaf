"""Compile the candidates of a search ahead of time, into a folder that a device can work from."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from gemm_ladder.compiler.cache import compile_cached, default_cache
from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.errors import InputError, LadderError
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.session import PLACE
from gemm_ladder.compiler.source import Source
from gemm_ladder.compiler.tile_artefact import result_artefact
from gemm_ladder.runtime.artefact_files import save_artefact
from gemm_ladder.runtime.trials import CANDIDATES, changes

Say = Callable[[str], None]
_NUMBER = re.compile(r"\b\d+(?:[,.x]\d+)*\b")  # 49,152 and 128x64, not sm_90a's
_LEAD = re.compile(rf"{PLACE.pattern}|^error: ")


@dataclass(frozen=True)
class Job:
    """One candidate: its source, target, pipeline and folder; as tile IR, or linked or not."""

    source: Source
    target: str
    pipeline: str
    folder: Path
    interpreted: bool
    linked: bool

    @property
    def path(self) -> Path:
        """Where its artefact goes: named by the pipeline."""
        return self.folder / f"{hashlib.sha256(self.pipeline.encode()).hexdigest()[:12]}.json"


@dataclass(frozen=True)
class Built:
    """How many candidates compiled, and how many did not, by reason."""

    compiled: int
    skipped: dict[str, int]


def build_all(folder: Path, jobs: Sequence[Job], workers: int, say: Say) -> Built:
    """Compile ``jobs`` into ``folder``; its candidates.json lists what there is, in their order.

    What was compiled before comes from the cache. Raises InputError if the folder cannot be
    written.
    """
    cache = default_cache()
    if cache is not None and (warning := cache.fault()):
        say(warning)  # Once: the workers, which meet it again, have nobody to tell.
    listed: list[dict[str, object]] = []
    skipped: Counter[str] = Counter()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, (job, (sha, error)) in enumerate(_compiled(jobs, workers)):
            said = f"skipped ({error})" if error else "compiled"
            say(f"[{number + 1}/{len(jobs)}] {said}  {changes(jobs[0].pipeline, job.pipeline)}")
            if error:
                skipped[_NUMBER.sub("N", error)] += 1  # like counts as like
                continue
            entry = {"number": number, "pipeline": job.pipeline, "file": job.path.name}
            listed.append({**entry, "sha256": sha})
        _write(folder / CANDIDATES, listed)
    except OSError as error:
        raise InputError(f"error: cannot write {folder}: {error.strerror or error}") from error
    return Built(len(listed), dict(skipped.most_common()))


def _compiled(jobs: Sequence[Job], workers: int) -> Iterator[tuple[Job, tuple[str, str]]]:
    if workers == 1 or len(jobs) < 2:
        for job in jobs:
            yield job, compile_job(job)
        return
    # A fork would take the locks of MLIR's threads along.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        yield from zip(jobs, pool.map(compile_job, jobs), strict=True)


def compile_job(job: Job) -> tuple[str, str]:
    """Compile one candidate: (its code's digest, ""), or ("", why it is illegal)."""
    try:
        steps = resolve(job.pipeline, job.target)
        stop = "tile" if job.interpreted else None
        link = "must" if job.linked else "no"
        request = Request(job.source, steps, target=job.target, stop=stop, link=link)
        result = compile_cached(request, default_cache())
    except LadderError as error:
        return "", _reason(str(error))
    artefact = result.artefact or result_artefact(result, job.source.name, steps)
    save_artefact(artefact, job.path)
    return artefact.sha256, ""


def shape_name(source: Source, target: str) -> str:
    """What results are kept under: the kernel's sizes, orders and types, and the target.

    Raises a LadderError if the source is no matmul that can be imported.
    """
    steps = resolve("import-matmul") if source.stage == "linalg" else []
    result = compile_source(Request(source, steps, target=target, stop="tile"))
    kernel = result_artefact(result, source.name, steps).kernels[0]
    types = "-".join(arg.dtype for arg in kernel.args)
    c = kernel.contract
    sizes = "x".join(map(str, (c.m, c.n, c.k))) if c else kernel.name
    orders = f"-{c.a_order}-{c.b_order}" if c else ""
    return f"{sizes}{orders}-{types}-{target}"


def _reason(message: str) -> str:
    """The first line of an error without its place."""
    line = message.splitlines()[0]
    while (found := _LEAD.match(line)) is not None:
        line = line[found.end() :]
    return line


def _write(path: Path, listed: list[dict[str, object]]) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps({"candidates": listed}, indent=1) + "\n", encoding="utf-8")
    os.replace(fresh, path)
