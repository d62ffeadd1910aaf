"""`ladder show`: annotated assembly, and the difference of two pipelines or around a pass."""

from __future__ import annotations

import re
import sys

import pytest
from cli_tools import MATMUL, ladder

from gemm_ladder.compiler.annotated import annotated
from gemm_ladder.compiler.difference import difference

Capture = pytest.CaptureFixture[str]


def test_every_instruction_of_the_assembly_says_where_it_comes_from(capfd: Capture) -> None:
    seen = ladder(capfd, "show", MATMUL, "--passes=level1", "--as", "asm")
    assert (seen.code, seen.err) == (0, "")
    instructions = [line for line in seen.out.splitlines() if re.match(r"    [a-z]", line)]
    assert len(instructions) > 100
    assert not [line for line in instructions if not re.search(r"; .*matmul\.mlir:\d+:\d+$", line)]
    products = [line for line in instructions if line.lstrip().startswith("v_wmma")]
    assert all("; tile.mma acc_next of tile-workgroup at matmul.mlir:" in line for line in products)
    assert products
    fills = [line for line in instructions if line.lstrip().startswith("global_load_b128")]
    assert all("; tile.copy of promote-to-lds at " in line for line in fills)
    assert not re.search(r"\.loc|\.file|\.Ltmp|gemm-ladder:", seen.out)


def test_ptx_says_so_too(capfd: Capture) -> None:
    arguments = ("--passes=level6", "--target=sm_90a", "--as", "asm")
    seen = ladder(capfd, "show", MATMUL, *arguments)
    assert (seen.code, seen.err) == (0, "")
    lines = [line.strip() for line in seen.out.splitlines()]
    fills = [line for line in lines if line.startswith("cp.async.c")]
    assert fills
    assert all("; tile.copy_async of async-copies at matmul.mlir:" in line for line in fills)
    products = [line for line in lines if line.startswith("mma.sync")]
    assert products
    assert all("; tile.mma " in line for line in products)
    assert not re.search(r"\.loc|\.file|tmp\d|gemm-ladder:", seen.out)


def test_labels_and_directives_carry_no_note() -> None:
    text = '\t.file 1 "d" "m.mlir"\n\t.loc 1 3 4\n.LBB0_1:\n\ts_nop 0\n\t.text\n\t; comment\n'
    lines = annotated(text).splitlines()
    assert lines[0] == ".LBB0_1:"
    assert lines[1].split() == ["s_nop", "0", ";", "m.mlir:3:4"]
    assert lines[2:] == ["    .text", "    ; comment"]


def test_difference_of_two_levels_as_pseudocode(capfd: Capture) -> None:
    seen = ladder(capfd, "show", MATMUL, "--diff", "level0", "level1", "--as", "pseudocode")
    assert (seen.code, seen.err) == (0, "")
    lines = seen.out.splitlines()
    assert lines[:2] == ["--- level0", "+++ level1"]
    added = [line[1:].strip() for line in lines[2:] if line.startswith("+")]
    assert "next = (current + 1) mod 2" in added
    assert "\x1b" not in seen.out


def test_difference_around_a_pass(capfd: Capture) -> None:
    arguments = ("--passes=level1", "--diff", "before/after", "matrix-core")
    seen = ladder(capfd, "show", MATMUL, *arguments)
    changed = [
        line for line in seen.out.splitlines() if line[:1] in "+-" and line[:3] not in "+++---"
    ]
    assert len(changed) == 2
    assert all("tile.mma" in line for line in changed)
    assert 'atom = "wmma_f32_16x16x32_bf16"' in changed[1]


def test_pseudocode_is_shown_whole(capfd: Capture) -> None:
    whole = ("--passes=level1", "--as", "pseudocode")
    kernel = ladder(capfd, "show", MATMUL, *whole, "--after", "matrix-core").out
    seen = ladder(capfd, "show", MATMUL, *whole, "--diff", "before/after", "matrix-core")
    shown = [line[1:] for line in seen.out.splitlines()[3:] if line[:1] in " +"]
    assert shown == kernel.splitlines()


def test_nothing_differs(capfd: Capture) -> None:
    seen = ladder(capfd, "show", MATMUL, "--diff", "level0", "level0", "--as", "asm")
    assert (seen.code, seen.out, seen.err) == (0, "", "level0 and level0 are the same as asm\n")


def test_colour_is_for_terminals(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    seen = ladder(capfd, "show", MATMUL, "--diff", "level0", "level1")
    assert "\x1b[32m+" in seen.out
    assert "\x1b[31m-" in seen.out


def test_colours_end_with_their_line() -> None:
    text = difference(("a\nb\n", "a\nc\n"), ("x", "y"), 1, colour=True)
    assert [line for line in text.splitlines() if line.count("\x1b") % 2] == []
    assert " a" in text.splitlines()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--diff", "level0", "level99"), "unknown pass or level 'level99'"),
        (("--diff", "before/after", "matrix-core"), "--diff before/after needs --passes"),
        (
            ("--passes=level1", "--diff", "before/after", "matrix-cor"),
            "no pass 'matrix-cor' in this pipeline; did you mean 'matrix-core'?",
        ),
        (("--passes=level1", "--diff", "level0", "level1"), "needs no --passes"),
        (("--after", "x", "--diff", "level0", "level1"), "leave out --after"),
    ],
)
def test_what_cannot_be_meant(capfd: Capture, arguments: tuple[str, ...], message: str) -> None:
    seen = ladder(capfd, "show", MATMUL, *arguments)
    assert seen.code == 2
    assert message in seen.err
    assert seen.out == ""
