"""The command `ladder-opt`: passes on a file, as lit tests use it."""

from __future__ import annotations

import argparse
import sys

from gemm_ladder.compiler.cli.frame import (
    add_watching,
    guarded,
    make_watcher,
    parse_arguments,
    report,
)
from gemm_ladder.compiler.errors import InputError, UsageError

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
    add_watching(parser)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run; returns 0, 1 if a pass or MLIR rejects the input, 2 for a wrong request."""
    args = parse_arguments(make_parser(), argv)
    return args if isinstance(args, int) else guarded(_opt, args)


def _opt(args: argparse.Namespace) -> int:
    if args.one is not None and args.passes is not None:
        raise UsageError("error: give --pass or --passes, not both")
    from gemm_ladder.compiler.resolve import resolve

    text = args.passes if args.one is None else args.one
    steps = resolve(text) if text is not None else []
    if args.one is not None and len(steps) != 1:
        raise UsageError(f"error: --pass takes one pass, '{args.one}' is {len(steps)}")
    from gemm_ladder.compiler.compilation import Request, compile_source
    from gemm_ladder.compiler.source import check_writable, read_source, write_output

    check_writable(args.output)
    request = Request(
        source=read_source(args.input, "linalg"),
        steps=steps,
        target=args.target,
        stop="linalg",
        watcher=make_watcher(args),
        report=report,
    )
    try:
        write_output(args.output, compile_source(request).text)
    except InputError as error:
        # As mlir-opt: 1 for whatever is wrong with the module.
        report(str(error))
        return 1
    return 0


def run() -> None:
    """Entry point of the console script."""
    sys.exit(main())


if __name__ == "__main__":
    run()
