"""The K loop's facts that the levels' specification names, on loops as LLVM lays them out."""

from __future__ import annotations

from typing import Any

from gemm_ladder.compiler.codegen.amd_asm import loop_facts

# LLVM turned the loop: it is entered at its second block, and the copies' branches lie outside.
ROTATED = """
	s_mov_b32 s4, 0
	s_branch .LBB0_4
.LBB0_3:
	s_wait_dscnt 0x2
	v_wmma_f32_16x16x32_bf16 v[0:7], v[16:23], v[24:31], v[0:7]
	ds_load_b128 v[32:35], v80
	ds_load_b128 v[36:39], v80 offset:32
	v_wmma_f32_16x16x32_bf16 v[8:15] /*v[264:271]*/, v[16:23], v[24:31], v[8:15] /*v[264:271]*/
	s_wait_loadcnt_dscnt 0x100
	s_wait_tensorcnt 0x0
	s_barrier_signal -1
	s_set_vgpr_msb 0x40
	v_nop
	v_wmma_f32_16x16x32_bf16 v[0:7], v[32:39], v[24:31], v[0:7]
	s_barrier_wait -1
	s_cbranch_vccz .LBB0_6
.LBB0_4:
	s_xor_b32 s10, s19, -1
	s_delay_alu instid0(VALU_DEP_1)
	v_dual_add_nc_u32 v80, s8, v39 :: v_dual_add_nc_u32 v60, s8, v38
	ds_load_b128 v[16:19], v60
	ds_load_b128 v[20:23], v60 offset:32
	ds_load_tr16_b128 v[24:27], v60 offset:64
	ds_load_tr16_b128 v[28:31], v60 offset:96
	s_cmp_eq_u32 s9, 0
	s_cbranch_scc1 .LBB0_7
	s_cmp_eq_u32 s9, 1
	s_cbranch_scc1 .LBB0_8
	s_branch .LBB0_3
.LBB0_7:
	s_mov_b32 s20, 1
	s_mov_b32 s21, 1
	tensor_load_to_lds s[20:23], s[4:11]
	s_branch .LBB0_3
.LBB0_8:
	s_mov_b32 s20, 1
	tensor_load_to_lds s[24:27], s[4:11]
	s_branch .LBB0_3
.LBB0_6:
	s_endpgm
"""


def facts(body: str) -> dict[str, Any]:
    return dict(loop_facts(body))


def test_a_turned_loop_with_issuing_waves() -> None:
    found = facts(ROTATED)
    assert found["matrix"] == 3
    assert found["lds_loads_by"] == {"ds_load_b128": 4, "ds_load_tr16_b128": 2}
    # Wave 1's: xor, two comparisons with branches, a move, a branch back, the exit branch.
    assert (found["valu"], found["salu"]) == (1, 8)
    assert found["copies"] == {"vector": 0, "async": 0, "tdm": 1}
    assert found["drains"] == {
        "dscnt": {"full": 1, "partial": 1},
        "loadcnt": {"full": 0, "partial": 1},
        "tensorcnt": {"full": 1, "partial": 0},
    }
    assert found["sync"]["workgroup"] == {"signal": 1, "wait": 1}
    assert found["window_matrix"] == {"workgroup": 1, "cluster": 0}
    assert found["accumulators"] == 16  # the second product's registers are in another bank
    assert found["interleave"] == [[4, 1], [2, 2]]


def test_copies_one_behind_the_other_are_of_different_waves() -> None:
    both = ROTATED.replace("	s_cbranch_scc1 .LBB0_8\n	s_branch .LBB0_3\n", "").replace(
        "	s_cbranch_scc1 .LBB0_7\n",
        "	s_cbranch_scc0 .LBB0_9\n	tensor_load_to_lds s[20:23], s[4:11]\n.LBB0_9:\n"
        "	s_cbranch_scc0 .LBB0_3\n",
    )
    assert facts(both)["copies"]["tdm"] == 1


def test_copies_without_a_branch_around_them_are_everyones() -> None:
    both = ROTATED.replace(
        "	s_xor_b32", "	tensor_load_to_lds s[0:3], s[4:11]\n	s_xor_b32", 1
    ).replace("	s_cbranch_scc1 .LBB0_7\n", "	tensor_load_to_lds s[0:3], s[4:11]\n")
    assert facts(both)["copies"]["tdm"] >= 2


def test_cluster_barrier_and_loads_behind_the_hand_off() -> None:
    text = ROTATED.replace(
        "	s_barrier_wait -1\n",
        "	s_barrier_wait -1\n	ds_load_b128 v[40:43], v80\n	ds_load_b128 v[44:47], v80\n"
        "	v_wmma_f32_16x16x32_bf16 v[0:7], v[32:39], v[24:31], v[0:7]\n	s_barrier_wait -3\n",
    ).replace("s_barrier_signal -1", "s_barrier_signal -1\n	s_barrier_signal -3")
    found = facts(text)
    assert found["sync"] == {
        "workgroup": {"signal": 1, "wait": 1},
        "cluster": {"signal": 1, "wait": 1},
    }
    assert found["window_matrix"] == {"workgroup": 1, "cluster": 2}
    assert found["behind_handoff"] == {"lds_loads": 2, "matrix": 1}
    assert found["interleave"][-1] == [2, 1]


def test_a_window_that_spans_the_end_of_the_loop() -> None:
    product = "	v_wmma_f32_16x16x32_bf16 v[0:7], v[32:39], v[24:31], v[0:7]\n"
    text = f""".LBB0_1:
{product}	s_barrier_wait -1
{product}{product}	s_barrier_signal -1
{product}{product}{product}	s_cbranch_scc1 .LBB0_1
"""
    assert facts(text)["window_matrix"]["workgroup"] == 4


def test_an_inner_loop_does_not_hide_the_k_loop() -> None:
    product = "	v_wmma_f32_16x16x32_bf16 v[0:7], v[32:39], v[24:31], v[0:7]\n"
    text = f""".LBB0_1:
{product}.LBB0_2:
	v_readfirstlane_b32 s0, v0
	s_cbranch_execnz .LBB0_2
{product}	s_cbranch_scc1 .LBB0_1
	s_endpgm
"""
    found = facts(text)
    assert found["matrix"] == 2
    assert found["valu"] == 1


def test_a_loop_of_thousands_of_blocks() -> None:
    product = "	v_wmma_f32_16x16x32_bf16 v[0:7], v[32:39], v[24:31], v[0:7]\n"
    skips = "".join(f"	s_cbranch_scc1 .LBB0_{i}\n{product}.LBB0_{i}:\n" for i in range(2, 3000))
    assert facts(f".LBB0_1:\n{skips}	s_cbranch_vccz .LBB0_1\n	s_endpgm\n")["matrix"] == 2998
