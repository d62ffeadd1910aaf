"""Target files: all load, and a fact without a source, unknown or missing is refused by name."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from gemm_ladder.compiler.errors import UsageError
from gemm_ladder.compiler.targets import (
    FALLBACK,
    find_target,
    load_target,
    parse_target,
    read_facts,
    target_names,
    target_of_arch,
)
from gemm_ladder.dialect_defs.target import TargetError
from gemm_ladder.passes.registry import pass_names


@pytest.mark.parametrize("name", target_names())
def test_target_is_sound(name: str) -> None:
    target = load_target(name)
    assert target.name == name
    assert target.lowering in pass_names()
    for engine in target.engines:
        assert target.has({"async": "async_copy"}.get(engine.name, engine.name))
    assert (target.multicast_max > 0) == target.has("multicast")
    assert (target.cluster_max > 1) == target.has("cluster")
    assert all(target_of_arch(arch) == name for arch in target.device_archs)


def test_fallback_exists() -> None:
    assert FALLBACK in target_names()


def test_unknown_target_lists_the_known_ones() -> None:
    with pytest.raises(KeyError):
        load_target("gfx9999")
    with pytest.raises(UsageError, match="unknown target 'gfx125'; did you mean 'gfx1250'"):
        find_target("gfx125")
    assert target_of_arch("sm_10") is None


DAMAGE: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda d: d.pop("wave_size"), "no 'wave_size'"),
    (lambda d: d.update(wave_sise=d["wave_size"]), "unknown fact 'wave_sise'"),
    (lambda d: d.update(wave_size=32), "'wave_size' states no source"),
    (lambda d: d["wave_size"].pop("source"), "'wave_size' states no source"),
    (lambda d: d["wave_size"].pop("value"), "'wave_size' has no value"),
    (lambda d: d["capabilities"].update(tdm=""), "capability 'tdm' states no source"),
    (lambda d: d.update(capabilities=["tdm"]), "is not a table"),
    (lambda d: d["engines"][0].pop("source"), "'engines.tdm' states no source"),
    (lambda d: d["engines"][0].pop("align"), "engines.tdm: "),
    (lambda d: d["engines"][0].update(alignment=4), "engines.tdm: "),
    (lambda d: d["fma_map"].pop("source"), "'fma_map' states no source"),
    (lambda d: d["fma_map"].update(lanes=[1]), "'fma_map' is not"),
    (lambda d: d["atoms"][0].pop("source"), "states no source"),
    (lambda d: d["atoms"][0].pop("k"), "missing 1 required"),
    (lambda d: d["atoms"][0].pop("a_map"), "a_map' is not"),
    (lambda d: d["atoms"][0].update(n={"from": 8}), "n of atoms.wmma_f32_16x16x32_bf16 is not"),
    (lambda d: d["backend"].update(value="spirv"), "backend 'spirv'"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGE)
def test_damage_is_named(damage: Callable[[dict[str, Any]], Any], message: str) -> None:
    document = copy.deepcopy(read_facts(FALLBACK))
    parse_target(FALLBACK, document)
    damage(document)
    with pytest.raises(TargetError) as caught:
        parse_target(FALLBACK, document)
    assert message in str(caught.value)
