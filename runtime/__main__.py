"""Check artefacts, or try those of a search: `python -m gemm_ladder.runtime check DIR`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .check import render_table, to_json
from .device import KINDS, open_device
from .errors import RuntimeFault
from .inputs import KINDS as INPUTS
from .report import REPORT
from .results import CheckResult
from .trials import try_all, winner
from .worker import Settings, check_all, serve

_EXAMPLE = """example:
  python -m gemm_ladder.runtime check artefacts/ --device cuda --repeats 20 --json report.json
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 if every check passed, 1 if any failed or a fault stopped it, 2 on bad use."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "tune":
            return _tune(Path(options.folder), options.device, options.count)
        settings = Settings(
            options.device, tuple(options.seeds), options.repeats, tuple(options.inputs)
        )
        if options.command == "serve":
            return serve(settings, sys.stdin, sys.stdout)
        return _check(options.paths, settings, options.json)
    except RuntimeFault as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gemm_ladder.runtime",
        description="Run artefacts on a device and check their results.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="check every artefact found, one table row a kernel")
    check.add_argument("paths", nargs="+", metavar="DIR_OR_JSON", help="searched for *.json")
    check.add_argument("--json", metavar="OUT", help="write the results as JSON too")
    worker = commands.add_parser("serve", help="used by check: one child that can be lost")
    for command in (check, worker):
        command.add_argument("--device", default="sim", help=f"{', '.join(KINDS)} (default sim)")
        command.add_argument("--repeats", type=_positive, default=1, help="runs of each input")
        command.add_argument("--seeds", type=int, nargs="+", default=[0])
        command.add_argument("--inputs", choices=INPUTS, nargs="+", default=["normal", "integer"])
    tune = commands.add_parser("tune", help="measure the candidates of a folder of `ladder tune`")
    tune.add_argument("folder", metavar="DIR", help="with candidates.json")
    tune.add_argument("--device", default="cuda", help=f"{', '.join(KINDS)} (default cuda)")
    tune.add_argument("--count", type=_positive, default=10, help="timed launches (default 10)")
    return parser


def _tune(folder: Path, device: str, count: int) -> int:
    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    best = winner(try_all(folder, open_device(device), say, count=count), folder, say)
    if best is not None:
        print(best)
    return int(best is None)


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return int(text)


def _check(paths: Sequence[str], settings: Settings, out: str | None) -> int:
    found = find_artefacts([Path(path) for path in paths])
    results: list[CheckResult] = []
    for done, batch in enumerate(check_all(found, settings), start=1):
        results += batch
        verdict = "ok" if all(result.ok for result in batch) else "FAIL"
        print(f"[{done}/{len(found)}] {batch[0].source}: {verdict}", file=sys.stderr, flush=True)
    print(render_table(results))
    failed = sum(not result.ok for result in results)
    print(f"{len(results)} kernels checked in {len(found)} artefacts, {failed} failed")
    if out is not None:
        _write_json(Path(out), results)
    return 1 if failed else 0


def find_artefacts(paths: Sequence[Path]) -> list[Path]:
    """Every .json given or below a folder given, reports of ours aside. RuntimeFault if none."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += [p for p in sorted(path.rglob("*.json")) if not _is_report(p)]
        else:
            found.append(path)
    if not found:
        raise RuntimeFault(f"no artefact (*.json) in {', '.join(map(str, paths))}")
    return list(dict.fromkeys(found))


def _is_report(path: Path) -> bool:
    try:
        return f'"kind": "{REPORT}"' in path.read_text(encoding="utf-8", errors="replace")[:200]
    except OSError:
        return False  # Loading it will say what is wrong.


def _write_json(path: Path, results: Sequence[CheckResult]) -> None:
    text = json.dumps(to_json(results), indent=2) + "\n"
    try:
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as stream:
            stream.write(text)
        os.replace(stream.name, path)
    except OSError as error:
        raise RuntimeFault(f"cannot write {path}: {error.strerror or error}") from error


if __name__ == "__main__":
    sys.exit(main())
