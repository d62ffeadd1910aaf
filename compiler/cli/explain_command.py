"""`ladder explain`: a level, pass by pass, as one HTML file; a whole ladder as a small site."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gemm_ladder.compiler.cli.progress import progress
from gemm_ladder.compiler.errors import LadderError, UsageError

if TYPE_CHECKING:
    from gemm_ladder.compiler.explain.page import Links
    from gemm_ladder.compiler.explain.story import Story
    from gemm_ladder.compiler.source import Source
    from gemm_ladder.dialect_defs.target import Target

_EXAMPLE = """examples:
  ladder explain level7 -o level7.html
  ladder explain level8 --target sm_90a --input examples/matmul.mlir
  ladder explain --all -o ladder
"""
_SIZE = re.compile(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)")


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "explain",
        help="explain a level pass by pass, as an HTML file that needs nothing else",
        description="Write what each pass of LEVEL does to a kernel: IR and pseudocode before and "
        "after, LDS and registers, the K loop's instructions, lanes and banks.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("level", metavar="LEVEL", nargs="?", help="a level, or pipeline text")
    parser.add_argument("--all", action="store_true", help="every level of the target, as a site")
    parser.add_argument("--target", metavar="NAME", help="default: gfx1250")
    parser.add_argument(
        "--size",
        metavar="MxNxK",
        default="8192x8192x8192",
        help="of the matmul (default: %(default)s)",
    )
    parser.add_argument(
        "--layout",
        choices=("nt", "nn", "tn", "tt"),
        default="nt",
        help="t: an operand stored transposed (default: nt)",
    )
    parser.add_argument("--input", metavar="FILE", help="explain this kernel instead")
    parser.add_argument(
        "-o",
        dest="output",
        metavar="OUT",
        help="the file ('-' is stdout; default: LEVEL.html), or the folder of --all",
    )
    parser.set_defaults(command=_explain)


def _explain(args: argparse.Namespace) -> int:
    from gemm_ladder.compiler.targets import FALLBACK, find_target

    target = find_target(args.target or FALLBACK)
    if args.all == (args.level is not None):
        raise UsageError("error: name a level, or --all: one of the two")
    return _site(args, target) if args.all else _one(args, target)


def _one(args: argparse.Namespace, target: Target) -> int:
    from gemm_ladder.compiler.explain.page import Links
    from gemm_ladder.compiler.source import check_writable, write_output

    output = args.output or f"{re.sub(r'[^a-z0-9-]+', '-', args.level)[:40].strip('-')}.html"
    check_writable(output)
    text, _ = _page(_source(args), target, args.level, Links())
    write_output(output, text)
    if output != "-":
        print(f"wrote {output}")
    return 0


def _site(args: argparse.Namespace, target: Target) -> int:
    from gemm_ladder.compiler.explain.page import Links, kernel_facts, table_page
    from gemm_ladder.compiler.pipelines import LADDERS, levels
    from gemm_ladder.compiler.source import write_output

    source = _source(args)
    folder = Path(args.output or f"ladder-{target.name}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"error: {folder}: cannot make the folder: {error.strerror}") from None
    names, rows, pages = levels(target.name), [], {}
    for number, name in enumerate(names):
        before = names[number - 1] if number else None
        after = names[number + 1] if number + 1 < len(names) else None
        links = Links(_link(before), _link(after), "index.html")
        try:
            pages[name], story = _page(source, target, name, links)
        except LadderError as error:
            error.args = (f"{error}\nnote: explaining {name}; nothing was written",)
            raise
        facts = kernel_facts(story.artefact.kernels[0])
        technique = LADDERS[target.name][name].technique
        rows.append({"title": name, "file": f"{name}.html", "technique": technique, "facts": facts})
    for name, text in pages.items():
        write_output(str(folder / f"{name}.html"), text)
    write_output(str(folder / "index.html"), table_page(target.name, rows))
    print(f"wrote {folder / 'index.html'} and {len(names)} levels")
    return 0


def _link(level: str | None) -> tuple[str, str] | None:
    return (level, f"{level}.html") if level else None


def _page(source: Source, target: Target, level: str, links: Links) -> tuple[str, Story]:
    from gemm_ladder.compiler.explain.bank_map import row_accesses, simulated_accesses
    from gemm_ladder.compiler.explain.page import level_page
    from gemm_ladder.compiler.explain.story import tell
    from gemm_ladder.compiler.resolve import resolve

    steps = resolve(level, target.name)
    with progress(f"explaining {level}") as say:
        story = tell(level, source, steps, target, say)
        contract = story.artefact.kernels[0].contract
        if target.backend == "amdgpu" and contract is not None:
            say("LDS accesses on the simulator")
            accesses = simulated_accesses(steps, target, contract)
        else:
            accesses = row_accesses(story.module, target)
        return level_page(story, accesses, links), story


def _source(args: argparse.Namespace) -> Source:
    from gemm_ladder.compiler.problem import Problem
    from gemm_ladder.compiler.source import Source, read_source

    if args.input:
        return read_source(args.input)
    size = _SIZE.fullmatch(args.size)
    if size is None:
        raise UsageError(f"error: --size is '{args.size}', not MxNxK, such as 8192x8192x8192")
    m, n, k = (int(part) for part in size.groups())
    return Source("matmul.mlir", Problem(m, n, k, args.layout).mlir(), "linalg", "matmul")
