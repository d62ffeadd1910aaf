"""TDM transfers from descriptor bits: geometry, bounds, padding, null forms, faults.

Expected bytes are written out element by element from the CDNA5 ISA's section on the TDM, as
facts and rocm-systems' tensor_dma.h have it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gemm_ladder.runtime.sim import SimError
from gemm_ladder.runtime.sim.memory import GlobalMemory

from .snippet import execute

LDS = 4096
HOLE = 0x7FFF


class Bits:
    """Four groups of a descriptor, each one big number."""

    def __init__(self) -> None:
        self.groups = [0, 0, 0, 0]

    def put(self, group: int, start: int, width: int, value: int) -> None:
        assert 0 <= value < 1 << width
        self.groups[group] |= value << start

    def words(self) -> list[int]:
        sizes = (4, 8, 4, 4)
        return [self.groups[g] >> 32 * i & 0xFFFFFFFF for g in range(4) for i in range(sizes[g])]


# (group, first bit) of each dimension's field
TENSOR = ((1, 48), (1, 80), (2, 0), (2, 32), (3, 48))
TILE = ((1, 112), (1, 128), (1, 144), (2, 112), (3, 80))
STRIDE = ((1, 160), (1, 208), (2, 64), (3, 0))


def descriptor(
    address: int, tile: tuple[int, ...], tensor: tuple[int, ...], strides: tuple[int, ...],
    element: int = 2, lds: int = 0, count: int = 1, pad: tuple[int, int] | None = None,
    mask: int = 0, word0: int = 0,
) -> list[int]:  # fmt: skip
    """The 20 dwords of groups 0 to 3; pad is (interval, amount) in dwords."""
    bits = Bits()
    bits.put(0, 0, 2, count)
    bits.put(0, 2, 30, word0)
    bits.put(0, 32, 32, lds)
    bits.put(0, 64, 57, address)
    bits.put(0, 126, 2, 2)
    bits.put(1, 0, 16, mask)
    bits.put(1, 16, 2, element.bit_length() - 1)
    if pad:
        bits.put(1, 20, 1, 1)
        bits.put(1, 22, 3, pad[0].bit_length() - 2)
        bits.put(1, 25, 7, pad[1] - 1)
    for places, width, values in ((TENSOR, 32, tensor), (TILE, 16, tile), (STRIDE, 48, strides)):
        for (group, start), value in zip(places, values, strict=False):
            bits.put(group, start, width, value)
    return bits.words()


def run(words: list[int], text: str = "tensor_load_to_lds s[40:43], s[44:51], s[52:55], s[56:59]",
        memory: GlobalMemory | None = None, before: str = "", **more: Any) -> Any:  # fmt: skip
    scalars = {40 + i: word for i, word in enumerate(words)}
    lines = f"{before}\n{text}\ns_wait_tensorcnt 0x0"
    return execute(lines, s=scalars, memory=memory, lds=LDS, **more)


def tensor(elements: int, dtype: Any = np.uint16) -> tuple[GlobalMemory, int, Any]:
    """A buffer of random elements: memory, address, values."""
    memory = GlobalMemory()
    limit = int(np.iinfo(dtype).max) // 2
    data = np.random.default_rng(elements).integers(1, limit, elements).astype(dtype)
    address = memory.alloc(data.nbytes)
    memory.bytes.raw[memory.span(address, data.nbytes)] = data.view(np.uint8)
    return memory, address, data


def lds(machine: Any, dtype: Any = np.uint16) -> Any:
    return machine.lds.bytes.raw.view(dtype)


def test_rows_of_a_tensor() -> None:
    memory, address, data = tensor(64 * 20)
    machine = run(descriptor(address + 2 * (3 * 64 + 4), (8, 5), (60, 17), (64,), lds=64),
                  memory=memory)  # fmt: skip
    want = data.reshape(20, 64)[3:8, 4:12].reshape(-1)
    got = lds(machine)
    np.testing.assert_array_equal(got[32 : 32 + 40], want)
    assert (got[:32] == HOLE).all()
    assert (got[72:] == HOLE).all()


def test_bounds_are_measured_from_the_tiles_start_and_filled_with_zero() -> None:
    memory, address, data = tensor(64 * 20)
    machine = run(descriptor(address, (8, 5), (6, 3), (64,)), memory=memory)
    want = np.zeros((5, 8), np.uint16)
    want[:3, :6] = data.reshape(20, 64)[:3, :6]
    np.testing.assert_array_equal(lds(machine)[:40], want.reshape(-1))


@pytest.mark.parametrize("extent", [(0, 5), (8, 0), (0, 0)])
def test_an_empty_tensor_reads_nothing_and_fills_zero(extent: tuple[int, int]) -> None:
    machine = run(descriptor(0x1234000, (8, 5), extent, (64,)))
    assert (lds(machine)[:40] == 0).all()
    assert (lds(machine)[40:] == HOLE).all()


@pytest.mark.parametrize("words", [
    descriptor(0x1234000, (8, 5), (8, 5), (64,), count=0),
    descriptor(0x1234000, (0, 0), (8, 5), (64,)),
])  # fmt: skip
def test_null_requests_copy_nothing(words: list[int]) -> None:
    assert (lds(run(words)) == HOLE).all()


def test_padding_leaves_holes() -> None:
    """Every 4 dwords (8 elements) of the packed stream are followed by a hole of 2 dwords."""
    memory, address, data = tensor(16 * 4)
    machine = run(descriptor(address, (16, 4), (16, 4), (16,), pad=(4, 2)), memory=memory)
    got = lds(machine)
    for i in range(64):
        assert got[i + i // 8 * 4] == data[i]
    assert (got[8:12] == HOLE).all()
    bad = machine.shadow.invalid
    assert not bad[:4].any() and bad[4:6].all() and not bad[6:10].any()


@pytest.mark.parametrize(("element", "dtype"), [(1, np.uint8), (2, np.uint16), (4, np.uint32),
                                                (8, np.uint64)])  # fmt: skip
def test_element_sizes(element: int, dtype: Any) -> None:
    memory, address, data = tensor(16 * 8, dtype)
    words = descriptor(address + 3 * element, (8, 4), (7, 4), (16,), element=element)
    machine = run(words, memory=memory)
    want = np.zeros((4, 8), dtype)
    want[:, :7] = data.reshape(8, 16)[:4, 3:10]
    np.testing.assert_array_equal(lds(machine, dtype)[:32], want.reshape(-1))


def test_five_dimensions() -> None:
    memory, address, data = tensor(4096)
    tile, extent, strides = (4, 2, 3, 2, 2), (3, 2, 2, 2, 5), (5, 17, 100, 700)
    machine = run(descriptor(address, tile, extent, strides), memory=memory)
    for at, (x4, x3, x2, x1, x0) in enumerate(np.ndindex(*tile[::-1])):
        inside = all(x < n for x, n in zip((x0, x1, x2, x3, x4), extent, strict=True))
        want = data[x0 + 5 * x1 + 17 * x2 + 100 * x3 + 700 * x4] if inside else 0
        assert lds(machine)[at] == want


def test_two_groups_and_null_groups_read_as_zero() -> None:
    memory, address, data = tensor(64)
    words = descriptor(address, (8, 2), (8, 2), (16,))
    for text in ("tensor_load_to_lds s[40:43], s[44:51]",
                 "tensor_load_to_lds s[40:43], s[44:51], null, null"):  # fmt: skip
        machine = run(words, text, memory)
        np.testing.assert_array_equal(lds(machine)[:16], data.reshape(4, 16)[:2, :8].reshape(-1))


def test_exec_is_ignored() -> None:
    memory, address, data = tensor(64)
    machine = run(descriptor(address, (16,), (16,), ()), memory=memory, exec_mask=0)
    np.testing.assert_array_equal(lds(machine)[:16], data[:16])


STORE = "tensor_store_from_lds s[40:43], s[44:51], s[52:55], s[56:59]"
FILL = "ds_store_b128 v0, v[4:7]\ns_wait_dscnt 0x0"


def test_a_store_writes_what_is_inside_and_ignores_padding() -> None:
    memory, address, data = tensor(64 * 8)
    words = descriptor(address + 8, (8, 4), (5, 3), (64,), lds=16, pad=(4, 2))
    v: dict[int, Any] = {0: 16 * np.arange(32)}
    for i in range(4):
        v[4 + i] = np.arange(32) * 4 + i + 0x10000 * (np.arange(32) * 4 + i + 500)
    machine = run(words, STORE, memory, FILL, v=v)
    source = lds(machine)[8:40].reshape(4, 8)
    want = data.reshape(8, 64).copy()
    want[:3, 4:9] = source[:3, :5]
    got = memory.bytes.raw[memory.span(address, data.nbytes)].view(np.uint16)
    np.testing.assert_array_equal(got.reshape(8, 64), want)
    assert machine.findings.all() == []


def test_a_store_of_what_nobody_wrote_is_found() -> None:
    memory, address, _ = tensor(64)
    machine = run(descriptor(address, (8, 2), (8, 2), (16,)), STORE, memory)
    kinds = [f.kind for f in machine.findings.all()]
    assert kinds == ["uninitialised"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"lds": 4080}, "outside the workgroup's 4096 bytes of LDS"),
        ({"lds": 2}, "not aligned to dwords"),
        ({"tile": (7, 5)}, "not aligned to dwords"),
        ({"address": 1}, "not aligned to its element"),
        ({"address": 4096}, "outside every allocation"),
        ({"tensor": (8, 5), "strides": (1 << 30,)}, "outside every allocation"),
        ({"count": 2}, "count 2"),
        ({"word0": 1 << 29}, "gather mode"),
        ({"word0": 1}, "a restore field"),
    ],
)
def test_a_fault_names_the_instruction(change: dict[str, Any], says: str) -> None:
    memory, address, _ = tensor(8 * 5)
    given: dict[str, Any] = {"tile": (8, 5), "tensor": (8, 5), "strides": (8,), **change}
    given["address"] = address + change.get("address", 0)
    with pytest.raises(SimError, match=r"`tensor_load_to_lds .*" + says):
        run(descriptor(**given), memory=memory)


def test_a_descriptor_of_another_type_is_refused() -> None:
    words = descriptor(0, (8,), (8,), ())
    words[3] = 0
    with pytest.raises(SimError, match="type 0"):
        run(words)
