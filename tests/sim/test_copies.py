"""Asynchronous copies between global memory and LDS, and when data lands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gemm_ladder.runtime.sim import Options, SimError

from .snippet import execute, vgpr
from .test_memory import DATA, base, contents, filled

LANE = np.arange(32)


@pytest.mark.parametrize("bits", [8, 32, 64, 128])
def test_a_copy_into_lds(bits: int) -> None:
    """v0: LDS byte of each lane, v1: global byte; lane 5 is masked and copies nothing."""
    memory, address = filled()
    size = bits // 8
    text = f"global_load_async_to_lds_b{bits} v0, v1, s[4:5]\ns_wait_asynccnt 0x0"
    v = {0: 16 * LANE, 1: size * (31 - LANE)}
    machine = execute(text, v=v, s=base(address), memory=memory, exec_mask=~(1 << 5) & 0xFFFFFFFF)
    raw, source = machine.lds.bytes.raw, DATA.view(np.uint8)
    for lane in range(32):
        got = raw[16 * lane : 16 * lane + size]
        start = size * (31 - lane)
        if lane == 5:
            assert machine.shadow.invalid[16 * lane // machine.shadow.fine]
        else:
            np.testing.assert_array_equal(got, source[start : start + size])


def test_the_offset_counts_on_both_sides_and_the_base_may_be_a_vgpr_pair() -> None:
    memory, address = filled()
    text = """global_load_async_to_lds_b32 v0, v[2:3], off offset:64
    global_load_async_to_lds_b32 v4, v1, s[4:5] scale_offset
    s_wait_asynccnt 0x0"""
    where = address + 4 * LANE
    v = {0: 4 * LANE, 1: LANE, 2: where & 0xFFFFFFFF, 3: where >> 32, 4: 4 * LANE + 512}
    machine = execute(text, v=v, s=base(address), memory=memory)
    words = machine.lds.bytes.raw.view(np.uint32)
    np.testing.assert_array_equal(words[16:48], DATA[16:48])
    np.testing.assert_array_equal(words[128:160], DATA[:32])


def test_a_copy_out_of_lds() -> None:
    memory, address = filled()
    text = """ds_store_b32 v0, v2
    s_wait_dscnt 0x0
    global_store_async_from_lds_b32 v1, v0, s[4:5] offset:128
    s_wait_asynccnt 0x0"""
    v = {0: 4 * LANE + 128, 1: 4 * LANE, 2: 7 + LANE}
    lines = text.replace("v0, v2", "v0, v2 offset:128")
    machine = execute(lines, v=v, s=base(address), memory=memory)
    got = contents(memory, address).view(np.uint32)
    np.testing.assert_array_equal(got[32:64], 7 + LANE)
    assert machine.findings.all() == []


def test_a_copy_out_of_what_nobody_wrote_is_found() -> None:
    memory, address = filled()
    text = "global_store_async_from_lds_b32 v0, v0, s[4:5]\ns_wait_asynccnt 0x0"
    machine = execute(text, v={0: 4 * LANE}, s=base(address), memory=memory)
    assert [f.kind for f in machine.findings.all()] == ["uninitialised"]


@pytest.mark.parametrize(("mode", "landed"), [("late", False), ("early", True)])
def test_when_a_copy_lands(mode: str, landed: bool) -> None:
    """Read before the wait: the old bytes in mode late, the new ones in early; found in both."""
    memory, address = filled()
    text = """ds_store_b32 v0, v2
    s_wait_dscnt 0x0
    global_load_async_to_lds_b32 v0, v0, s[4:5]
    ds_load_b32 v3, v0
    s_wait_dscnt 0x0
    s_wait_asynccnt 0x0"""
    machine = execute(text, v={0: 4 * LANE, 2: LANE}, s=base(address), memory=memory,
                      options=Options.parse(mode))  # fmt: skip
    np.testing.assert_array_equal(vgpr(machine, 3), DATA[:32] if landed else LANE)
    found = machine.findings.all()
    assert [(f.kind, f.text.split()[0], f.other_text.split()[0]) for f in found] == [
        ("missing-wait", "ds_load_b32", "global_load_async_to_lds_b32")
    ]


def test_random_mode_repeats_with_its_seed_and_varies_without() -> None:
    memory, address = filled()
    lines = ["global_load_async_to_lds_b32 v0, v0, s[4:5]", "ds_load_b32 v3, v0"]
    lines.append("s_wait_dscnt 0x0\ns_wait_asynccnt 0x0")

    def outcome(seed: int) -> tuple[int, ...]:
        machine = execute("\n".join(lines), v={0: 4 * LANE, 3: 0}, s=base(address),
                          memory=memory, options=Options("random", seed))  # fmt: skip
        return tuple(vgpr(machine, 3).tolist())

    assert outcome(1) == outcome(1)
    assert len({outcome(seed) for seed in range(12)}) > 1


def test_an_ended_wave_leaves_nothing_under_way() -> None:
    memory, address = filled()
    machine = execute("global_load_async_to_lds_b32 v0, v0, s[4:5]", v={0: 4 * LANE},
                      s=base(address), memory=memory)  # fmt: skip
    np.testing.assert_array_equal(machine.lds.bytes.raw.view(np.uint32)[:32], DATA[:32])
    assert not any(machine.pending.queues.values())


FAULTS: list[tuple[str, Any, str]] = [
    ("global_load_async_to_lds_b128 v0, v1, s[4:5]", {0: 8 * LANE, 1: LANE * 16}, "16-byte"),
    ("global_load_async_to_lds_b32 v0, v1, s[4:5]", {0: 64 * LANE, 1: LANE * 4}, "1024 bytes"),
    ("global_load_async_to_lds_b32 v0, v1, s[4:5]", {0: 4 * LANE, 1: LANE * 64}, "outside every"),
    ("cluster_load_async_to_lds_b32 v0, v1, s[4:5] offset:0 lds", {0: LANE, 1: LANE}, "operand"),
]


@pytest.mark.parametrize(("text", "v", "says"), FAULTS)
def test_faults(text: str, v: Any, says: str) -> None:
    memory, address = filled()
    with pytest.raises(SimError, match=says):
        execute(text, v=v, s={**base(address), 125: 0}, memory=memory)


@pytest.mark.parametrize(("mask", "found"), [(0, []), (1, ["multicast"])])
def test_a_cluster_load_is_a_load_and_its_mask_is_checked(mask: int, found: list[str]) -> None:
    """Outside a cluster only mask 0 is legal; the data does not depend on it."""
    memory, address = filled()
    text = "cluster_load_async_to_lds_b32 v0, v0, s[4:5]\ns_wait_asynccnt 0x0"
    machine = execute(text, v={0: 4 * LANE}, s={**base(address), 125: mask}, memory=memory)
    np.testing.assert_array_equal(machine.lds.bytes.raw.view(np.uint32)[:32], DATA[:32])
    assert [f.kind for f in machine.findings.all()] == found
