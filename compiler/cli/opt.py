"""The command `ladder-opt`: passes on a file, as lit tests use it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from gemm_ladder.compiler.cli import isolate
from gemm_ladder.compiler.cli.frame import (
    add_version,
    add_watching,
    guarded,
    parse_arguments,
)
from gemm_ladder.compiler.errors import UsageError

if TYPE_CHECKING:
    from gemm_ladder.compiler.resolve import Step

_EXAMPLE = """example:
  ladder-opt --pass='import-matmul' examples/matmul.mlir
"""


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="ladder-opt",
        description="Run passes over a module and print it.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("input", nargs="?", default="-", metavar="FILE", help="default: stdin")
    parser.add_argument(
        "--pass", dest="one", metavar="PASS", help="one pass with its options: a{x=1}"
    )
    parser.add_argument("--passes", metavar="TEXT", help="a level or pipeline text")
    parser.add_argument("--target", metavar="NAME", help="for modules that name none: gfx1250")
    parser.add_argument("-o", dest="output", default="-", metavar="OUT", help="default: stdout")
    parser.add_argument(
        "--split-input-file",
        action="store_true",
        help="the input is several modules, between lines of // -----",
    )
    parser.add_argument(
        "--verify-diagnostics",
        action="store_true",
        help="check that exactly what `expected-error@+1 {{text}}` comments say is reported",
    )
    parser.add_argument(
        "--verify-each", action="store_true", help="run the kernels on interp after every pass"
    )
    parser.add_argument(
        "--reproducer",
        metavar="FILE",
        help="where a failing pass leaves its input and the command (kept current, so that a crash "
        "of the process leaves it too); without it only an internal error writes one",
    )
    parser.add_argument(isolate.FLAG, action="store_true", help=isolate.HELP)
    add_version(parser)
    add_watching(parser)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run; returns 0, 1 if a pass or MLIR rejects the input, 2 for a wrong request."""
    args = parse_arguments(make_parser(), argv)
    return args if isinstance(args, int) else guarded(_opt, args)


def _opt(args: argparse.Namespace) -> int:
    steps = _steps(args)
    from gemm_ladder.compiler.cli.opt_pieces import Options, run_pieces

    return run_pieces(args, Options.of(args), steps)


def _steps(args: argparse.Namespace) -> list[Step]:
    """What --pass or --passes asks for."""
    if args.one is not None and args.passes is not None:
        raise UsageError("error: give --pass or --passes, not both")
    from gemm_ladder.compiler.resolve import resolve
    from gemm_ladder.compiler.targets import FALLBACK, find_target

    text = args.passes if args.one is None else args.one
    target = find_target(args.target or FALLBACK).name
    steps = resolve(text, target) if text is not None else []
    if args.one is not None and len(steps) != 1:
        raise UsageError(f"error: --pass takes one pass, '{args.one}' is {len(steps)}")
    return steps


def run() -> None:
    """Entry point of the console script."""
    sys.exit(isolate.run(main, "gemm_ladder.compiler.cli.opt"))


if __name__ == "__main__":
    run()
