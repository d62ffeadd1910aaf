"""The command `ladder`."""

from __future__ import annotations

import argparse
import sys

from gemm_ladder.compiler.cli import (
    cache_command,
    compile_command,
    explain_command,
    isolate,
    listing,
    run_command,
    show_command,
    tune_command,
)
from gemm_ladder.compiler.cli.frame import add_version, guarded, parse_arguments

_EXAMPLE = """example:
  ladder run examples/matmul.mlir --passes=level1 --device sim

'ladder COMMAND --help' shows an example of each command.
"""


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="ladder",
        description="GEMM kernels for AMD and NVIDIA GPUs, one MLIR pass per technique.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        isolate.FLAG,
        action="store_true",
        help=isolate.HELP,
    )
    add_version(parser)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for module in (
        compile_command,
        run_command,
        show_command,
        tune_command,
        explain_command,
        listing,
        cache_command,
    ):
        module.register(commands)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns its exit code: 0, 1 for a failure, 2 for a wrong request."""
    args = parse_arguments(make_parser(), argv)
    return args if isinstance(args, int) else guarded(args.command, args)


def run() -> None:
    """Entry point of the console script."""
    sys.exit(isolate.run(main, "gemm_ladder.compiler.cli.main"))


if __name__ == "__main__":
    run()
