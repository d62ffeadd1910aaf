"""`ladder show`: the IR after a pass, as MLIR, pseudocode or assembly, or what changed."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from gemm_ladder.compiler.cli.frame import (
    add_input,
    add_pipeline,
    make_source,
    make_steps,
    report,
    steps_of,
)
from gemm_ladder.compiler.errors import UsageError, closest

if TYPE_CHECKING:
    from gemm_ladder.compiler.resolve import Step
    from gemm_ladder.compiler.source import Source

_EXAMPLE = """examples:
  ladder show examples/matmul.mlir --passes=level1 --after multi-buffer --as pseudocode
  ladder show examples/matmul.mlir --diff level0 level1 --as pseudocode
  ladder show examples/matmul.mlir --passes=level1 --diff before/after multi-buffer
"""
_BOTH = "before/after"
# Equal lines shown around a change; pseudocode fits on a screen whole.
_CONTEXT = {"mlir": 3, "asm": 3, "pseudocode": 1000}


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "show",
        help="show a kernel after a pass, or what changes between two levels",
        description="Show what INPUT has become after a pass, or the assembly of that prefix, "
        "each instruction beside the tile op and pass that it comes from.",
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
    parser.add_argument(
        "--diff",
        nargs=2,
        metavar=("A", "B"),
        help="from pipeline A to pipeline B, or 'before/after PASS' within --passes",
    )
    parser.set_defaults(command=_show)


def _show(args: argparse.Namespace) -> int:
    source = make_source(args)
    if args.diff is None:
        steps = _prefix(make_steps(args), args.after)
        print(_text(args, source, steps), end="")
        return 0
    from gemm_ladder.compiler.difference import difference

    names, pipelines = _sides(args)
    texts = (_text(args, source, pipelines[0]), _text(args, source, pipelines[1]))
    colour = sys.stdout.isatty()
    changes = difference(texts, names, _CONTEXT[args.form], colour)
    if not changes:
        report(f"{names[0]} and {names[1]} are the same as {args.form}")
    print(changes, end="")
    return 0


def _sides(args: argparse.Namespace) -> tuple[tuple[str, str], tuple[list[Step], list[Step]]]:
    """What the two sides of --diff are called, and the passes that lead there."""
    if args.after is not None:
        raise UsageError("error: --diff says itself what to compare; leave out --after")
    first, second = args.diff
    if first == _BOTH:
        if args.passes is None:
            raise UsageError(f"error: --diff {_BOTH} needs --passes, the pipeline of the pass")
        whole = _prefix(make_steps(args), second)
        return (f"before {second}", f"after {second}"), (whole[:-1], whole)
    if args.passes is not None:
        raise UsageError(f"error: --diff of two pipelines needs no --passes (or {_BOTH} PASS)")
    return (first, second), (steps_of(first, args.target), steps_of(second, args.target))


def _text(args: argparse.Namespace, source: Source, steps: list[Step]) -> str:
    """``source`` behind ``steps`` in the form that is asked for."""
    from gemm_ladder.compiler.compilation import Request, compile_source
    from gemm_ladder.compiler.stages import MLIR_STAGES

    stop = None
    if args.form != "asm":
        # A stage after the tile IR has no passes left to run: show it as it is.
        ahead = source.stage in MLIR_STAGES and MLIR_STAGES.index(source.stage) > 1
        stop = source.stage if ahead else "tile"
    request = Request(
        source=source,
        steps=steps,
        target=args.target,
        stop=stop,
        link="no",
        report=report,
        debug_lines=args.form == "asm",
    )
    result = compile_source(request)
    if result.artefact is not None:
        from gemm_ladder.compiler.annotated import annotated

        return annotated(result.artefact.asm or "")
    if args.form == "pseudocode" and result.module is not None:
        from gemm_ladder.compiler.pseudocode import render

        return render(result.module).rstrip("\n") + "\n"
    return result.text


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
