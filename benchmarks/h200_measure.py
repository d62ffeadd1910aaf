"""Kernels of a folder (h200_compile) and cuBLAS, alternately, on one GPU: no MLIR is needed.

The contenders of a problem are queued round after round, each launch behind a pass over twice L2,
so that the GPU never waits for Python; device events round each launch, medians. Each round has an
order of its own: the clock that a launch meets depends on the power that the one before it drew. It
also falls during a run, so a ratio is the median of the rounds' own. Then each runs back to back
for a moment, for the clock and the power that it settles at.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from gemm_ladder.runtime.artefact_files import load_artefact
from gemm_ladder.runtime.cuda import CudaDevice, open_device

Run = Callable[[], None]


def measure_folder(folder: Path, count: int, sustain: float) -> dict[str, Any]:
    """Measure every entry of the folder's index; rows beside the conditions."""
    import torch

    entries = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    device = open_device()
    torch.manual_seed(0)
    rows: list[dict[str, Any]] = []
    groups: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        groups.setdefault(json.dumps(entry["problem"]), []).append(entry)
    for problem, members in groups.items():
        rows += _problem(device, torch, folder, json.loads(problem), members, count, sustain)
        for row in rows[-len(members) - 1 :]:
            print(_line(row), flush=True)
    return {"conditions": _conditions(device, torch, count), "rows": rows}


def _problem(
    device: CudaDevice, torch: Any, folder: Path, problem: dict[str, Any],
    entries: list[dict[str, Any]], count: int, sustain: float,
) -> list[dict[str, Any]]:  # fmt: skip
    """Rows of one problem: cuBLAS first, then the kernels."""
    a, b, c, baseline = _operands(torch, problem)
    runs: dict[str, Run] = {"cublas": baseline}
    facts: dict[str, dict[str, Any]] = {"cublas": {}}
    baseline()
    wanted = c.clone()
    handles = []
    for entry in entries:
        label = entry["label"]
        facts[label] = {"passes": entry["passes"], **_compiled(entry)}
        if "file" not in entry:
            continue
        artefact = load_artefact(folder / entry["file"])
        kernel = artefact.kernels[0]
        facts[label] |= _shape(kernel)
        try:
            handles.append(device.load(artefact, kernel.name))
            run = device.launcher(handles[-1], [t.data_ptr() for t in (a, b, c)])
            facts[label] |= _check(torch, run, c, wanted)
        except Exception as error:  # One bad kernel must not cost the others their run.
            facts[label]["error"] = f"{type(error).__name__}: {error}"
            if "lost" in str(error) or "hang" in str(error) or "ILLEGAL" in str(error):
                raise
            continue
        runs[label] = run
    times = _alternate(device, torch, runs, count)
    rows = []
    flops = 2 * problem["m"] * problem["n"] * problem["k"]
    for label, fact in facts.items():
        row: dict[str, Any] = {"problem": problem, "label": label, **fact}
        if label in times:
            taken = sorted(times[label])
            row |= {"us": 1e6 * median(taken), "us_min": 1e6 * taken[0], "us_max": 1e6 * taken[-1]}
            row["tflops"] = 1e-12 * flops / median(taken)
            rounds = zip(times["cublas"], times[label], strict=True)
            row["ratio"] = median(theirs / own for theirs, own in rounds)
            row |= _sustained(torch, runs[label], sustain, flops)
        rows.append(row)
    for handle in handles:
        device.unload(handle)
    return rows


def _operands(torch: Any, problem: dict[str, Any]) -> tuple[Any, Any, Any, Run]:
    """A, B and C as the layout has them, normal data; and cuBLAS on the same."""
    m, n, k, layout = (problem[name] for name in ("m", "n", "k", "layout"))
    kind = {"device": "cuda", "dtype": torch.bfloat16}
    a = torch.randn((m, k) if layout[0] == "n" else (k, m), **kind)
    b = torch.randn((k, n) if layout[1] == "n" else (n, k), **kind)
    out = torch.float32 if problem["out"] == "f32" else torch.bfloat16
    c = torch.empty((m, n), device="cuda", dtype=out)
    left, right = (a if layout[0] == "n" else a.t()), (b if layout[1] == "n" else b.t())
    if out == torch.float32:
        return a, b, c, lambda: torch.mm(left, right, out_dtype=torch.float32, out=c)
    return a, b, c, lambda: torch.mm(left, right, out=c)


