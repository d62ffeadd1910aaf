"""`ladder passes`, `pipelines`, `targets` and `devices`: what exists."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gemm_ladder.compiler.errors import UsageError, closest


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands to the parser."""
    _add(commands, "passes", "the passes and their options", _passes, "multi-buffer")
    pipelines = _add(commands, "pipelines", "the levels and their passes", _pipelines, "level1")
    pipelines.add_argument(
        "--target", metavar="TARGET", help="of this target (default: all; with NAME, gfx1250)"
    )
    _add(
        commands,
        "targets",
        "the targets, or one's facts with their sources",
        _targets,
        "gfx1250",
    )
    _add(commands, "devices", "the devices that can be opened here", _devices, None)


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    about: str,
    command: Callable[[argparse.Namespace], int],
    sample: str | None,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=f"list {about}",
        description=f"List {about}.",
        epilog=f"example:\n  ladder {name}{' ' + sample if sample else ''}\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if sample:
        parser.add_argument("name", metavar="NAME", nargs="?", help="show this one in full")
    parser.set_defaults(command=command)
    return parser


def _passes(args: argparse.Namespace) -> int:
    from gemm_ladder.passes.options import option_infos
    from gemm_ladder.passes.registry import pass_class, pass_names

    names = _chosen(args.name, pass_names(), "pass")
    for name in names:
        cls: Any = pass_class(name)
        about = inspect.cleandoc(cls.__doc__ or "").split("\n")
        print(f"{name}: {about[0]}")
        if args.name:
            print("\n".join(about[1:]).strip("\n"))
        for info in option_infos(cls):
            print(f"  {info.name}={info.default}  {info.help} ({info.allowed})")
    return 0


def _pipelines(args: argparse.Namespace) -> int:
    from gemm_ladder.compiler.pipelines import LADDERS, expand, levels
    from gemm_ladder.compiler.targets import FALLBACK, find_target

    target = find_target(args.target).name if args.target else None
    if args.name:
        target = target or FALLBACK
        name = _chosen(args.name, levels(target), f"{target} level")[0]
        print(",\n".join(expand(name, target)))
        return 0
    for number, name in enumerate([target] if target else LADDERS):
        print(f"{chr(10) if number else ''}{name}:")
        rows = [("level", "technique", "passes")]
        rows += [(x, LADDERS[name][x].technique, LADDERS[name][x].text()) for x in levels(name)]
        _print_table(rows)
    print(
        "\nA pass that a row names again stands in its old place with the new options;"
        "\n'ladder pipelines NAME' prints a level as text that --passes takes."
    )
    return 0


def _targets(args: argparse.Namespace) -> int:
    from gemm_ladder.compiler.targets import load_target, read_facts, target_names

    if args.name:
        _print_facts(read_facts(_chosen(args.name, target_names(), "target")[0]))
        return 0
    rows = [("target", "wave", "LDS", "registers a lane", "matrix instructions")]
    for name in target_names():
        target = load_target(name)
        atoms = ", ".join(map(_atom_name, read_facts(name).get("atoms", ()))) or "none"
        lds = f"{target.lds_bytes:,} B"
        rows.append((name, str(target.wave_size), lds, str(target.registers_max), atoms))
    _print_table(rows)
    return 0


def _print_facts(document: dict[str, Any]) -> None:
    """Every fact of a target with the place it comes from."""
    rows = [("fact", "value", "source")]
    for key, entry in document.items():
        if key == "atoms":
            rows += [
                (f"atom {_atom_name(a)}", f"{a['m']}x{_columns(a)}x{a['k']}", a["source"])
                for a in entry
            ]
        elif key == "engines":
            rows += [(f"engine {e['name']}", f"{e['align']} B aligned", e["source"]) for e in entry]
        elif key == "capabilities":
            rows += [(f"capability {name}", "yes", source) for name, source in entry.items()]
        else:
            rows.append((key, str(entry.get("value", "a lane map")), entry["source"]))
    _print_table(rows)


def _atom_name(facts: dict[str, Any]) -> str:
    return str(facts["name"]).format(n=_columns(facts))


def _columns(facts: dict[str, Any]) -> str:
    """The columns of an atom; "8..256" of a family's narrowest and widest."""
    n = facts["n"]
    return f"{n['from']}..{n['to']}" if isinstance(n, dict) else str(n)


def _devices(_: argparse.Namespace) -> int:
    from gemm_ladder.compiler.devices import statuses

    rows = [("device", "here", "what")]
    rows += [(s.kind, "yes" if s.available else "no", s.reason) for s in statuses()]
    _print_table(rows)
    return 0


def _chosen(name: str | None, known: list[str], kind: str) -> list[str]:
    """The one asked for, or all; UsageError if there is none of that name."""
    if name is None:
        return known
    if name not in known:
        guess = closest(name, known)
        raise UsageError(f"error: unknown {kind} '{name}'{guess}\nknown: {', '.join(known)}")
    return [name]


def _print_table(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())
