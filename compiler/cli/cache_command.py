"""`ladder cache`: what the cache of compiled kernels holds, and emptying it."""

from __future__ import annotations

import argparse
import json
from typing import Any

_EXAMPLE = """examples:
  ladder cache
  ladder cache --clear

The folder is $LADDER_CACHE_DIR (empty: no cache), else $XDG_CACHE_HOME/gemm-ladder.
"""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "cache",
        help="show or clear the cache of compiled kernels",
        description="List the kernels that `ladder run` and `ladder compile` keep, oldest first.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--clear", action="store_true", help="remove every entry")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.set_defaults(command=_cache)


def _cache(args: argparse.Namespace) -> int:
    from gemm_ladder.compiler.cache import VARIABLE, default_cache
    from gemm_ladder.compiler.errors import InputError, UsageError

    cache = default_cache()
    if cache is None:
        raise UsageError(f"error: the cache is off: ${VARIABLE} is empty")
    if cache.folder.exists() and not cache.folder.is_dir():
        raise InputError(f"{cache.folder}: error: not a folder; set ${VARIABLE} to another one")
    if args.clear:
        print(f"removed {cache.clear()} of {cache.folder}")
        return 0
    rows = [_facts(entry) for entry in cache.entries()]
    if args.json:
        print(json.dumps({"folder": str(cache.folder), "entries": rows}, indent=1))
        return 0
    total = sum(row["bytes"] for row in rows)
    for row in rows:
        print(f"{row['key'][:12]}  {row['bytes']:>9,} B  {row['what']}")
    print(f"{len(rows)} entries, {total:,} B in {cache.folder}")
    return 0


def _facts(entry: Any) -> dict[str, Any]:
    artefact = entry.artefact
    if artefact is None:
        what = "damaged: made again when it is next asked for"
    else:
        names = ", ".join(kernel.name for kernel in artefact.kernels)
        what = f"{artefact.target} {artefact.format}  {names}  {artefact.pipeline}"
    return {"key": entry.path.name.partition(".")[0], "bytes": entry.size, "what": what}
