"""The K loop is found among loops, and its instructions are counted by kind."""

from __future__ import annotations

from gemm_ladder.compiler.codegen.amd_asm import SYNTAX
from gemm_ladder.compiler.codegen.loops import k_loop
from gemm_ladder.compiler.codegen.nvptx import SYNTAX as PTX
from gemm_ladder.compiler.codegen.nvptx import body

ASM = """mm:
.LBB0_1: ; a copy loop without arithmetic
	global_load_b32 v1, v0, s[0:1]
	s_cbranch_scc1 .LBB0_1
.LBB0_2: ; the outer loop
	s_mov_b32 s0, 0
.LBB0_3:
	ds_load_b128 v[0:3], v4
	s_wait_dscnt 0x0
	v_wmma_f32_16x16x32_bf16 v[0:7], v[8:15], v[16:23], v[0:7]
	s_wait_loadcnt 0x1
	s_wait_dscnt 0x0
	s_barrier_signal -1
	s_barrier_wait -1
	s_cbranch_vccnz .LBB0_3
	v_wmma_f32_16x16x32_bf16 v[0:7], v[8:15], v[16:23], v[0:7]
	s_cbranch_scc0 .LBB0_2
.LBB0_4: ; a loop with arithmetic but no matrix instruction
	v_fma_f32 v0, v1, v2, v0
	v_fma_f32 v0, v1, v2, v0
	s_cbranch_scc0 .LBB0_4
	s_endpgm
"""


def test_the_innermost_loop_with_matrix_instructions() -> None:
    counts = k_loop(ASM, SYNTAX)
    assert counts["instructions"] == 8
    assert counts["matrix"] == 1
    assert counts["waits"] == {"s_wait_dscnt": 2, "s_wait_loadcnt": 1}
    assert counts["barriers"] == {"s_barrier_signal": 1, "s_barrier_wait": 1}
    assert counts["lds_loads"] == 1
    assert counts["global_loads"] == 0


def test_no_loop_is_no_counts() -> None:
    assert k_loop("mm:\n\ts_endpgm\n", SYNTAX) == {}


def test_ptx_with_predicated_instructions() -> None:
    text = """$L__BB0_1:
	@%p1 ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];
	bar.sync 	0;
	cp.async.wait_group 1;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1}, {%r1}, {%r2}, {%f2};
	@%p2 bra 	$L__BB0_1;
"""
    counts = k_loop(text, PTX)
    assert counts["matrix"] == 1
    assert counts["waits"] == {"cp.async.wait_group": 1}
    assert counts["barriers"] == {"bar.sync": 1}
    assert counts["lds_loads"] == 1
    assert counts["global_loads"] == 1


WGMMA = """.visible .entry other(
)
{
	ret;

}
.visible .entry mm(
)
{
	mov.b32 	%r1, 0;
$L__BB1_1:
	// begin inline asm
	{
	.reg .pred       P1;
	LAB_WAIT:
	mbarrier.try_wait.parity.shared.b64 P1, [%r51], %r52, 10000000;
	@P1 bra.uni DONE;
	bra.uni     LAB_WAIT;
	DONE:
	}
	// end inline asm
	// begin inline asm
	{
.reg .pred p;
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r1}, %rd43, %rd44, p, 1, 1, 0, 0;
}

	// end inline asm
	@%p1 bra 	$L__BB1_1;
	bra.uni 	$L__BB1_2;
$L__BB1_2:
	st.global.b32 	[%rd1], %r1;
	ret;

}
"""


def test_ptx_with_inline_assembly_in_the_loop() -> None:
    """Its braces end no function, its labels and branches no block, its lines may start at once."""
    counts = k_loop(body(WGMMA, "mm"), PTX)
    assert counts["matrix"] == 1
    assert counts["waits"] == {"mbarrier.try_wait.parity.shared.b64": 1}
    assert counts["global_stores"] == 0
    assert k_loop(body(WGMMA, "other"), PTX) == {}
