"""`ladder-opt` at work: one module or several of a file, diagnostics checked, failures kept."""

from __future__ import annotations

import argparse
import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from gemm_ladder.compiler.cli.expected import check_diagnostics
from gemm_ladder.compiler.cli.frame import make_watcher, report
from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.errors import InternalError, LadderError
from gemm_ladder.compiler.observe import Watcher
from gemm_ladder.compiler.reproducer import write_reproducer
from gemm_ladder.compiler.resolve import Step
from gemm_ladder.compiler.source import (
    STDIN,
    Source,
    check_writable,
    read_source,
    write_output,
)
from gemm_ladder.compiler.verify_each import BrokenPassError, VerifyEach

_SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)


@dataclass(frozen=True)
class Options:
    """The flags of ladder-opt that matter here."""

    target: str | None
    output: str
    split: bool
    diagnostics: bool
    verify: bool
    reproducer: Path | None

    @staticmethod
    def of(args: argparse.Namespace) -> Options:
        """From the parsed command line."""
        return Options(
            args.target, args.output, args.split_input_file, args.verify_diagnostics,
            args.verify_each, Path(args.reproducer) if args.reproducer else None,
        )  # fmt: skip


def run_pieces(args: argparse.Namespace, options: Options, steps: list[Step]) -> int:
    """Run ``steps`` on the input, or on each of its pieces; the exit code."""
    check_writable(options.output)
    whole = read_source(args.input, "linalg")
    pieces = _pieces(whole) if options.split else [whole]
    outputs, code = [], 0
    for piece in pieces:
        text, said, ok = _run_piece(piece, make_watcher(args), options, steps)
        said = [line.replace(f"{STDIN}:", f"{whole.name}:") for line in said]
        if options.diagnostics:
            said = check_diagnostics(piece.text, whole.name, said)
            ok = not said
        for line in said:
            report(line)
        outputs.append(text)
        code = code or (0 if ok else 1)
    if code == 0 and not options.diagnostics:
        write_output(options.output, "// -----\n".join(outputs))
    return code


def _pieces(whole: Source) -> list[Source]:
    """The modules of a file, each behind as many empty lines as it has lines before it."""
    pieces, start = [], 0
    for end in [*(m.start() for m in _SPLIT.finditer(whole.text)), len(whole.text)]:
        lines = whole.text.count("\n", 0, start)
        text = "\n" * lines + whole.text[start:end]
        if text.strip():
            pieces.append(replace(whole, name=STDIN, text=text))
        # The marker's line stays in front of the next piece, where it is a comment.
        start = end
    return pieces


def _run_piece(
    source: Source, watcher: Watcher, options: Options, steps: list[Step]
) -> tuple[str, list[str], bool]:
    """(output, what was reported, whether it worked)."""
    said: list[str] = []
    watcher.reproducer = options.reproducer
    if options.verify:
        watcher.verify = VerifyEach(stem=source.stem)
    request = Request(
        source=source, steps=steps, target=options.target, stop="linalg", watcher=watcher,
        report=said.append,
    )  # fmt: skip
    try:
        text = compile_source(request).text
    except LadderError as error:
        said.append(str(error))
        kept = _keep(error, watcher, options)
        return "", [*said, *([f"note: reproducer: {kept}"] if kept else [])], False
    if options.reproducer is not None:
        options.reproducer.unlink(missing_ok=True)
    return text, said, True


def _keep(error: LadderError, watcher: Watcher, options: Options) -> Path | None:
    """Write the reproducer of a failure that deserves one; its path."""
    path = options.reproducer
    if watcher.current is None or isinstance(error, BrokenPassError):
        return None
    if path is None and isinstance(error, InternalError):
        handle, name = tempfile.mkstemp(prefix="ladder-reproducer-", suffix=".mlir")
        open(handle, "w").close()
        path = Path(name)
    if path is not None:
        step, before = watcher.current
        write_reproducer(path, step, before, str(error))
    return path
