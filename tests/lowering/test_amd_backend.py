"""What the AMD backend emits for targets with and without gfx1250's registers and reads."""

from __future__ import annotations

import dataclasses

import pytest
from mlir import ir

from gemm_ladder.compiler.targets import load_target
from gemm_ladder.dialect_defs import load_dialect
from gemm_ladder.dialect_defs.target import LaneMap
from gemm_ladder.passes.base import PassContext
from gemm_ladder.passes.lower_tile_to_amdgpu import LowerTileToAmdgpu
from gemm_ladder.passes.lowering.amd_transpose import plan

from .test_hand_written import SWAPPED, epilogue


def lowered(capabilities: set[str], aliased: str = "") -> str:
    target = load_target("gfx1250")
    target = dataclasses.replace(target, capabilities=frozenset(capabilities))
    context = ir.Context()
    load_dialect(context)
    with context, ir.Location.unknown():
        module = ir.Module.parse(epilogue(SWAPPED, aliased))
        LowerTileToAmdgpu().run(
            module, PassContext(lambda name: target, "gfx1250", lambda *_: None)
        )
        module.operation.verify()
        return str(module)


def test_the_wave_comes_from_the_first_lane_where_no_register_has_it() -> None:
    assert "llvm.amdgcn.wave.id" in lowered({"wave_id_register"})
    text = lowered(set())
    assert "llvm.amdgcn.wave.id" not in text
    assert "rocdl.readfirstlane" in text


def test_transposed_fragments_use_the_targets_reads() -> None:
    text = lowered({"lds_transpose_load_b16"})
    assert text.count("rocdl.ds.load.tr16.b128") == 2 + 2 * 2  # a: 1 atom, b: 2 atoms
    assert "rocdl.ds.load.tr16.b128" not in lowered(set())


def test_every_barrier_releases_signals_waits_and_acquires() -> None:
    words = ("fence", "barrier.signal", "barrier.wait")
    lines = [line for line in lowered(set()).splitlines() if any(word in line for word in words)]
    kinds = [next(w for w in ("release", "acquire", *words) if w in line) for line in lines]
    full = ["release", "barrier.signal", "barrier.wait", "acquire"]
    # Two of the three barriers have a wait before them, which releases as well.
    assert kinds == ["release", *full, *full, "release", *full]


def test_an_alias_costs_no_lds() -> None:
    # X 32 x 48 bf16 and Y 32 x 32 bf16 with 16 bytes after each 256; C 2 x 48 x 32 f32 with 32.
    x, y, c = 3072 + 12 * 16, 2048 + 8 * 16, 2 * (6144 + 24 * 32)
    assert f"!llvm.array<{x + y + c} x i8>" in lowered(set())
    assert f"!llvm.array<{c} x i8>" in lowered(set(), "%lx")


@pytest.mark.parametrize("name", ["a_map", "b_map"])
def test_sources_of_a_transposed_read(name: str) -> None:
    atom = load_target("gfx1250").atom("wmma_f32_16x16x32_bf16")
    assert atom is not None
    lane_map: LaneMap = getattr(atom, name)
    found = plan(lane_map, transposed=name == "a_map")
    assert found is not None
    assert plan(lane_map, transposed=name != "a_map") is None
    steps = len(found.steps)
    for step, lane, slot in ((s, i, j) for s in range(steps) for i in range(32) for j in range(8)):
        # Element lane % 8 of the lane that stands at this slot, in the same group of eight.
        row, col = found.source.lane_offset(lane // 8 * 8 + slot)
        along = (lane % 8, 0) if name == "a_map" else (0, lane % 8)
        base, extra = lane_map.lane_offset(lane), lane_map.slot_offset(slot + 8 * step)
        wanted = (base[0] + extra[0], base[1] + extra[1])
        read = (row + along[0] + found.steps[step][0], col + along[1] + found.steps[step][1])
        assert read == wanted
