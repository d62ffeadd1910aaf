"""Split, cluster and named barriers: order, election, misuse, deadlock reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gemm_ladder.runtime.sim import Options, SimDevice, SimError
from gemm_ladder.runtime.sim.asm import parse_kernel
from gemm_ladder.runtime.sim.barriers import Phases
from gemm_ladder.runtime.sim.findings import Findings
from gemm_ladder.runtime.sim.launch import Shape, chunks, prepare
from gemm_ladder.runtime.sim.memory import GlobalMemory

from .compiling import assembly
from .snippet import HEADER, execute

LANE = np.arange(32)
WAVES = np.stack([LANE + 1000 * w for w in range(2)])
EXCHANGE = """ds_store_b32 v0, v1
{wait}
{signal}
v_mov_b32_e32 v9, 0
s_barrier_wait -1
ds_load_b32 v2, v3
s_wait_dscnt 0x0"""


def exchange(
    wait: str = "s_wait_dscnt 0x0", signal: str = "s_barrier_signal -1", **more: Any
) -> Any:
    """Two waves store a word a lane each and read the other's."""
    mine = np.stack([4 * LANE, 4 * LANE + 128])
    v = {0: mine, 1: WAVES, 3: mine[::-1]}
    return execute(EXCHANGE.format(wait=wait, signal=signal), v=v, waves=2, **more)


@pytest.mark.parametrize("mode", ["late", "early", "random,seed=3", "random,seed=4"])
def test_a_split_barrier_orders_what_is_before_the_signal(mode: str) -> None:
    machine = exchange(options=Options.parse(mode))
    np.testing.assert_array_equal(machine.v[2], WAVES[::-1])
    assert machine.findings.all() == []


def test_a_store_still_under_way_at_the_signal_is_a_race() -> None:
    found = exchange(wait="s_nop 0").findings.all()
    assert {(f.kind, f.text[:8], f.other_text[:8]) for f in found} == {
        ("race", "ds_load_", "ds_store")
    }


def test_work_between_signal_and_wait_is_ordered_with_nobody() -> None:
    text = """s_barrier_signal -1
ds_store_b32 v0, v1
s_wait_dscnt 0x0
s_barrier_wait -1
ds_load_b32 v2, v3
s_wait_dscnt 0x0"""
    mine = np.stack([4 * LANE, 4 * LANE + 128])
    machine = execute(text, v={0: mine, 1: WAVES, 3: mine[::-1]}, waves=2)
    assert [f.kind for f in machine.findings.all()] == ["race"]


def test_two_writers_in_one_instruction_are_a_race_and_two_readers_are_not() -> None:
    same = execute("ds_store_b32 v0, v1", v={0: 4 * LANE, 1: 5}, waves=2)
    assert [f.kind for f in same.findings.all()] == ["race"]
    text = "ds_store_b32 v0, v1\ns_wait_dscnt 0x0\ns_barrier_signal -1\ns_barrier_wait -1\n"
    apart = np.stack([4 * LANE, 4 * LANE + 128])
    both = execute(text + "ds_load_b32 v2, v4", v={0: apart, 1: 5, 4: 4 * LANE}, waves=2)
    assert both.findings.all() == []


def test_a_write_after_anothers_read_is_a_race_whoever_read_last() -> None:
    """Waves 0 and 1 read the word, wave 0 writes it: the reader it races with is wave 1."""
    text = """ds_load_b32 v2, v0
s_wait_dscnt 0x0
s_cmp_eq_u32 s20, 0
s_cbranch_scc0 .LBB0_1
ds_store_b32 v0, v1
s_wait_dscnt 0x0
.LBB0_1:"""
    for order in (np.array([0, 1]), np.array([1, 0])):
        machine = execute(text, v={0: 4 * LANE, 1: 1, 2: 0}, s={20: order}, waves=2)
        found = machine.findings.all()
        assert [(f.kind, f.text[:8], f.other_text[:7]) for f in found] == [
            ("race", "ds_store", "ds_load")
        ]


def test_a_reader_is_not_forgotten_for_the_writers_own_read() -> None:
    """Wave 1 reads, then wave 0 reads and writes in other instructions."""
    text = """s_cmp_eq_u32 s20, 0
s_cbranch_scc1 .LBB0_1
ds_load_b32 v2, v0
s_wait_dscnt 0x0
s_nop 1
.LBB0_1:
s_cbranch_scc0 .LBB0_2
ds_load_b32 v2, v0 offset:0
s_wait_dscnt 0x0
ds_store_b32 v0, v1
s_wait_dscnt 0x0
.LBB0_2:"""
    machine = execute(text, v={0: 4 * LANE, 1: 1, 2: 0}, s={20: np.array([0, 1])}, waves=2)
    found = machine.findings.all()
    assert [(f.kind, f.text[:8], f.other_text) for f in found] == [
        ("race", "ds_store", "ds_load_b32 v2, v0")
    ]


