"""`ladder show`: the IR after a pass, as MLIR, pseudocode or assembly."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gemm_ladder.compiler.cli.frame import (
    add_input,
    add_pipeline,
    make_source,
    make_steps,
    report,
)
from gemm_ladder.compiler.errors import UsageError, closest

if TYPE_CHECKING:
    from gemm_ladder.compiler.resolve import Step

_EXAMPLE = """example:
  ladder show examples/matmul.mlir --passes=level1 --after multi-buffer --as pseudocode
"""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "show",
        help="show a kernel after a pass",
        description="Show what INPUT has become after a pass, or the assembly of that prefix.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_input(parser)
    add_pipeline(parser)
    parser.add_argument("--after", metavar="PASS", help="the pass (default: the last of --passes)")
    parser.add_argument(
        "--as",
        dest="form",
        choices=("mlir", "pseudocode", "asm"),
        default="mlir",
        help="default: mlir",
    )
    parser.set_defaults(command=_show)


def _show(args: argparse.Namespace) -> int:
    steps, source = _prefix(make_steps(args), args.after), make_source(args)
    from gemm_ladder.compiler.compilation import Request, compile_source
    from gemm_ladder.compiler.stages import MLIR_STAGES

    stop = None
    if args.form != "asm":
        # A stage after the tile IR has no passes left to run: show it as it is.
        ahead = source.stage in MLIR_STAGES and MLIR_STAGES.index(source.stage) > 1
        stop = source.stage if ahead else "tile"
    request = Request(
        source=source, steps=steps, target=args.target, stop=stop, link="no", report=report
    )
    result = compile_source(request)
    if result.artefact is not None:
        print(result.artefact.asm, end="")
    elif args.form == "pseudocode" and result.module is not None:
        from gemm_ladder.compiler.pseudocode import render

        print(render(result.module).rstrip("\n"))
    else:
        print(result.text, end="")
    return 0


def _prefix(steps: list[Step], after: str | None) -> list[Step]:
    """``steps`` up to the last one called ``after``; UsageError if there is none."""
    if after is None:
        return steps
    names = [step.name for step in steps]
    if after not in names:
        known = ", ".join(names) or "none (no --passes)"
        guess = closest(after, names)
        raise UsageError(f"error: no pass '{after}' in this pipeline{guess}\npasses: {known}")
    return steps[: len(names) - names[::-1].index(after)]
