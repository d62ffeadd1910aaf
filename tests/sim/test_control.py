"""Branches, divergence, barriers, deadlock, hardware registers."""

from __future__ import annotations

import numpy as np
import pytest

from gemm_ladder.runtime.sim import SimError

from .snippet import execute, vgpr

LANE = np.arange(32)


def test_a_loop_runs_its_count() -> None:
    text = """s_mov_b32 s4, 0
s_mov_b32 s5, 0
.LBB0_1:
s_add_co_i32 s5, s5, s4
s_add_co_i32 s4, s4, 1
s_cmp_lt_u32 s4, 10
s_cbranch_scc1 .LBB0_1"""
    assert execute(text).s[5, 0] == 45


def test_waves_part_and_meet() -> None:
    """Waves with different trip counts; all run the tail once."""
    text = """s_mov_b32 s5, 0
.LBB0_1:
s_add_co_i32 s5, s5, 1
s_sub_co_i32 s4, s4, 1
s_cmp_lg_u32 s4, 0
s_cbranch_scc1 .LBB0_1
s_add_co_i32 s5, s5, 0x64"""
    trips = np.array([3, 1, 7, 3])
    machine = execute(text, s={4: trips}, waves=4)
    assert machine.s[5].tolist() == (trips + 100).tolist()


def test_branches_on_vcc_and_exec() -> None:
    text = """s_mov_b32 s4, 1
s_cbranch_vccz .LBB0_1
s_mov_b32 s4, 2
.LBB0_1:
s_and_saveexec_b32 s6, s5
s_cbranch_execz .LBB0_2
v_mov_b32_e32 v1, 9
.LBB0_2:
s_or_b32 exec_lo, exec_lo, s6"""
    s = {106: np.array([0, 1]), 5: np.array([0, 2])}
    machine = execute(text, v={1: 0}, s=s, waves=2)
    assert machine.s[4].tolist() == [1, 2]
    assert machine.v[1, 0].tolist() == [0] * 32
    assert machine.v[1, 1].tolist() == [0, 9] + [0] * 30
    assert machine.s[126].tolist() == [0xFFFFFFFF] * 2


BARRIER = """s_cmp_lg_u32 s4, 0
s_cbranch_scc1 .LBB0_1
ds_store_b32 v0, v1
.LBB0_1:
s_barrier_signal -1
s_barrier_wait -1
ds_load_b32 v2, v0"""


def test_a_barrier_orders_waves_that_parted() -> None:
    """Wave 0 of each workgroup writes LDS, both waves of each read it."""
    value = np.stack([LANE + 1000 * w for w in range(4)])
    s = {4: np.array([0, 1, 0, 1])}
    machine = execute(BARRIER, v={0: 4 * LANE, 1: value}, s=s, waves=4, waves_per_group=2)
    for wave, writer in ((0, 0), (1, 0), (2, 2), (3, 2)):
        np.testing.assert_array_equal(machine.v[2, wave], value[writer])


def test_a_wave_behind_a_backward_branch_is_waited_for() -> None:
    """Lowest PC first must not let the early wave through the wait."""
    text = """s_branch .LBB0_2
.LBB0_1:
ds_store_b32 v0, v1
s_barrier_signal -1
s_barrier_wait -1
s_endpgm
.LBB0_2:
s_cmp_eq_u32 s4, 0
s_cbranch_scc0 .LBB0_3
s_branch .LBB0_1
.LBB0_3:
s_barrier_signal -1
s_barrier_wait -1
ds_load_b32 v2, v0"""
    machine = execute(text, v={0: 4 * LANE, 1: LANE}, s={4: np.array([0, 1])}, waves=2)
    np.testing.assert_array_equal(machine.v[2, 1], LANE)


def test_a_wave_that_ended_is_not_waited_for() -> None:
    text = """s_cmp_eq_u32 s4, 0
s_cbranch_scc1 .LBB0_1
s_barrier_signal -1
s_barrier_wait -1
s_mov_b32 s5, 1
.LBB0_1:"""
    machine = execute(text, s={4: np.array([0, 1, 1])}, waves=3)
    assert machine.s[5].tolist()[1:] == [1, 1]


def test_deadlock_says_how_many_arrived() -> None:
    """Wave 0 waits a second time without a signal, the other two signal and wait."""
    text = """s_barrier_signal -1
s_barrier_wait -1
s_cmp_eq_u32 s4, 0
s_cbranch_scc1 .LBB0_1
s_barrier_signal -1
.LBB0_1:
s_barrier_wait -1"""
    with pytest.raises(
        SimError, match=r"line 14: .*deadlock: .* wave 0, 1, 2 .*2 of 3 waves arrived"
    ):
        execute(text, s={4: np.array([0, 1, 1])}, waves=3)


def test_signalling_twice_in_a_phase_is_refused() -> None:
    with pytest.raises(SimError, match="twice in a phase"):
        execute(
            "s_cmp_eq_u32 s4, 0\ns_cbranch_scc1 .LBB0_1\ns_barrier_signal -1\n"
            "s_barrier_signal -1\n.LBB0_1:",
            waves=2,
            s={4: np.array([0, 1])},
        )


def test_hardware_registers() -> None:
    text = """s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1
s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 2, 1), 1
s_getreg_b32 s4, hwreg(HW_REG_IB_STS2, 6, 4)"""
    assert execute(text, s={4: 5}).s[4, 0] == 0
    with pytest.raises(SimError, match="not modelled"):
        execute("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 4), 3")


def test_waits_and_hints_change_nothing() -> None:
    text = """s_wait_loadcnt 0x0
s_wait_storecnt_dscnt 0x3
s_wait_alu depctr_va_vdst(0)
s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
s_clause 0x3
s_nop 1
s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
s_setprio 3"""
    machine = execute(text, v={1: 5}, s={4: 6})
    assert vgpr(machine, 1)[0] == 5
    assert machine.s[4, 0] == 6