def test_neighbouring_halves_of_a_dword_do_not_race() -> None:
    where = np.stack([4 * LANE, 4 * LANE + 2])
    machine = execute("ds_store_b16 v0, v1", v={0: where, 1: 7}, waves=2)
    assert machine.findings.all() == []


def test_the_first_signal_of_a_phase_elects_one_wave() -> None:
    text = """s_barrier_signal_isfirst -1
s_cselect_b32 s8, 1, 0
s_barrier_wait -1"""
    machine = execute(text, waves=6, waves_per_group=3)
    assert machine.s[8].reshape(2, 3).sum(axis=1).tolist() == [1, 1]


NAMED = """s_cmp_lt_u32 s20, 2
s_mov_b32 m0, 0x30002
s_barrier_init m0
s_barrier_signal -1
s_barrier_wait -1
s_mov_b32 m0, 2
s_cbranch_scc0 .LBB0_2
s_barrier_join m0
s_barrier_signal m0
s_barrier_wait 1
s_mov_b32 s9, 7
s_branch .LBB0_3
.LBB0_2:
{signal}
.LBB0_3:"""


def test_a_named_barrier_waits_for_its_members() -> None:
    """Waves 0 and 1 join and wait; wave 2 only signals: three arrivals, as initialised."""
    order = np.arange(3)
    machine = execute(NAMED.format(signal="s_barrier_signal m0"), s={20: order, 9: 0}, waves=3)
    assert machine.s[9].tolist() == [7, 7, 0]
    says = r"deadlock: .*wave 0, 1 at line \d+ waits on the named \(2\) barrier, 2 of 3 signals"
    with pytest.raises(SimError, match=says):
        execute(NAMED.format(signal="s_nop 0"), s={20: order}, waves=3)
    with pytest.raises(SimError, match="never initialised"):
        execute("s_mov_b32 m0, 3\ns_barrier_join m0")
    state = NAMED.format(signal="s_get_barrier_state s10, m0\ns_barrier_signal m0")
    machine = execute(state, s={20: order, 9: 0}, waves=3)
    assert machine.s[10, 2] == (3 << 16) | (2 << 24)


IDS = """
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare i32 @llvm.amdgcn.cluster.id.x()
declare i32 @llvm.amdgcn.cluster.id.y()
declare i32 @llvm.amdgcn.cluster.workgroup.id.x()
declare i32 @llvm.amdgcn.cluster.workgroup.id.y()
declare i32 @llvm.amdgcn.cluster.workgroup.flat.id()
declare i32 @llvm.amdgcn.wave.id()
declare void @llvm.amdgcn.s.cluster.barrier()
define amdgpu_kernel void @ids(ptr addrspace(1) %out) #0 {
  %gx = call i32 @llvm.amdgcn.workgroup.id.x()
  %gy = call i32 @llvm.amdgcn.workgroup.id.y()
  %gz = call i32 @llvm.amdgcn.workgroup.id.z()
  %cx = call i32 @llvm.amdgcn.cluster.id.x()
  %cy = call i32 @llvm.amdgcn.cluster.id.y()
  %ix = call i32 @llvm.amdgcn.cluster.workgroup.id.x()
  %iy = call i32 @llvm.amdgcn.cluster.workgroup.id.y()
  %f = call i32 @llvm.amdgcn.cluster.workgroup.flat.id()
  call void @llvm.amdgcn.s.cluster.barrier()
  %v0 = insertelement <8 x i32> poison, i32 %gx, i32 0
  %v1 = insertelement <8 x i32> %v0, i32 %gy, i32 1
  %v2 = insertelement <8 x i32> %v1, i32 %gz, i32 2
  %v3 = insertelement <8 x i32> %v2, i32 %cx, i32 3
  %v4 = insertelement <8 x i32> %v3, i32 %cy, i32 4
  %v5 = insertelement <8 x i32> %v4, i32 %ix, i32 5
  %v6 = insertelement <8 x i32> %v5, i32 %iy, i32 6
  %v7 = insertelement <8 x i32> %v6, i32 %f, i32 7
  %r0 = mul i32 %gz, 4
  %r1 = add i32 %r0, %gy
  %r2 = mul i32 %r1, 6
  %r3 = add i32 %r2, %gx
  %p = getelementptr <8 x i32>, ptr addrspace(1) %out, i32 %r3
  store <8 x i32> %v7, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" DIMS }
"""


