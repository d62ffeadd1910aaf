"""The order in which waves that parted run again."""

from __future__ import annotations

from gemm_ladder.runtime.sim.asm import parse_kernel
from gemm_ladder.runtime.sim.flow import ranks

from .snippet import HEADER


def order(text: str) -> list[str]:
    """Mnemonics of the code by rank."""
    kernel = parse_kernel(HEADER.format(lds=0) + text, "k")
    rank = ranks(kernel)
    lines = sorted(kernel.code, key=lambda line: rank[line.pc])
    assert sorted(rank) == list(range(len(kernel.code) + 1))
    return [line.operands[0] if line.mnemonic == "s_nop" else line.mnemonic for line in lines]


def test_a_block_out_of_line_comes_before_the_join() -> None:
    text = """s_cbranch_scc1 .LBB0_2
.LBB0_1:
s_nop 1
s_endpgm
.LBB0_2:
s_nop 2
s_branch .LBB0_1"""
    assert order(text) == ["s_cbranch_scc1", "2", "s_branch", "1", "s_endpgm"]


def test_a_loop_comes_before_what_follows_it() -> None:
    text = """.LBB0_1:
s_nop 1
s_cbranch_scc1 .LBB0_3
s_nop 2
s_branch .LBB0_1
.LBB0_3:
s_nop 3
s_endpgm
s_nop 4"""
    assert order(text) == ["1", "s_cbranch_scc1", "2", "s_branch", "3", "s_endpgm", "4"]
