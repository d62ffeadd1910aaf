"""The LDS trace sees what a launch touches, and the bank model says what it costs."""

from __future__ import annotations

import numpy as np
import pytest

from gemm_ladder.runtime.sim import Options, SimDevice
from gemm_ladder.runtime.sim.lds_model import (
    bank_clocks,
    conflicts,
    free_clocks,
    partitions,
)
from gemm_ladder.runtime.sim.lds_trace import LdsTrace

from .gemm_run import subject

LANES = np.arange(32)


# Lanes 0 to 15 read 16 rows, lanes 16 to 31 the 16 bytes beside them.
@pytest.mark.parametrize(
    ("stride", "clocks"),
    [(64, 8), (128, 16), (256, 32), (512, 32), (272, 2), (288, 4), (144, 2), (80, 2)],
)
def test_clocks_of_a_fragment_read(stride: int, clocks: int) -> None:
    addresses = LANES % 16 * stride + LANES // 16 * 16
    assert bank_clocks(addresses[None, :], 16).tolist() == [clocks]


def test_lanes_that_read_the_same_dword_share_it() -> None:
    assert bank_clocks(np.zeros((1, 32), np.int64), 16).tolist() == [2]
    assert bank_clocks(np.full((3, 32), -1), 16).tolist() == [0, 0, 0]


def test_narrow_accesses() -> None:
    assert bank_clocks(LANES[None, :] * 4, 4).tolist() == [free_clocks(4)] == [1]
    assert bank_clocks(LANES[None, :] * 256, 4).tolist() == [32]
    assert bank_clocks(LANES[None, :] * 2, 2).tolist() == [1]


def _traced(name: str) -> LdsTrace:
    case = subject(name)
    device = SimDevice(Options("late", check=False))
    trace = device.watch = LdsTrace()
    handle = device.load_asm(case.text, "gemm", case.grid, (case.threads, 1, 1), case.lds)
    m, n, k = case.sizes
    device.launch(handle, [device.alloc(size) for size in (2 * m * k, 2 * n * k, 4 * m * n)])
    return trace


def test_a_loop_with_tdm_fills_from_two_waves() -> None:
    trace = _traced("tdm")
    assert {(f.engine, f.wave) for f in trace.fills} == {("tdm", 0), ("tdm", 1)}
    groups = {f.workgroup for f in trace.fills}
    # Four blocks of 64 in K; the last prefetch has count 0.
    assert len(trace.fills) == 2 * 4 * len(groups)
    assert len({f.source for f in trace.fills if f.wave == 0}) > 1
    assert {a.line.mnemonic for a in trace.accesses} == {"ds_load_b128"}
    assert conflicts(trace) == []
    assert partitions(trace.fills) == {0}


def test_asynchronous_fills_have_an_address_for_each_lane() -> None:
    trace = _traced("async")
    assert {f.engine for f in trace.fills} == {"async"}
    assert all(0 <= f.first < f.last <= 65536 for f in trace.fills)
    copies = [a for a in trace.accesses if a.kind == "copy"]
    assert copies and all(a.addresses.shape == (len(a.waves), 32) for a in copies)


def test_a_conflict_names_its_line() -> None:
    trace = _traced("tdm")
    (first, *_) = trace.accesses
    first.addresses[:] = LANES * 256
    (found,) = conflicts(trace)
    assert (found.clocks, found.free) == (32, 2)
    assert str(found).startswith(f"line {first.line.number}: `ds_load_b128")
