"""Every level of sm_90a on a GPU: the whole product of cases, its reference made by the GPU itself.

The halves may run on two machines; the second needs the runtime, torch and a GPU only:

    python tests/e2e/gpu_product.py build DIR --jobs 16      # here; resumes where it stopped
    python tests/e2e/gpu_product.py run DIR                  # there; 1 if a case is wrong
    compute-sanitizer --tool memcheck python tests/e2e/gpu_product.py once DIR
    compute-sanitizer --tool racecheck --racecheck-report all python ... once DIR

`run` compares small integers bit by bit and normals with their bound, 20 launches each, arrays
between NaN, C full of NaN; `once` launches each level's 512x512x512 one time, without torch.
racecheck sees stores and cp.async beside loads and ldmatrix, by all it reports; not TMA, wgmma and
stmatrix, whose order the interpreter checks.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.artefact_files import load_artefact, save_artefact
from gemm_ladder.runtime.device import Device, open_device

TARGET = "sm_90a"
SIZES = (
    (256, 256, 256),
    (512, 512, 512),
    (1024, 2048, 512),
    (4096, 4096, 4096),
    (1000, 999, 1001),
    (257, 511, 130),
    (7, 7, 7),
    (35, 79, 19),
    (1, 105, 107),
    (130, 70, 1),
)
LAYOUTS, OUTS = ("nn", "nt", "tn", "tt"), ("bf16", "f32")
# Tiles that level 12 does not choose at these sizes; those of 200 columns leave by the waves, in
# rounds that do not fill.
WIDTHS = (
    (256, 128, LAYOUTS),
    (224, 128, ("nt", "tt")),
    (200, 0, ("nt", "tt")),
    (192, 128, LAYOUTS),
    (160, 128, ("nt", "tt")),
)
REPEATS, GUARD = 20, 4096  # launches of each input; elements of NaN on either side of an array


def cases() -> Iterator[tuple[str, Any]]:
    """(label, Case): every level at every size, then level 12 with the tiles of WIDTHS."""
    from gemm_case import Case

    from gemm_ladder.compiler.pipelines import levels
    from gemm_ladder.compiler.resolve import pipeline_text, resolve

    top = pipeline_text(resolve("level12", TARGET))
    texts = [(level, level, LAYOUTS) for level in levels(TARGET)]
    for width, columns, layouts in WIDTHS:
        text = top.replace("128x256x64", f"128x{width}x64").replace("fit=132", "fit=0")
        text = text.replace("columns=128", f"columns={columns}")
        texts.append((f"level12-{width}", text, layouts))
    for (label, passes, layouts), size, out in itertools.product(texts, SIZES, OUTS):
        for layout in layouts:
            yield label, Case(*size, layout, ("bf16", out), passes=passes)


def build(folder: Path, jobs: int) -> int:
    """Compile what the folder does not have; 1 if something does not compile."""
    folder.mkdir(parents=True, exist_ok=True)
    work = [(folder, label, case) for label, case in cases()]
    failed = 0
    # spawn: MLIR's threads do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for number, error in enumerate(pool.map(_build, work, chunksize=4), 1):
            failed += bool(error)
            if error:
                print(error)
            if number % 100 == 0:
                print(f"{number} of {len(work)}", file=sys.stderr)
    print(f"{len(work) - failed} of {len(work)} built")
    return int(failed > 0)


def _build(job: tuple[Path, str, Any]) -> str:
    folder, label, case = job
    name = f"{label}_{case.m}x{case.n}x{case.k}_{case.layout}_{case.types[1]}"
    path = folder / f"{name}.json"
    try:
        if not path.exists():
            save_artefact(case.artefact(TARGET, link="must"), path)
    except Exception as error:  # one case must not end the product
        return f"{name}: {str(error).strip().splitlines()[0]}"
    return ""


def run(folder: Path) -> int:
    """Check every artefact of the folder; a line a level; 1 if one is wrong or none is there."""
    right, count = Counter[str](), Counter[str]()
    # Sizes together: their operands and references are made once.
    for path in sorted(folder.glob("*.json"), key=lambda p: p.stem.split("_")[1:]):
        label = path.stem.split("_")[0]
        try:
            faults = _check(load_artefact(path))
        except Exception as error:
            faults = [f"{type(error).__name__}: {error}"]
        right[label] += not faults
        count[label] += 1
        if faults:
            print(f"{path.stem}: {'; '.join(faults)}", flush=True)
    for label in count:
        print(f"{label:12} {right[label]} of {count[label]} right")
    print(f"{right.total()} of {count.total()} right")
    return int(right.total() < count.total() or not count)


@functools.cache
def _device() -> Device:
    import torch

    torch.zeros(1, device="cuda")  # torch makes the context that the runtime then shares
    return open_device("cuda")


@functools.lru_cache(maxsize=4)
def _data(m: int, n: int, k: int, elem: str) -> list[tuple[str, Any, Any, Any, Any]]:
    """(kind, A [m, k], B [k, n], float64 A * B, bound of the sum's error) of each kind of input."""
    import torch

    made = []
    source = torch.Generator("cuda").manual_seed(m * 7 + n * 3 + k)
    for kind in ("integer", "normal"):
        a, b = (
            torch.randint(-3, 4, shape, device="cuda", generator=source)
            if kind == "integer"
            else torch.randn(shape, device="cuda", generator=source)
            for shape in ((m, k), (k, n))
        )
        a, b = a.to(_dtype(elem)), b.to(_dtype(elem))
        bound = a.abs().double() @ b.abs().double() * (k * 2.0**-23 + 2.0**-22)
        made.append((kind, a, b, a.double() @ b.double(), bound))
    return made


def _dtype(elem: str) -> Any:
    import torch

    return {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}[elem]


def _guarded(values: Any) -> tuple[Any, Any]:
    """(an arena of NaN, a copy of ``values`` in its middle)."""
    import torch

    size = values.numel()
    arena = torch.full((size + 2 * GUARD,), float("nan"), dtype=values.dtype, device="cuda")
    inner = arena[GUARD : GUARD + size].view(values.shape)
    inner.copy_(values)
    return arena, inner


def _check(artefact: Artefact) -> list[str]:
    """What is wrong with the artefact's kernel."""
    import torch

    (kernel,) = artefact.kernels
    contract, device = kernel.contract, _device()
    assert contract is not None
    handle, faults = device.load(artefact, kernel.name), []
    elem, out = kernel.args[0].dtype, _dtype(kernel.args[2].dtype)
    for kind, a, b, wanted, bound in _data(contract.m, contract.n, contract.k, elem):
        _, left = _guarded(a if contract.a_order == "mk" else a.t())
        _, right = _guarded(b if contract.b_order == "kn" else b.t())
        arena, c = _guarded(torch.empty(contract.m, contract.n, dtype=out, device="cuda"))
        results = []
        for _ in range(REPEATS):
            c.fill_(float("nan"))
            torch.cuda.synchronize()
            device.launch(handle, [x.data_ptr() for x in (left, right, c)])
            results.append(c.clone())
        faults += [f"{kind}: {x}" for x in _faults(kind, results, wanted, bound)]
        if not bool(arena[:GUARD].isnan().all() and arena[-GUARD:].isnan().all()):
            faults.append(f"{kind}: wrote outside C")
    device.unload(handle)
    return faults


def _faults(kind: str, results: list[Any], wanted: Any, bound: Any) -> list[str]:
    import torch

    first, out = results[0], results[0].dtype
    found = []
    if any(not torch.equal(first.view(torch.uint8), x.view(torch.uint8)) for x in results[1:]):
        found.append("repeats differ")
    if kind == "integer":
        wrong = int((first != wanted.float().to(out)).sum())
    else:
        rounding = 0.0 if out == torch.float32 else 2.0**-8
        most = bound + wanted.abs() * rounding + 1e-30
        wrong = int((~((first.double() - wanted).abs() <= most)).sum())
    return [*found, f"{wrong} elements wrong"] if wrong else found


def once(folder: Path) -> int:
    """Launch each level's 512x512x512 on what memory holds: for compute-sanitizer."""
    device = open_device("cuda")
    for path in sorted(folder.glob("*_512x512x512_nt_bf16.json")):
        artefact = load_artefact(path)
        (kernel,) = artefact.kernels
        addresses = [device.alloc(2 * 512 * 512) for _ in kernel.args]
        for address in addresses:
            device.write(address, bytes(2 * 512 * 512))
        device.launch(device.load(artefact, kernel.name), addresses)
        print(path.stem, flush=True)
    return 0


def main() -> int:
    """One of the three."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("build", "run", "once"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=2, help="processes of build (default 2)")
    args = parser.parse_args()
    if args.what == "build":
        return build(args.folder, args.jobs)
    return run(args.folder) if args.what == "run" else once(args.folder)


if __name__ == "__main__":
    sys.exit(main())
