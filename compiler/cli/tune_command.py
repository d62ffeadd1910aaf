"""`ladder tune`: search over the options of a pipeline's passes for the fastest kernel."""

from __future__ import annotations

import argparse
import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from gemm_ladder.compiler.cli.frame import add_input, make_source, report, steps_of
from gemm_ladder.compiler.errors import UsageError

if TYPE_CHECKING:
    from gemm_ladder.compiler.source import Source
    from gemm_ladder.compiler.tune.build import Built
    from gemm_ladder.runtime.device import Device

_EXAMPLE = """examples:
  ladder tune mm.mlir --target sm_90a --device cuda
  ladder tune mm.mlir --target sm_90a --compile-only          # here, then where the GPU is:
  python -m gemm_ladder.runtime tune ladder-tune/4096x4096x4096-mk-nk-bf16-bf16-bf16-sm_90a
"""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "tune",
        help="search over pass options for the fastest kernel",
        description="Compile variants of a pipeline, skip what is illegal and say why, measure the "
        "others on a device beside the pipeline itself, and print the fastest one's text. What is "
        "compiled and measured stays in a folder: the same command goes on where it broke off.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_input(parser)
    parser.add_argument("--target", metavar="NAME", help="default: gfx1250")
    parser.add_argument("--device", default="sim", help="sim (default), interp, cuda, hip, ...")
    parser.add_argument("--passes", metavar="TEXT", help="default: the target's highest level")
    parser.add_argument(
        "--vary",
        metavar="PASS.OPTION=V,V",
        action="append",
        default=[],
        help="try these values, and no others of that pass; none leaves the pass out",
    )
    parser.add_argument("--limit", type=_positive, default=64, help="candidates (default 64)")
    parser.add_argument("--count", type=_positive, default=10, help="timed launches (default 10)")
    parser.add_argument("--jobs", type=_positive, help="compilations at a time (default: CPUs)")
    parser.add_argument(
        "--store", metavar="DIR", default="ladder-tune", help="default: ladder-tune"
    )
    parser.add_argument("--compile-only", action="store_true", help="stop before the device")
    parser.set_defaults(command=_run)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return int(text)


def _run(args: argparse.Namespace) -> int:
    from gemm_ladder.compiler.devices import INTERP, KINDS, open_device, target_for
    from gemm_ladder.compiler.targets import FALLBACK, find_target

    kind = args.device.partition(":")[0]
    if kind not in KINDS:
        raise UsageError(f"error: unknown device '{kind}'\ndevices: {', '.join(KINDS)}")
    target = find_target(args.target or FALLBACK).name
    source = make_source(args)
    pipelines = _pipelines(args, target, source)
    # A device that is not there is no reason to compile, either.
    device = None if args.compile_only else open_device(args.device)
    if device is not None and kind != INTERP:
        target_for(device, target)
    from gemm_ladder.compiler.tune.build import Job, build_all, shape_name

    folder = Path(args.store) / shape_name(source, target)
    linked = kind in ("cuda", "hip")
    jobs = [Job(source, target, text, folder, kind == INTERP, linked) for text in pipelines]
    built = build_all(folder, jobs, args.jobs or os.cpu_count() or 1, report)
    _summary(built)
    if device is None:
        return 0 if built.compiled else 1
    return _measure(folder, device, args.count)


def _pipelines(args: argparse.Namespace, target: str, source: Source) -> list[str]:
    """The texts of the candidates: that of --passes first."""
    from gemm_ladder.compiler.pipelines import levels
    from gemm_ladder.compiler.tune.space import SPACES, candidates, varied

    if args.passes is None and source.stage != "linalg":
        raise UsageError(
            f"error: {source.name} is at stage {source.stage}, where no level starts; name the "
            "passes that are left with --passes"
        )
    steps = steps_of(args.passes or [n for n in levels(target) if "-" not in n][-1], target)
    space = varied(SPACES.get(target, {}), steps, args.vary)
    return list(itertools.islice(candidates(steps, space), args.limit))


def _summary(built: Built) -> None:
    report(f"{built.compiled} candidates compiled, {sum(built.skipped.values())} skipped")
    for reason, count in built.skipped.items():
        report(f"  {count} x {reason}")


def _measure(folder: Path, device: Device, count: int) -> int:
    from gemm_ladder.runtime.trials import try_all, winner

    scores = try_all(folder, device, report, count=count)
    best = winner(scores, folder, report)
    if best is not None:
        print(best)
    return int(best is None)
