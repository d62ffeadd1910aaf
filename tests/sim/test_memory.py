"""Memory instructions: addresses, widths, halves, faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gemm_ladder.runtime.sim import SimError
from gemm_ladder.runtime.sim.memory import GlobalMemory

from .snippet import execute, vgpr

LANE = np.arange(32)
DATA = np.random.default_rng(3).integers(0, 2**32, 256, dtype=np.uint32)


def filled() -> tuple[GlobalMemory, int]:
    memory = GlobalMemory()
    address = memory.alloc(1024)
    memory.bytes.raw[memory.span(address, 1024)] = DATA.view(np.uint8)
    return memory, address


def contents(memory: GlobalMemory, address: int) -> Any:
    return memory.bytes.raw[memory.span(address, 1024)].copy()


def base(address: int, offset: int = 0) -> dict[int, int]:
    return {4: (address + offset) & 0xFFFFFFFF, 5: address >> 32}


# (text, v0 by lane, byte address by lane, bytes read)
LOADS = [
    ("global_load_b32 v2, v0, s[4:5]", 4 * LANE, 4 * LANE, 4),
    ("global_load_b32 v2, v0, s[4:5] scale_offset", LANE, 4 * LANE, 4),
    ("global_load_b32 v2, v0, s[4:5] offset:16", 4 * LANE, 4 * LANE + 16, 4),
    ("global_load_b64 v[2:3], v0, s[4:5] scale_offset offset:8", LANE, 8 * LANE + 8, 8),
    ("global_load_b96 v[2:4], v0, s[4:5]", 12 * LANE, 12 * LANE, 12),
    ("global_load_b128 v[2:5], v0, s[4:5] th:TH_LOAD_NT", 16 * LANE, 16 * LANE, 16),
    ("global_load_b128 v[2:5], v0, s[4:5]", 2 * LANE, 2 * LANE, 16),
    ("global_load_u16 v2, v0, s[4:5]", 2 * LANE, 2 * LANE, 2),
    ("global_load_u8 v2, v0, s[4:5]", LANE, LANE, 1),
]


@pytest.mark.parametrize(("text", "lane_offset", "where", "size"), LOADS)
def test_global_load(text: str, lane_offset: Any, where: Any, size: int) -> None:
    memory, address = filled()
    machine = execute(text, v={0: lane_offset}, s=base(address), memory=memory)
    raw = DATA.tobytes()
    for lane in range(32):
        got = b"".join(int(vgpr(machine, 2 + i)[lane]).to_bytes(4, "little")
                       for i in range(-(-size // 4)))  # fmt: skip
        assert got == raw[where[lane] : where[lane] + size].ljust(len(got), b"\0")


def test_the_vgpr_offset_of_an_sgpr_base_is_signed() -> None:
    """LLVM folds a sign extended index into the saddr form on gfx1250 (hasSignedGVSOffset)."""
    memory, address = filled()
    machine = execute(
        "global_load_b32 v2, v0, s[4:5] scale_offset", v={0: -LANE}, s=base(address, 128),
        memory=memory,
    )  # fmt: skip
    np.testing.assert_array_equal(vgpr(machine, 2), DATA[32 - LANE])


def test_signed_and_half_register_loads() -> None:
    memory, address = filled()
    text = """global_load_i8 v2, v0, s[4:5]
    global_load_i16 v3, v1, s[4:5]
    global_load_d16_b16 v6, v1, s[4:5]
    global_load_d16_hi_b16 v7, v1, s[4:5]"""
    v = {0: LANE, 1: 2 * LANE, 6: 0xAAAABBBB, 7: 0xAAAABBBB}
    machine = execute(text, v=v, s=base(address), memory=memory)
    octets, halves = DATA.view(np.int8)[:32], DATA.view(np.uint16)[:32].astype(np.uint32)
    np.testing.assert_array_equal(vgpr(machine, 2, np.int32), octets)
    np.testing.assert_array_equal(vgpr(machine, 3, np.int32), DATA.view(np.int16)[:32])
    np.testing.assert_array_equal(vgpr(machine, 6), 0xAAAA0000 | halves)
    np.testing.assert_array_equal(vgpr(machine, 7), halves << 16 | 0xBBBB)


def test_vector_address_and_flat_load() -> None:
    memory, address = filled()
    where = address + 4 * LANE
    v = {0: where & 0xFFFFFFFF, 1: where >> 32}
    text = "global_load_b32 v2, v[0:1], off offset:4\nflat_load_b32 v3, v[0:1] offset:-4"
    machine = execute(text.replace("offset:-4", "offset:8"), v=v, memory=memory)
    np.testing.assert_array_equal(vgpr(machine, 2), DATA[1:33])
    np.testing.assert_array_equal(vgpr(machine, 3), DATA[2:34])


def test_global_stores_write_their_bytes_and_no_others() -> None:
    memory, address = filled()
    text = """global_store_b8 v0, v2, s[4:5]
    global_store_b16 v0, v2, s[4:5] offset:64
    global_store_d16_hi_b16 v0, v2, s[4:5] offset:128
    global_store_b128 v1, v[2:5], s[4:5] offset:256"""
    v = {0: 2 * LANE, 1: 16 * LANE, 2: 0x11223344 + LANE, 3: 3, 4: 4, 5: 5}
    execute(text, v=v, s=base(address), memory=memory, exec_mask=0xFFFFFFFE)
    want = DATA.view(np.uint8).copy()
    for lane in range(1, 32):
        word = int(0x11223344 + lane).to_bytes(4, "little")
        want[2 * lane] = word[0]
    for lane in range(1, 32):
        word = int(0x11223344 + lane).to_bytes(4, "little")
        want[64 + 2 * lane : 66 + 2 * lane] = np.frombuffer(word[:2], np.uint8)
    for lane in range(1, 32):
        word = int(0x11223344 + lane).to_bytes(4, "little")
        want[128 + 2 * lane : 130 + 2 * lane] = np.frombuffer(word[2:], np.uint8)
        row = np.array([0x11223344 + lane, 3, 4, 5], np.uint32)
        want[256 + 16 * lane : 272 + 16 * lane] = row.view(np.uint8)
    np.testing.assert_array_equal(contents(memory, address), want)


def test_scalar_loads() -> None:
    memory, address = filled()
    text = """s_load_b32 s8, s[4:5], 0x8
    s_load_b64 s[10:11], s[4:5], null
    s_load_b96 s[12:14], s[4:5], s20 offset:0x4
    s_load_b256 s[24:31], s[4:5], 0x20
    s_load_u16 s9, s[4:5], 0x2"""
    machine = execute(text, s={**base(address), 20: 12}, memory=memory)
    assert machine.s[8, 0] == DATA[2]
    assert machine.s[9, 0] == DATA[0] >> 16
    assert machine.s[10:12, 0].tolist() == DATA[:2].tolist()
    assert machine.s[12:15, 0].tolist() == DATA[4:7].tolist()
    assert machine.s[24:32, 0].tolist() == DATA[8:16].tolist()


def test_an_aligned_scalar_load_may_run_past_the_end() -> None:
    """LLVM widens uniform loads so; what lies past the end is NaN. Unaligned ones fault."""
    memory, address = filled()
    machine = execute("s_load_b128 s[8:11], s[4:5], 0x3f0", s=base(address), memory=memory)
    assert machine.s[8:12, 0].tolist() == DATA[252:].tolist()
    last = memory.alloc(12)
    machine = execute("s_load_b128 s[8:11], s[4:5], 0x0", s=base(last), memory=memory)
    assert machine.s[11, 0] == 0x7FFF7FFF
    with pytest.raises(SimError, match="outside every allocation"):
        execute("s_load_b128 s[8:11], s[4:5], 0x4", s=base(last), memory=memory)


def test_lds_stores_and_loads() -> None:
    text = """ds_store_b128 v0, v[4:7]
    ds_store_b16_d16_hi v1, v4 offset:512
    ds_load_b128 v[8:11], v0
    ds_load_b64 v[12:13], v0 offset:8
    ds_load_u16 v14, v1 offset:512
    ds_load_u16_d16_hi v15, v1 offset:512
    ds_load_u8 v16, v0 offset:1
    ds_load_2addr_b32 v[18:19], v0 offset0:1 offset1:3
    ds_load_2addr_b64 v[20:23], v0 offset0:1 offset1:0"""
    v: dict[int, Any] = {0: 16 * LANE, 1: 2 * LANE, 15: 0x1234}
    for i in range(4):
        v[4 + i] = DATA[32 * i : 32 * i + 32]
    machine = execute(text, v=v, lds=1024)
    for i in range(4):
        np.testing.assert_array_equal(vgpr(machine, 8 + i), v[4 + i])
    np.testing.assert_array_equal(vgpr(machine, 12), v[6])
    np.testing.assert_array_equal(vgpr(machine, 14), v[4] >> 16)
    np.testing.assert_array_equal(vgpr(machine, 15), (v[4] >> 16 << 16) | 0x1234)
    np.testing.assert_array_equal(vgpr(machine, 16), v[4] >> 8 & 0xFF)
    for reg, source in ((18, 5), (19, 7), (20, 6), (21, 7), (22, 4), (23, 5)):
        np.testing.assert_array_equal(vgpr(machine, reg), v[source])


def test_lds_stores_at_two_addresses() -> None:
    text = """ds_store_2addr_b32 v0, v4, v5 offset0:0 offset1:1
    ds_store_2addr_stride64_b32 v1, v4, v5 offset0:1 offset1:2
    ds_load_b64 v[8:9], v0
    ds_load_2addr_stride64_b32 v[10:11], v1 offset0:1 offset1:2"""
    v = {0: 8 * LANE, 1: 4 * LANE + 256, 4: DATA[:32], 5: DATA[32:64]}
    machine = execute(text, v=v, lds=1024)
    for reg, source in ((8, 4), (9, 5), (10, 4), (11, 5)):
        np.testing.assert_array_equal(vgpr(machine, reg), v[source])


def test_transposed_load_of_halves() -> None:
    """rocjitsu, ds_transpose.h: lane 8i+j gets half j of lanes 8i .. 8i+7, in that order."""
    v: dict[int, Any] = {0: 16 * LANE}
    for i in range(4):
        v[4 + i] = DATA[32 * i : 32 * i + 32]
    machine = execute("ds_store_b128 v0, v[4:7]\nds_load_tr16_b128 v[8:11], v0", v=v)
    rows = np.stack([v[4 + i] for i in range(4)], 1).copy().view(np.uint16)
    for lane in range(32):
        got = np.array([vgpr(machine, 8 + i)[lane] for i in range(4)]).view(np.uint16)
        first = lane - lane % 8
        assert got.tolist() == [rows[first + k, lane % 8] for k in range(8)]


def test_scratch_is_private_to_a_lane() -> None:
    text = "scratch_store_b32 off, v0, off offset:8\nscratch_load_b32 v1, off, off offset:8"
    machine = execute(text, v={0: LANE})
    np.testing.assert_array_equal(vgpr(machine, 1), LANE)


def test_lds_nobody_wrote_is_nan() -> None:
    machine = execute("ds_load_b32 v1, v0", v={0: 4 * LANE})
    assert np.isnan(vgpr(machine, 1, np.float32)).all()


FAULTS = [
    ("ds_load_b32 v1, v0 offset:1000", 4 * LANE, "outside the workgroup's 1024 bytes", "lane 6"),
    ("ds_load_b128 v[4:7], v0", 8 * LANE, "LDS access not 16-byte aligned", "lane 1"),
    ("ds_store_b16 v0, v1", LANE, "LDS access not 2-byte aligned", "lane 1"),
    ("global_load_b32 v1, v0, s[4:5] offset:1000", 4 * LANE, "outside every alloc", "lane 6"),
    ("global_store_b32 v0, v1, s[4:5]", -4 * LANE, "outside every allocation", "lane 1"),
    ("global_load_b32 v1, v0, s[4:5]", LANE, "misaligned global access", "lane 1"),
    ("s_load_b32 s8, s[4:5], 0x2", LANE, "misaligned scalar load", "wave 0"),
    ("s_load_b32 s8, s[4:5], 0x400", LANE, "outside every allocation", "wave 0"),
    ("scratch_load_b32 v1, off, off offset:64", LANE, "outside the lane's 64 bytes", "lane 0"),
]


@pytest.mark.parametrize(("text", "lanes", "says", "who"), FAULTS)
def test_a_fault_names_line_wave_and_address(text: str, lanes: Any, says: str, who: str) -> None:
    memory, address = filled()
    with pytest.raises(SimError, match=r"line 8: `.*address 0x") as caught:
        execute(text, v={0: lanes}, s=base(address), memory=memory)
    assert says in str(caught.value)
    assert "workgroup (0, 0, 0) wave 0" in str(caught.value)
    assert who in str(caught.value)


def test_masked_lanes_do_not_fault() -> None:
    memory, address = filled()
    text = "global_load_b32 v1, v0, s[4:5]\nds_load_b32 v2, v0"
    execute(text, v={0: 4096 * LANE}, s=base(address), memory=memory, exec_mask=1)


def test_freed_memory_faults_and_redzones_are_nan() -> None:
    memory, address = filled()
    other = memory.alloc(16)
    memory.free(address)
    with pytest.raises(SimError, match="outside every allocation"):
        execute("global_load_b32 v1, v0, s[4:5]", v={0: 4 * LANE}, s=base(address), memory=memory)
    zone = memory.bytes.raw[other - memory.base + 16 : other - memory.base + 1040]
    assert np.isnan(zone.view(np.float32)).all()