def _compiled(entry: dict[str, Any]) -> dict[str, Any]:
    names = {"seconds": "compile_s", "ptxas": "ptxas_s", "error": "error"}
    return {new: entry[old] for old, new in names.items() if old in entry}


def _shape(kernel: Any) -> dict[str, Any]:
    return {
        "grid": kernel.grid, "block": kernel.block, "cluster": kernel.cluster,
        "registers": kernel.vgprs, "spills": kernel.spills,
        "shared": kernel.lds_bytes + kernel.dynamic_lds_bytes,
    }  # fmt: skip


def _check(torch: Any, run: Run, c: Any, wanted: Any) -> dict[str, Any]:
    """Largest difference from cuBLAS over the result's own scale; NaN where nothing was written."""
    c.fill_(float("nan"))
    run()
    torch.cuda.synchronize()
    difference = (c.float() - wanted.float()).abs().max().item()
    scale = wanted.float().abs().max().item()
    right = difference <= 0.02 * scale  # False for NaN
    return {"difference": difference / scale, **({} if right else {"wrong": True})}


def _alternate(device: Any, torch: Any, runs: dict[str, Run], count: int) -> dict[str, list[float]]:
    """Device seconds of ``count`` launches of each, in random rounds, L2 flushed before each."""
    for run in runs.values():
        for _ in range(3):
            run()
    torch.cuda.synchronize()
    pairs: dict[str, list[tuple[Any, Any]]] = {name: [] for name in runs}
    order, source = list(runs.items()), random.Random(0)
    for _ in range(count):
        source.shuffle(order)
        for name, run in order:
            ends = tuple(torch.cuda.Event(enable_timing=True) for _ in range(2))
            device.flush_cache()
            device.flush_cache()
            ends[0].record()
            run()
            ends[1].record()
            pairs[name].append(ends)
    torch.cuda.synchronize()
    return {n: [1e-3 * a.elapsed_time(b) for a, b in ends] for n, ends in pairs.items()}


def _sustained(torch: Any, run: Run, seconds: float, flops: int) -> dict[str, Any]:
    """TFLOP/s, clock and power while one kernel runs back to back, L2 as it leaves it."""
    if seconds <= 0:
        return {}
    query = "clocks.sm,power.draw,temperature.gpu"
    command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits", "-lms", "50"]
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watcher:
        deadline, launches = time.monotonic() + seconds, 0
        ends[0].record()
        while time.monotonic() < deadline:
            for _ in range(16):
                run()
            launches += 16
            torch.cuda.current_stream().synchronize()
        ends[1].record()
        torch.cuda.synchronize()
        watcher.terminate()
        lines = (watcher.stdout.read() if watcher.stdout else "").splitlines()
    samples = [[float(x) for x in line.split(",")] for line in lines if line.count(",") == 2]
    half = samples[len(samples) // 2 :]
    spent = 1e-3 * ends[0].elapsed_time(ends[1])
    found: dict[str, Any] = {"sustained_tflops": 1e-12 * flops * launches / spent}
    for number, name in enumerate(("clock_mhz", "power_w", "celsius")):
        if half:
            found[name] = median(sample[number] for sample in half)
    return found


def _conditions(device: CudaDevice, torch: Any, count: int) -> dict[str, Any]:
    properties = device.properties()
    query = ["nvidia-smi", "--query-gpu=driver_version,power.limit,clocks.max.sm", "--format=csv"]
    state = subprocess.run(query, capture_output=True, text=True, check=False)
    return {
        "device": properties.name, "detail": dict(properties.detail), "torch": torch.__version__,
        "nvidia-smi": state.stdout.splitlines()[-1:], "count": count, "data": "normal",
        "flush": "4 x L2 written before each launch", "time": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }  # fmt: skip


def _line(row: dict[str, Any]) -> str:
    p = row["problem"]
    name = f"{p['m']}x{p['n']}x{p['k']} {p['layout']} {p['out']} {row['label']:<14}"
    if "tflops" not in row:
        return f"{name} -- {row.get('error', 'not run')}"
    wrong = "  WRONG" if row.get("wrong") else ""
    said = f"{row['tflops']:7.1f} TFLOP/s {row['ratio']:6.3f}x"
    facts = f"{row.get('registers', '')!s:>5} regs {row.get('shared', 0):>8,} B"
    held = f"{row.get('clock_mhz', 0):5.0f} MHz {row.get('power_w', 0):4.0f} W"
    return f"{name} {said} {facts} {held}{wrong}"


if __name__ == "__main__":
    sys.exit("run h200_ladder.py or h200_shapes.py")
