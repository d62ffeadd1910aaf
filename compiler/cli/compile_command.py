"""`ladder compile`: from any stage to any later one."""

from __future__ import annotations

import argparse
from pathlib import Path
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

if TYPE_CHECKING:
    from gemm_ladder.compiler.compilation import Result
    from gemm_ladder.runtime.artefact import Artefact

_EXAMPLE = """examples:
  ladder compile examples/matmul.mlir --passes=level1 --target gfx1250 -o mm.hsaco
  ladder compile examples/matmul.mlir --passes=level1 --stop-after tile
"""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compile",
        help="compile to a binary with its JSON description, or to a stage on the way",
        description="Compile INPUT from the stage of its suffix to the stage of OUT's suffix.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_input(parser)
    add_pipeline(parser)
    parser.add_argument(
        "--stop-after", metavar="STAGE", help="linalg, tile, gpu, llvm, ll, s, hsaco, ptx, cubin"
    )
    parser.add_argument(
        "-o",
        dest="output",
        metavar="OUT",
        help="'-' is stdout (default: stdout for text, INPUT's stem and the format for a binary, "
        "whose description is the stem and .json: one target's)",
    )
    add_cache(parser)
    add_watching(parser)
    parser.set_defaults(command=_compile)


def _compile(args: argparse.Namespace) -> int:
    stop = _stop(args)
    steps = make_steps(args)
    source = make_source(args)
    if args.output:
        _check_output(args, source.name, stop)
    from gemm_ladder.compiler.compilation import Request
    from gemm_ladder.compiler.stages import BINARY_STAGES

    request = Request(
        source=source,
        steps=steps,
        target=args.target,
        stop=stop,
        link="must" if stop in BINARY_STAGES else "auto",
        watcher=make_watcher(args),
        report=report,
    )
    with progress("compiling"):
        result = compile_artefact(request, args)
    _write(result, args.output, source.stem)
    return 0


def _check_output(args: argparse.Namespace, source: str, stop: str | None) -> None:
    """Refuse to overwrite the input, and a suffix that says another stage than --stop-after."""
    from gemm_ladder.compiler.errors import UsageError
    from gemm_ladder.compiler.source import check_writable, is_special
    from gemm_ladder.compiler.stages import BINARY_STAGES, parse_name, stage_named

    check_writable(args.output)
    path = Path(args.output)
    if path.exists() and Path(source).exists() and path.samefile(source):
        raise UsageError(f"error: -o {args.output} is the input; name another file")
    named = parse_name(args.output) if args.output != "-" else None
    if named and args.stop_after and named.stage != stage_named(args.stop_after):
        stage = f"--stop-after {args.stop_after}"
        raise UsageError(f"error: -o {args.output} names another stage than {stage}")
    if stop in (None, *BINARY_STAGES) and args.output != "-":
        if is_special(path):
            raise UsageError(
                f"error: -o {args.output} is no regular file: a binary has JSON beside it"
            )
        _check_suffix(args.output)
        _check_described(path)


def _check_suffix(output: str) -> None:
    """Refuse a binary under a suffix that nothing reads again."""
    from gemm_ladder.compiler.errors import UsageError
    from gemm_ladder.compiler.stages import MEANINGS, SUFFIXES

    suffix = Path(output).suffix
    if suffix in ("", ".json", *SUFFIXES.values()):
        return
    rows = [(SUFFIXES[stage], meaning) for stage, meaning in MEANINGS.items()]
    rows.append((".json", "the target's binary, with JSON and assembly beside it"))
    known = "".join(f"\n  {name:<12}  {meaning}" for name, meaning in rows)
    raise UsageError(f"error: -o {output}: '{suffix}' is no known suffix; known:{known}")


def _check_described(path: Path) -> None:
    """Refuse a binary ``path`` whose JSON describes that of another target, which is still here."""
    import json

    from gemm_ladder.compiler.errors import UsageError
    from gemm_ladder.runtime.artefact import FORMATS

    described, made = path.with_suffix(".json"), path.suffix[1:]
    if made not in FORMATS or not described.is_file():
        return
    try:
        document = json.loads(described.read_text(encoding="utf-8"))
        other = path.with_name(document["binary"] or document["asm"])
    except (OSError, ValueError, KeyError, TypeError):
        return  # no description of ours that somebody could miss
    if other.exists() and other.suffix not in (path.suffix, FORMATS[made]):
        raise UsageError(
            f"error: {described} describes {other}, and would describe {path} instead; "
            f"name another output, or remove {other}"
        )


def _stop(args: argparse.Namespace) -> str | None:
    """The stage asked for by name, else by the output's suffix."""
    from gemm_ladder.compiler.stages import parse_name, stage_named

    if args.stop_after:
        return stage_named(args.stop_after)
    named = parse_name(args.output) if args.output and args.output != "-" else None
    return named.stage if named else None


def _write(result: Result, output: str | None, stem: str) -> None:
    from gemm_ladder.compiler.source import write_output
    from gemm_ladder.runtime.artefact_files import save_artefact

    if result.artefact is None:
        write_output(output or "-", result.text)
    elif output == "-":
        write_output("-", result.artefact.code)
    else:
        path = Path(output or f"{stem}.{result.artefact.format}")
        _check_described(path.with_suffix(f".{result.artefact.format}"))
        described = save_artefact(result.artefact, path)
        for line in _summary(result.artefact):
            print(line)
        code = described.with_suffix(f".{result.artefact.format}")
        print(f"wrote {code if code.exists() else path} and {described}")


def _summary(artefact: Artefact) -> list[str]:
    """One line a kernel: what a launch needs and what it costs."""
    lines = []
    for kernel in artefact.kernels:
        threads = kernel.block[0] * kernel.block[1] * kernel.block[2]
        grid = "x".join(map(str, kernel.grid))
        cost = f"{kernel.lds_bytes + kernel.dynamic_lds_bytes:,} B LDS"
        if kernel.vgprs is not None:
            cost = f"{kernel.vgprs} VGPRs, {kernel.spills} spills, {cost}"
        lines.append(f"{kernel.name}: grid {grid}, {threads} threads, {cost}")
        lines += [f"  {remark}" for remark in kernel.remarks]
    return lines
