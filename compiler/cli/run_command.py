"""`ladder run`: compile if needed, run on a device, check, print one table."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from gemm_ladder.compiler.cli.frame import (
    add_cache,
    add_input,
    add_pipeline,
    add_watching,
    compile_artefact,
    make_source,
    make_steps,
    make_watcher,
    report,
)
from gemm_ladder.compiler.cli.progress import progress
from gemm_ladder.compiler.errors import UsageError

if TYPE_CHECKING:
    from gemm_ladder.runtime.artefact import Artefact
    from gemm_ladder.runtime.device import Device

_EXAMPLE = """example:
  ladder run examples/matmul.mlir --passes=level1 --device sim
"""
_ARTEFACTS = (".json", ".hsaco", ".cubin")


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "run",
        help="run on a device with random inputs and check the result",
        description="Run INPUT (an artefact, or a source that is compiled first) with random "
        "normal and small-integer inputs, and compare with float64. Exit code 1 if it differs.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_input(parser)
    add_pipeline(parser)
    parser.add_argument(
        "--device",
        help="sim (default), sim:early, sim:random,seed=1, interp, cuda, cuda:1, hip, ...",
    )
    parser.add_argument(
        "--check-races",
        action=argparse.BooleanOptionalAction,
        help="look for races, missing waits and values nobody wrote on sim (default: yes)",
    )
    parser.add_argument(
        "--findings",
        choices=("json",),
        help="print what the device found, one object for each pair of instructions, and no table",
    )
    parser.add_argument(
        "--verify-each",
        action="store_true",
        help="run after every pass (on interp unless --device is given); stop at the first bad one",
    )
    parser.add_argument("--seed", type=_whole, default=0, help="of the random inputs (default 0)")
    parser.add_argument(
        "--repeats", type=_positive, default=1, help="launches of each input, compared bit by bit"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    add_cache(parser)
    add_watching(parser)
    parser.set_defaults(command=_run)


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 0")
    return int(text)


def _positive(text: str) -> int:
    if _whole(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return int(text)


def _run(args: argparse.Namespace) -> int:
    from gemm_ladder.compiler.devices import INTERP, KINDS, open_device

    if args.device is None:
        args.device = INTERP if args.verify_each else "sim"
    kind = args.device.partition(":")[0]
    if kind not in KINDS:
        raise UsageError(f"error: unknown device '{kind}'\ndevices: {', '.join(KINDS)}")
    prebuilt = _prebuilt(args)
    device = open_device(_spec(args, kind))
    artefact = prebuilt or _compile(args, device)
    from gemm_ladder.runtime.check import check_artefact, render_table, to_json

    with progress(f"running on {args.device}"):
        results = check_artefact(artefact, device, seeds=(args.seed,), repeats=args.repeats)
    if args.findings:
        found = [{"kernel": r.kernel, **finding} for r in results for finding in r.findings]
        print(json.dumps(found, indent=1))
    else:
        print(json.dumps(to_json(results), indent=1) if args.json else render_table(results))
    return 0 if all(result.ok for result in results) else 1


def _spec(args: argparse.Namespace, kind: str) -> str:
    """What to open: the device, without its checks if they are not wanted."""
    if args.check_races is not None and kind != "sim":
        raise UsageError(f"error: --check-races and --no-check-races are for sim, not {kind}")
    if args.check_races is not False:
        return str(args.device)
    return f"{args.device}{',' if ':' in args.device else ':'}no-check"


def _prebuilt(args: argparse.Namespace) -> Artefact | None:
    """The artefact, if INPUT is one."""
    if args.start_at or not args.input.endswith(_ARTEFACTS):
        return None
    if args.passes or args.target or args.verify_each:
        flags = "--passes, --target and --verify-each do nothing"
        raise UsageError(f"error: {args.input} is compiled already; {flags}")
    from gemm_ladder.runtime.artefact_files import load_artefact

    return load_artefact(args.input)


def _compile(args: argparse.Namespace, device: Device) -> Artefact:
    from gemm_ladder.compiler.devices import target_for
    from gemm_ladder.compiler.targets import find_target

    interpreted = device.kind == "interp"
    target = args.target
    if not interpreted:
        target = target_for(device, find_target(target).name if target else None)
    steps, source = make_steps(args, target), make_source(args)
    from gemm_ladder.compiler.compilation import Request

    watcher = make_watcher(args)
    if args.verify_each:
        from gemm_ladder.compiler.verify_each import VerifyEach

        watcher.verify = VerifyEach(args.device, args.seed, stem=source.stem)
    # The simulator executes the assembly text; only a driver needs a binary.
    request = Request(
        source=source,
        steps=steps,
        target=target,
        stop="tile" if interpreted else None,
        link="no" if device.kind == "sim" else "auto",
        watcher=watcher,
        report=report,
        debug_lines=device.kind == "sim",
    )
    with progress("compiling"):
        result = compile_artefact(request, args)
    if interpreted:
        from gemm_ladder.compiler.tile_artefact import result_artefact

        return result_artefact(result, source.name, steps)
    assert result.artefact is not None
    return result.artefact
