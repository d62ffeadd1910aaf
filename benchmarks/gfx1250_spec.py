"""The gfx1250 levels against the published ladder: ours beside the published value, what is missed.

Compiles every level (default: 8192^3, both operands with K along their rows, bf16 to bf16), prints
what each uses and does in a K block of one wave, and judges it; then compiles the same matmul with
iree-compile. Bank conflicts, partitions and the TDM's issuing waves come from a simulated launch of
a small problem. Exit code 1 if a requirement is missed.

    python benchmarks/gfx1250_spec.py
    python benchmarks/gfx1250_spec.py --levels level7,level12 --json spec.json
    python benchmarks/gfx1250_spec.py --size 4096 --layout nn --no-peer
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gfx1250_facts import compiled, simulated_facts, static_facts
from gfx1250_published import Published, published
from gfx1250_requirements import verdicts
from iree_peer import peer

from gemm_ladder.compiler.errors import LadderError
from gemm_ladder.compiler.pipelines import LADDERS, levels
from gemm_ladder.compiler.problem import Problem
from gemm_ladder.runtime.sim import SimError

COLUMNS = 7  # levels side by side
Cell = Callable[[dict[str, Any], Published], str]
MAX_RATIO = 2.0  # of IREE's compile time


def _pair(key: str, value: Callable[[Published], Any]) -> Cell:
    def cell(facts: dict[str, Any], row: Published) -> str:
        theirs = value(row)
        return f"{facts[key]} | {'-' if theirs is None else theirs}"

    return cell


def _ratio(facts: dict[str, Any], row: Published) -> str:
    return f"{facts['lds_loads'] / max(1, facts['matrix']):g} | {row.lds_loads / row.matrix:g}"


def _drains(counter: str, full: str, partial: str) -> Cell:
    def cell(facts: dict[str, Any], row: Published) -> str:
        mine = f"{facts[f'{counter}_full']}+{facts[f'{counter}_partial']}"
        return f"{mine} | {getattr(row, full)}+{getattr(row, partial) if partial else 0}"

    return cell


def _copy(facts: dict[str, Any], row: Published) -> str:
    counter = {"vector": "loadcnt", "async": "asynccnt", "tdm": "tensorcnt"}[row.copies]
    return _drains(counter, "copy_drains", "")(facts, row)


def _copies(facts: dict[str, Any], row: Published) -> str:
    kinds = [kind for kind in ("vector", "async", "tdm") if facts[f"copies_{kind}"]]
    mine = "+".join(f"{facts[f'copies_{kind}']} {kind}" for kind in kinds)
    return f"{mine or 'none'} | {row.copies}"


def _tdm(facts: dict[str, Any], row: Published) -> str:
    return f"{facts['tdm_fills']:g} | {2 if row.copies == 'tdm' else 0}"


def _barriers(facts: dict[str, Any], row: Published) -> str:
    mine = f"{facts['workgroup_waits']}+{facts['cluster_waits']}"
    return f"{mine} | {row.barriers}+{row.cluster_barriers}"


def _window(facts: dict[str, Any], row: Published) -> str:
    return f"{facts[f'{row.window_scope}_window']} | {row.window}"


TABLE: tuple[tuple[str, Cell], ...] = (
    ("VGPRs", _pair("vgprs", lambda r: r.vgprs)),
    ("SGPRs", _pair("sgprs", lambda r: r.sgprs)),
    ("accumulators", _pair("accumulators", lambda r: r.accumulators)),
    ("LDS bytes", _pair("lds_bytes", lambda r: r.lds_bytes)),
    ("spills and scratch", _pair("spills", lambda r: r.spills)),
    ("workgroups a WGP", _pair("workgroups", lambda r: r.workgroups)),
    ("WMMAs", _pair("matrix", lambda r: r.matrix)),
    ("LDS loads per WMMA", _ratio),
    ("VALU", _pair("valu", lambda r: None)),
    ("SALU", _pair("salu", lambda r: None)),
    ("LDS waits full+partial", _drains("dscnt", "wait_full", "wait_partial")),
    ("copy waits full+partial", _copy),
    ("barriers wg+cluster", _barriers),
    ("copies a wave issues", _copies),
    ("TDM loads a workgroup", _tdm),
    ("WMMAs in the window", _window),
    ("DS/WMMA groups", lambda facts, row: f"{len(facts['interleave'])} | -"),
    ("bank conflicts", lambda facts, row: f"{len(facts['bank_conflicts'])} | 0"),
    ("step, published", lambda facts, row: row.step or "-"),
    ("TFLOP/s, published", lambda facts, row: f"{'-' if row.tflops is None else row.tflops}"),
)


def examine(problem: Problem, level: str, row: Published) -> dict[str, Any]:
    """Facts and verdicts of one level; {"error": ...} if it does not compile or run."""
    try:
        (kernel,) = compiled(problem, level).kernels
        facts = static_facts(kernel, row) | simulated_facts(problem, level, row)
    except (LadderError, SimError) as error:
        return {"error": str(error).splitlines()[0]}
    return {"facts": facts, "verdicts": verdicts(facts, row, problem.layout)}


def print_table(found: dict[str, dict[str, Any]]) -> None:
    """Facts down, levels across: ours | published."""
    names = [name for name, result in found.items() if "facts" in result]
    for start in range(0, len(names), COLUMNS):
        part = names[start : start + COLUMNS]
        columns = [["ours | published", *(title for title, _ in TABLE)]]
        for name in part:
            row = published(name)
            assert row is not None
            columns.append([name, *(cell(found[name]["facts"], row) for _, cell in TABLE)])
        widths = [max(map(len, column)) for column in columns]
        for first, *cells in zip(*columns, strict=True):
            padded = (text.rjust(width) for text, width in zip(cells, widths[1:], strict=True))
            print("  ".join([first.ljust(widths[0]), *padded]))
        print()


def print_verdicts(found: dict[str, dict[str, Any]]) -> int:
    """A line for each requirement; returns how many are missed."""
    missed: dict[str, list[str]] = {}
    for name, result in found.items():
        for text, complaint in result.get("verdicts", {}).items():
            missed.setdefault(text, []).extend([f"{name}: {complaint}"] if complaint else [])
        if "error" in result:
            missed.setdefault("compiles and runs", []).append(f"{name}: {result['error']}")
    for text, complaints in missed.items():
        print(f"{'MISSED' if complaints else 'met':7} {text}")
        for complaint in complaints:
            print(f"        {complaint}")
    return sum(1 for complaints in missed.values() if complaints)


def print_peer(facts: dict[str, Any] | None) -> int:
    """IREE's kernel and both compile times; returns 1 if ours is too slow."""
    if facts is None:
        print("iree-compile (package iree-base-compiler) is not installed: no comparison")
        return 0
    loop = facts["k_loop"]
    print(
        f"iree-compile {facts['version']}: {facts['threads']} threads, {facts['vgprs']} VGPRs, "
        f"{facts['spills']} spills, {facts['lds_bytes']:,} B of LDS; an iteration has "
        f"{loop['matrix']} WMMAs, {loop['lds_loads'] / max(1, loop['matrix']):g} LDS loads per "
        f"WMMA, {loop['valu']} VALU, {loop['salu']} SALU, "
        f"{loop['drains'].get('dscnt', {}).get('full', 0)} full LDS drains, "
        f"{loop['sync']['workgroup']['wait']} barriers, copies {loop['copies']}"
    )
    slow = facts["ratio"] > MAX_RATIO
    seconds = facts["seconds"]
    print(
        f"{'MISSED' if slow else 'met':7} {facts['level']} compiles in {seconds['ladder']:.2f} s, "
        f"iree-compile in {seconds['iree-compile']:.2f} s: ratio {facts['ratio']:.2f}, "
        f"at most {MAX_RATIO:g}"
    )
    return int(slow)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=8192, help="M = N = K (default: 8192)")
    parser.add_argument("--layout", choices=("nn", "nt", "tn", "tt"), default="nt")
    parser.add_argument("--out", choices=("bf16", "f32"), default="bf16")
    parser.add_argument("--levels", help="comma-separated (default: all)")
    parser.add_argument("--no-peer", action="store_true", help="leave iree-compile out")
    parser.add_argument("--runs", type=int, default=3, help="of each compiler (default: 3)")
    parser.add_argument("--json", type=Path, help="write everything here")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    args = arguments(argv)
    problem = Problem(args.size, args.size, args.size, args.layout, args.out)
    wanted = args.levels.split(",") if args.levels else list(LADDERS["gfx1250"])
    have, found = levels("gfx1250"), dict[str, dict[str, Any]]()
    for name in wanted:
        row = published(name)
        if name not in have or row is None:
            print(f"{name}: not there yet, skipped", file=sys.stderr)
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        found[name] = examine(problem, name, row)
    if not found:
        raise SystemExit("error: no level left to examine")
    print_table(found)
    missed = print_verdicts(found)
    top = list(found)[-1] if "level12" not in found else "level12"
    other = None if args.no_peer else peer(problem.mlir(), top, args.runs)
    missed += 0 if args.no_peer else print_peer(other)
    if args.json:
        record = {"problem": vars(problem), "levels": found, "iree": other}
        args.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
