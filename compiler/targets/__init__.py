"""Targets: one ``<name>.toml`` of facts each, every fact beside its source.

The keys of a file are the fields of ``dialect_defs.target.Target`` (``name`` is the file's). A
fact is ``{ value = 32, source = "..." }``; a ``value`` alone is not accepted, so that no number
stands without its origin. ``[capabilities]`` is a table of sources by name. ``fma_map`` and every
entry of ``[[engines]]`` and ``[[atoms]]`` are tables that carry a ``source`` key; a lane map is
``{ lanes = [[row, col], ...], slots = [[row, col], ...] }``; an atom's operand that is never held
in registers has no map. An atom whose ``n`` is ``{ from = 8, to = 256 }`` is one for each multiple
of 8 up to 256: ``{n}`` in its name is that, and its ``acc_map``, of the first, repeats along n.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from gemm_ladder.compiler.errors import UsageError, closest
from gemm_ladder.compiler.stages import backends
from gemm_ladder.dialect_defs.target import Atom, Engine, LaneMap, Target, TargetError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# What a machine without a device compiles for.
FALLBACK = "gfx1250"


def target_names() -> list[str]:
    """The names of all targets, sorted."""
    names = (entry.name for entry in files(__name__).iterdir())
    return sorted(name[: -len(".toml")] for name in names if name.endswith(".toml"))


@functools.cache
def load_target(name: str) -> Target:
    """The facts of target ``name``; KeyError if there is none, TargetError if they are unsound."""
    if name not in target_names():
        raise KeyError(name)
    return parse_target(name, read_facts(name))


def find_target(name: str) -> Target:
    """load_target for a name that a user gave: UsageError with the known names."""
    try:
        return load_target(name)
    except KeyError:
        known = target_names()
        guess = closest(name, known)
        message = f"error: unknown target '{name}'{guess}\ntargets: {', '.join(known)}"
        raise UsageError(message) from None


def target_of_arch(arch: str) -> str | None:
    """The name of the target that device architecture ``arch`` runs; None if there is none."""
    for name in target_names():
        if arch in (name, *load_target(name).device_archs):
            return name
    return None


def read_facts(name: str) -> dict[str, Any]:
    """The TOML document of target ``name``, sources included."""
    text = files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    document: dict[str, Any] = tomllib.loads(text)
    return document


def parse_target(name: str, document: dict[str, Any]) -> Target:
    """A Target from its document; TargetError names a fact that is missing, unknown or unsound."""
    expected = [f.name for f in dataclasses.fields(Target) if f.name != "name"]
    for key in document:
        if key not in expected:
            raise TargetError(f"target {name}: unknown fact '{key}'")
    missing = [key for key in expected if key not in document and key not in ("engines", "atoms")]
    if missing:
        raise TargetError(f"target {name}: no '{missing[0]}'")
    values = {key: _READERS.get(key, _fact)(name, key, document.get(key, [])) for key in expected}
    if values["backend"] not in backends():
        raise TargetError(f"target {name}: backend '{values['backend']}' is not {backends()}")
    return Target(name=name, **values)


def _sourced(name: str, key: str, entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict) or not entry.get("source"):
        raise TargetError(f"target {name}: '{key}' states no source")
    return entry


def _fact(name: str, key: str, entry: Any) -> Any:
    fact = _sourced(name, key, entry)
    if "value" not in fact:
        raise TargetError(f"target {name}: '{key}' has no value")
    value = fact["value"]
    return tuple(value) if isinstance(value, list) else value


def _capabilities(name: str, key: str, entry: Any) -> frozenset[str]:
    if not isinstance(entry, dict):
        raise TargetError(f"target {name}: '{key}' is not a table of sources by name")
    bare = [c for c, source in entry.items() if not isinstance(source, str) or not source]
    if bare:
        raise TargetError(f"target {name}: capability '{bare[0]}' states no source")
    return frozenset(entry)


def _sourced_map(name: str, key: str, entry: Any) -> LaneMap:
    return _lane_map(name, key, _sourced(name, key, entry))


def _lane_map(name: str, key: str, entry: Any) -> LaneMap:
    try:
        lanes = tuple((int(r), int(c)) for r, c in entry["lanes"])
        slots = tuple((int(r), int(c)) for r, c in entry["slots"])
    except (KeyError, TypeError, ValueError):
        shape = "{ lanes = [[row, col], ...], slots = [[row, col], ...] }"
        raise TargetError(f"target {name}: '{key}' is not {shape}") from None
    return LaneMap(lanes, slots)


def _tables(build: Callable[..., Any], maps: tuple[str, ...]) -> Callable[[str, str, Any], Any]:
    """A reader of a list of tables, each a ``build`` with lane maps at the keys ``maps``."""

    def read(name: str, key: str, entries: Any) -> Any:
        found: list[Any] = []
        for entry in entries:
            made = one(name, f"{key}.{entry.get('name', '?')}", entry)
            found += _family(name, made) if isinstance(made, Atom) else [made]
        return tuple(found)

    def one(name: str, label: str, entry: Any) -> Any:
        facts = _sourced(name, label, entry)
        values = {key: value for key, value in facts.items() if key != "source"}
        for key in maps:
            absent = key not in values and values.get("waves", 1) > 1
            found = LaneMap((), ()) if absent else None
            values[key] = found or _lane_map(name, f"{label}.{key}", values.get(key))
        try:
            return build(**values)
        except TypeError as error:
            raise TargetError(f"target {name}: {label}: {error}") from None

    return read


def _family(target: str, atom: Atom) -> list[Atom]:
    """``atom`` alone, or one for each of the widths that its ``n`` gives the bounds of."""
    bounds: Any = atom.n
    if isinstance(bounds, int):
        return [atom]
    try:
        first, last = bounds["from"], bounds["to"]
    except (KeyError, TypeError):
        shape = "a number of columns or { from = .., to = .. }"
        raise TargetError(f"target {target}: n of atoms.{atom.name} is not {shape}") from None
    return [
        dataclasses.replace(
            atom,
            name=atom.name.format(n=n),
            n=n,
            acc_map=dataclasses.replace(atom.acc_map, copies=n // first, step=(0, first)),
        )
        for n in range(first, last + 1, first)
    ]


# Facts that are not { value, source }.
_READERS: dict[str, Callable[[str, str, Any], Any]] = {
    "capabilities": _capabilities,
    "fma_map": _sourced_map,
    "engines": _tables(Engine, ()),
    "atoms": _tables(Atom, ("a_map", "b_map", "acc_map")),
}
