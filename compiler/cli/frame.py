"""What every command shares: options, error reporting, exit codes."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from gemm_ladder.compiler.errors import InternalError, LadderError

if TYPE_CHECKING:
    from gemm_ladder.compiler.compilation import Request, Result
    from gemm_ladder.compiler.observe import Watcher
    from gemm_ladder.compiler.resolve import Step
    from gemm_ladder.compiler.source import Source

Command = Callable[[argparse.Namespace], int]
INTERRUPTED = 130


def report(line: str) -> None:
    """One warning, remark or note to the user."""
    print(line, file=sys.stderr)


def interrupted() -> int:
    """Say that Ctrl-C ended the command; its exit code."""
    report("error: interrupted")
    return INTERRUPTED


def guarded(command: Command, args: argparse.Namespace) -> int:
    """Run ``command``; every expected failure becomes text on stderr and an exit code."""
    from gemm_ladder.dialect_defs.target import TargetError
    from gemm_ladder.runtime.errors import ArtefactError, DeviceNameError, RuntimeFault

    try:
        code = command(args)
        sys.stdout.flush()
        return code
    except LadderError as error:
        _show_origin(isinstance(error, InternalError))
        report(str(error))
        return error.exit_code
    except (RuntimeFault, TargetError) as fault:
        report(f"error: {fault}")
        return 2 if isinstance(fault, (ArtefactError, DeviceNameError)) else 1
    except MemoryError as error:
        report(f"error: not enough memory here: {' '.join(str(error).split()) or 'none left'}")
        return 1
    except KeyboardInterrupt:
        return interrupted()
    except BrokenPipeError:
        _discard_output()
        return 1
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            _discard_output()
            report(f"error: cannot write: {error.strerror}")
            return 1
        _show_origin(True)
        report(f"error: internal: {type(error).__name__}: {' '.join(str(error).split())}")
        return 1


def _discard_output() -> None:
    """Nobody takes what is left: point stdout elsewhere, or Python complains at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_origin(ours: bool) -> None:
    """For a defect of ours: where it arose, if asked for, else how to ask."""
    if not ours:
        return
    if os.environ.get("LADDER_TRACEBACK"):
        traceback.print_exc()
    else:
        report("note: LADDER_TRACEBACK=1 shows where this defect of ladder arose")


def parse_arguments(
    parser: argparse.ArgumentParser, argv: list[str] | None
) -> argparse.Namespace | int:
    """The parsed command line, or the exit code after --help or a wrong one."""
    try:
        return parser.parse_args(argv)
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 2


class _Version(argparse.Action):
    """Looks the version up only when asked: package metadata costs half of the start-up time."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            found = version("gemm-ladder")
        except PackageNotFoundError:
            found = "(not installed)"
        print(f"gemm-ladder {found}")
        parser.exit()


def add_version(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` --version."""
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")


def add_input(parser: argparse.ArgumentParser) -> None:
    """The input and where it starts."""
    parser.add_argument("input", metavar="INPUT", help="a file at any stage; '-' is stdin")
    parser.add_argument(
        "--start-at", metavar="STAGE", help="the input's stage (default: by its suffix)"
    )


def add_pipeline(parser: argparse.ArgumentParser) -> None:
    """The pipeline and the target."""
    parser.add_argument(
        "--passes",
        metavar="TEXT",
        help="a level (level1) or pipeline text: a,b{x=1 y=2x2},mlir:cse",
    )
    parser.add_argument(
        "--target", metavar="NAME", help="default: the device's architecture, else gfx1250"
    )


def add_watching(parser: argparse.ArgumentParser) -> None:
    """Printing and dumping IR; the prints go to stderr."""
    group = parser.add_argument_group("IR between passes (on stderr)")
    for flag, when in (("before", "before"), ("after", "after")):
        group.add_argument(
            f"--print-ir-{flag}",
            metavar="PASS",
            action="append",
            default=[],
            help=f"print the IR {when} this pass (may be repeated)",
        )
    group.add_argument("--print-ir-after-all", action="store_true", help="after every pass")
    group.add_argument("--dump-dir", metavar="DIR", help="one numbered file for each pass")


def add_cache(parser: argparse.ArgumentParser) -> None:
    """Whether to look for the artefact in the cache of compiled kernels."""
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="compile even if the cache has the result ('ladder cache' shows it)",
    )


def compile_artefact(request: Request, args: argparse.Namespace) -> Result:
    """Compile, or take the result from the cache, as the options say."""
    from gemm_ladder.compiler.cache import compile_cached, default_cache

    return compile_cached(request, None if args.no_cache else default_cache())


def make_watcher(args: argparse.Namespace) -> Watcher:
    """The watcher that the options of add_watching() describe."""
    from pathlib import Path

    from gemm_ladder.compiler.observe import Watcher

    return Watcher(
        before=tuple(args.print_ir_before),
        after=tuple(args.print_ir_after),
        after_all=args.print_ir_after_all,
        dump_dir=Path(args.dump_dir) if args.dump_dir else None,
        emit=report,
    )


def make_source(args: argparse.Namespace) -> Source:
    """Read the input that the options of add_input() describe."""
    from gemm_ladder.compiler.source import read_source
    from gemm_ladder.compiler.stages import stage_named

    return read_source(args.input, stage_named(args.start_at) if args.start_at else None)


def make_steps(args: argparse.Namespace, target: str | None = None) -> list[Step]:
    """The steps of --passes; none without it. Levels are --target's, else ``target``'s."""
    return [] if args.passes is None else steps_of(args.passes, args.target or target)


def steps_of(pipeline: str, target: str | None) -> list[Step]:
    """The steps of pipeline text, levels being those of ``target`` (None: the default)."""
    from gemm_ladder.compiler.resolve import resolve
    from gemm_ladder.compiler.targets import FALLBACK, find_target

    return resolve(pipeline, find_target(target or FALLBACK).name)