@pytest.mark.parametrize("dims", ['"amdgpu-cluster-dims"="3,2,1"', '"amdgpu-cluster-dims"="1,1,1"'])
@pytest.mark.parametrize("mode", ["late", "random,seed=2"])
def test_ids_within_clusters_and_llvms_cluster_barrier(dims: str, mode: str) -> None:
    width, height = (3, 2) if "3,2" in dims else (1, 1)
    device = SimDevice(Options.parse(mode))
    handle = device.load_asm(assembly(IDS.replace("DIMS", dims)), "ids", (6, 4, 2), (64, 1, 1))
    out = device.alloc(48 * 32)
    assert device.launch(handle, [out]).notes == ()
    got = np.frombuffer(device.read(out, 48 * 32), np.uint32).reshape(2, 4, 6, 8)
    gz, gy, gx = np.meshgrid(range(2), range(4), range(6), indexing="ij")
    ix, iy = gx % width, gy % height
    for position, want in enumerate(
        (gx, gy, gz, gx // width, gy // height, ix, iy, ix + width * iy)
    ):
        np.testing.assert_array_equal(got[..., position], want)


def test_clusters_do_not_wait_for_each_other() -> None:
    """Of four workgroups in clusters of two, the second cluster's never signal."""
    text = """s_cmp_lt_u32 s20, 2
s_cbranch_scc0 .LBB0_1
s_barrier_signal -3
s_barrier_wait -3
s_mov_b32 s9, 7
.LBB0_1:
s_barrier_signal -1
s_barrier_wait -1"""
    s = {20: np.arange(4), 9: 0}
    machine = execute(text, s=s, waves=4, waves_per_group=1, cluster=2)
    assert machine.s[9].tolist() == [7, 7, 0, 0]
    with pytest.raises(SimError, match="cluster barrier, 2 of 4 workgroups"):
        execute(text.replace("s_barrier_signal -1\n", ""), s=s, waves=4, waves_per_group=1,
                cluster=4)  # fmt: skip


def test_a_workgroup_that_ended_is_not_waited_for_and_one_that_only_waits_is() -> None:
    text = """s_cmp_eq_u32 s20, {odd}
s_cbranch_scc1 .LBB0_1
s_barrier_signal -3
{last}s_barrier_wait -3
s_mov_b32 s9, 7
{first}"""
    ended = text.format(odd=3, last="", first=".LBB0_1:")
    s = {20: np.arange(4), 9: 0}
    machine = execute(ended, s=s, waves=4, waves_per_group=1, cluster=2)
    assert machine.s[9].tolist() == [7, 7, 7, 0]
    waiting = text.format(odd=3, last=".LBB0_1:\n", first="")
    with pytest.raises(SimError, match="cluster barrier, 1 of 2 workgroups arrived; 2 waves"):
        execute(waiting, s=s, waves=4, waves_per_group=1, cluster=2)


def test_trap_temporaries_of_a_cluster() -> None:
    """TTMP6: id in the cluster, dims - 1, workgroups - 1; IB_STS2: flat id, cluster number."""
    kernel = parse_kernel(HEADER.format(lds=0) + "s_endpgm", "k")
    kernel.cluster = (3, 2, 2)
    grid, shape = (6, 4, 2), Shape((6, 4, 2), (32, 1, 1))
    ids = next(chunks(kernel, grid, (32, 1, 1), Options()))
    memory = GlobalMemory()
    machine = prepare(kernel, memory, memory.alloc(64), ids, shape, Options(), Findings())
    for wave, (x, y, z) in enumerate(ids.tolist()):
        inner = (x % 3, y % 2, z % 2)
        want = inner[0] | inner[1] << 4 | inner[2] << 8 | 2 << 12 | 1 << 16 | 1 << 20 | 11 << 24
        assert machine.s[114, wave] == want
        assert machine.s[117, wave] == x // 3
        assert machine.s[115, wave] == y // 2 | (z // 2) << 16
        status = int(machine.ib_sts2[wave])
        assert status >> 21 & 15 == inner[0] + 3 * (inner[1] + 2 * inner[2])
        assert status >> 6 & 15 != 0
    assert sorted(map(tuple, ids.tolist())) == sorted(np.ndindex(grid))


def test_a_grid_that_the_cluster_does_not_divide_is_refused() -> None:
    text = assembly(IDS.replace("DIMS", '"amdgpu-cluster-dims"="3,2,1"'))
    with pytest.raises(SimError, match="no multiple of the cluster"):
        SimDevice().load_asm(text, "ids", (6, 3, 1), (64, 1, 1))


def test_outside_a_cluster_its_barrier_does_nothing() -> None:
    machine = execute("s_barrier_wait -3\ns_barrier_signal -3\ns_mov_b32 s9, 4", waves=2)
    assert machine.s[9].tolist() == [4, 4]


@pytest.mark.parametrize("number", ["-2", "0", "17", "s4"])
def test_other_barriers_are_refused(number: str) -> None:
    with pytest.raises(SimError, match="only barriers"):
        execute(f"s_barrier_signal {number}")


def test_a_completion_that_nobody_has_waited_for_is_kept() -> None:
    """Of a cluster's barrier: wave 0 may signal again before the slowest wave has waited."""
    one = np.zeros(1, dtype=np.int64)
    phases = Phases(np.zeros(2, dtype=np.int64), one + 1, 1, 2)
    for _ in range(2):
        phases.arrive(one, one, np.zeros((1, 2), dtype=np.int64))
        assert phases.close(one).all()
    assert phases.complete.tolist() == [2, 2]
