"""Faults planted into correct assembly: each is found in the default mode, at the right place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from .gemm_run import LOOPS, Outcome, run, subject

Edit = Callable[[list[str]], list[str]]


def matches(lines: list[str], pattern: str) -> list[int]:
    """Indices of the kernel's lines that have `pattern`."""
    start = next(i for i, line in enumerate(lines) if line.startswith("gemm:"))
    stop = next(i for i, line in enumerate(lines) if "s_endpgm" in line)
    return [i for i in range(start, stop) if re.search(pattern, lines[i])]


def drop(pattern: str, nth: int = -1) -> Edit:
    """Remove the nth line with the pattern."""

    def edit(lines: list[str]) -> list[str]:
        at = matches(lines, pattern)[nth]
        return lines[:at] + lines[at + 1 :]

    return edit


def drop_all(pattern: str) -> Edit:
    """Remove every line with the pattern."""

    def edit(lines: list[str]) -> list[str]:
        gone = set(matches(lines, pattern))
        assert gone
        return [line for i, line in enumerate(lines) if i not in gone]

    return edit


def change(pattern: str, by: str, nth: int = -1) -> Edit:
    """Substitute in the nth line with the pattern."""

    def edit(lines: list[str]) -> list[str]:
        at = matches(lines, pattern)[nth]
        return [*lines[:at], re.sub(pattern, by, lines[at]), *lines[at + 1 :]]

    return edit


def add(pattern: str, text: str, nth: int = -1, after: bool = False) -> Edit:
    """Insert a line before (or after) the nth line with the pattern."""

    def edit(lines: list[str]) -> list[str]:
        at = matches(lines, pattern)[nth] + after
        return [*lines[:at], text, *lines[at:]]

    return edit


def move_up(pattern: str, above: str, nth: int = -1) -> Edit:
    """Move the nth line with the pattern to before the last line above it with `above`."""

    def edit(lines: list[str]) -> list[str]:
        at = matches(lines, pattern)[nth]
        line = lines[at]
        rest = lines[:at] + lines[at + 1 :]
        to = [i for i in matches(rest, above) if i < at][-1]
        return [*rest[:to], line, *rest[to:]]

    return edit


def unguard(pattern: str) -> Edit:
    """Remove the conditional branch above the first line with the pattern."""

    def edit(lines: list[str]) -> list[str]:
        at = matches(lines, pattern)[0]
        branch = [i for i in matches(lines, "s_cbranch") if i < at][-1]
        return lines[:branch] + lines[branch + 1 :]

    return edit


@dataclass(frozen=True)
class Plant:
    """A fault: what is done to which kernel, and the finding it must give.

    `kind` is the finding's, "" if the wrong result is all there is to see; `at` and `other` are
    patterns of the two instructions' texts.
    """

    name: str
    kernel: str
    edit: Edit
    kind: str = ""
    at: str = ""
    other: str = ""


PLANTS = [
    # waits of registers
    Plant("no wait for the arguments", "level1", drop("s_wait_kmcnt", 0), "missing-wait",
          "global_load_b128", "s_load_b128"),
    Plant("no wait for global loads", "level1", drop("s_wait_loadcnt 0x3"), "missing-wait",
          "ds_store_b128", "global_load_b128"),
    Plant("a load too few waited for", "level1", change("s_wait_loadcnt 0x0", "s_wait_loadcnt 0x1"),
          "missing-wait", "ds_store_b128", "global_load_b128"),
    Plant("no wait for fragments", "level0", drop_all(r"s_wait_dscnt"), "missing-wait",
          "v_wmma", "ds_load_b128"),
    Plant("a fragment too few waited for", "level1", change("s_wait_dscnt 0x2", "s_wait_dscnt 0x3"),
          "missing-wait", "v_wmma", "ds_load_b128"),
    Plant("a fragment too few waited for, two slots", "tdm",
          change("s_wait_dscnt 0x2", "s_wait_dscnt 0x3"), "missing-wait", "v_wmma", "ds_load"),
    Plant("a fragment too few waited for, three slots", "three-slots",
          change("s_wait_dscnt 0x(1[0-9a-f])", "s_wait_dscnt 0x2f", 0), "missing-wait", "v_wmma",
          "ds_load"),
    # barriers and what they cover
    Plant("LDS stores not drained before the barrier", "level1", drop("s_wait_dscnt 0x0"), "race",
          "ds_(load|store)", "ds_(load|store)"),
    Plant("no barrier in the loop", "level1",
          lambda x: drop("s_barrier_signal")(drop("s_barrier_wait")(x)), "race",
          "ds_(load|store)", "ds_(load|store)"),
    Plant("one of two barriers missing", "level0",
          lambda x: drop("s_barrier_signal")(drop("s_barrier_wait")(x)), "race",
          "ds_(load|store)", "ds_(load|store)"),
    Plant("a signal without its wait", "level1", drop("s_barrier_wait"), "race",
          "ds_load_b128", "ds_store_b128"),
    Plant("a wait without its signal", "level1", drop("s_barrier_signal"), "barrier",
          "s_barrier_wait"),
    Plant("wait before signal", "level1", move_up("s_barrier_wait", "s_barrier_signal"), "barrier",
          "s_barrier_wait"),
    Plant("signal before the LDS stores", "level1", move_up("s_barrier_signal", "s_wait_loadcnt"),
          "race", "ds_(load|store)", "ds_(load|store)"),
    Plant("signal before the reads are done", "split", move_up("s_barrier_signal", "ds_load"),
          "race", "tensor_load", "ds_load"),
    Plant("split barrier never waited for in the loop", "split", drop("s_barrier_wait"),
          "race", "tensor_load", "ds_load"),
    Plant("reads of the next stage above the wait", "split",
          move_up("s_barrier_wait", "s_barrier_signal"), "barrier", "s_barrier_wait"),
    # addresses in LDS
    Plant("both stages in one ring slot", "level1",
          change(r"s_xor_b32 (s\d+), (s\d+), 1", r"s_mov_b32 \1, \2"), "race",
          "ds_(load|store)", "ds_(load|store)"),
    Plant("halved LDS stride", "tdm", change("0x90, v", "0x48, v"), "misaligned", "ds_load"),
    Plant("LDS stride without the padding", "tdm", change("0x90, v", "0x80, v"), "", ""),
    Plant("fragment from the wrong row", "level1", change("offset:9792", "offset:9808"), "", ""),
    Plant("fragment from beyond LDS", "level1", change("offset:9792", "offset:60000"),
          "out-of-bounds", "ds_load_b128"),
    Plant("odd fragment address", "level1", change("offset:9792", "offset:9796"), "misaligned",
          "ds_load_b128"),
    Plant("fragment reads the padding", "tdm", change("offset:96", "offset:112", 0),
          "uninitialised", "v_wmma", "ds_load_b128"),
    Plant("accumulator not zeroed", "level1",
          change(r"v_dual_mov_b32 v30, v2 ", "v_dual_mov_b32 v84, v2 "),
          "uninitialised", "v_wmma"),
    # asynchronous copies
    Plant("first copies not waited for", "async", drop("s_wait_asynccnt", 0), "missing-wait",
          "ds_load_b128", "global_load_async"),
    Plant("copies in the loop not waited for", "async", drop("s_wait_asynccnt"), "race",
          "ds_load_b128", "global_load_async"),
    Plant("a copy too few waited for", "async",
          change("s_wait_asynccnt 0x0", "s_wait_asynccnt 0x1"), "missing-wait", "ds_load_b128",
          "global_load_async"),
    Plant("copies into the slot that is read", "async",
          change(r"s_sub_co_i32 (s\d+), 0x4800, s\d+", r"s_add_co_i32 \1, 0, \1"), "race",
          "global_load_async|ds_load", "global_load_async|ds_load"),
    Plant("a lane copies nothing", "async",
          lambda x: add("global_load_async", "s_mov_b32 exec_lo, -1", 0, after=True)(
              add("global_load_async", "s_mov_b32 exec_lo, 0x7fffffff", 0)(x)),
          "uninitialised", "v_wmma", "ds_load_b128"),
    # the TDM
    Plant("first tiles not waited for", "tdm", drop("s_wait_tensorcnt", 0), "missing-wait",
          "ds_load_b128", "tensor_load"),
    Plant("tiles in the loop not waited for", "tdm", drop("s_wait_tensorcnt"), "race",
          "ds_load_b128", "tensor_load"),
    Plant("a tile too few waited for", "tdm",
          change("s_wait_tensorcnt 0x0", "s_wait_tensorcnt 0x1"), "race", "ds_load", "tensor_load"),
    Plant("signal before the tile has landed", "split",
          move_up("s_barrier_signal", "s_wait_tensorcnt"), "race", "ds_load|tensor_load",
          "tensor_load|ds_load"),
    Plant("TDM bound one row short", "tdm",
          change("s_sub_co_i32 s2, 0x80", "s_sub_co_i32 s2, 0x7f"), "", ""),
    Plant("TDM bound one column short", "tdm", change("s_mov_b32 s5, 0xc00000",
          "s_mov_b32 s5, 0xbf0000"), "", ""),
    Plant("TDM tile of another width", "tdm", change("s_or_b32 s7, s3, 0x400000",
          "s_or_b32 s7, s3, 0x380000", 0), "", ""),
    Plant("halved TDM stride", "tdm", change("s_movk_i32 s9, 0x100", "s_movk_i32 s9, 0x80"), "",
          ""),
    Plant("wrong padding interval", "tdm", change("s_mov_b32 s4, 0x7110000",
          "s_mov_b32 s4, 0x6d10000"), "out-of-bounds", "tensor_load"),
    Plant("no padding", "tdm", change("s_mov_b32 s4, 0x7110000", "s_mov_b32 s4, 0x7010000"),
          "uninitialised", "v_wmma", "ds_load"),
    Plant("TDM copies 4-byte elements", "tdm", change("s_mov_b32 s4, 0x7110000",
          "s_mov_b32 s4, 0x7120000"), "out-of-bounds", "tensor_load"),
    Plant("null descriptor", "tdm", change("s_mov_b32 s24, 1", "s_mov_b32 s24, 0", 0),
          "uninitialised", "v_wmma", "ds_load"),
    # clusters
    Plant("requester not in its mask", "cluster", change(r"s_lshl_b32 (s\d+), 5, (s\d+)",
          r"s_lshl_b32 \1, 4, \2", 0), "multicast", "tensor_load"),
    Plant("more than five destinations", "cluster4x4", change(r"s_lshl_b32 (s\d+), 0x1111, s\d+",
          r"s_mov_b32 \1, 0xffff"), "multicast", "tensor_load"),
    Plant("peers disagree", "cluster", change(r"s_lshl_b32 (s\d+), 3, s\d+", r"s_mov_b32 \1, 15"),
          "multicast", "tensor_load", "tensor_load"),
    Plant("every wave signals the cluster", "cluster", unguard("s_barrier_signal -3"),
          "barrier", "s_barrier_signal -3"),
    Plant("nobody signals the cluster", "cluster", drop("s_barrier_signal -3"), "barrier",
          "s_barrier_wait -3"),
    # global memory
    Plant("C a row too far", "level1", add("s_clause 0x7", "s_add_co_u32 s0, s0, 0x200"),
          "out-of-bounds", "global_store"),
    Plant("A read past its end", "level1",
          change(r"(global_load.*) offset:8192", r"\1 offset:524000", 0),
          "out-of-bounds", "global_load"),
    Plant("result registers swapped", "level1", change(r"v\[2:5\], s\[0:1\]", "v[6:9], s[0:1]"),
          "", ""),
]  # fmt: skip


def planted(plant: Plant) -> Outcome:
    """Run the plant's kernel with its fault."""
    case = subject(plant.kernel)
    lines = case.text.splitlines()
    edited = plant.edit(lines)
    assert edited != lines
    return run(replace(case, text="\n".join(edited)))


@pytest.mark.parametrize("plant", PLANTS, ids=lambda p: p.name.replace(" ", "-"))
def test_a_planted_fault_is_found(plant: Plant) -> None:
    outcome = planted(plant)
    if not plant.kind:
        assert not outcome.right
        return
    fitting = [
        f for f in outcome.findings
        if f.kind == plant.kind and re.search(plant.at, f.text)
        and re.search(plant.other, f.other_text)
    ]  # fmt: skip
    assert fitting, (outcome.error, [str(f) for f in outcome.findings])


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (change("s_set_vgpr_msb 64", "s_set_vgpr_msb 0x80", 0), "says the bank mode was"),
        (
            lambda x: change("0x4004", "0x8004", 0)(
                change("s_set_vgpr_msb 64", "s_set_vgpr_msb 0x80", 0)(x)
            ),
            r"names v\d+, but the bank mode",
        ),
        (drop("s_set_vgpr_msb 0x4004", 0), "bank mode"),
    ],
)
def test_a_wrong_register_bank_is_refused_with_its_line(edit: Edit, says: str) -> None:
    """Registers past v255: the assembly names the true one, the mode says another."""
    case = subject("three-slots")
    outcome = run(replace(case, text="\n".join(edit(case.text.splitlines()))))
    assert re.search(r"^line \d+: .*" + says, outcome.error)


def test_a_debug_label_ends_no_block() -> None:
    """Such labels stand in the middle of a block, in whatever bank mode it has there."""
    case = subject("three-slots")
    text = re.sub(r"(s_set_vgpr_msb 64\n)", r"\1.Ltmp7:\n", case.text)
    assert text != case.text
    assert run(replace(case, text=text)).error == run(case).error


@pytest.mark.parametrize("name", ["level0", "level1", *LOOPS])
@pytest.mark.parametrize("mode", ["late", "early", "random,seed=1", "random,seed=2"])
def test_correct_kernels_have_no_findings(name: str, mode: str) -> None:
    outcome = run(subject(name), mode)
    assert outcome.right
    assert [str(f) for f in outcome.findings] == []


def test_without_checks_nothing_is_found_and_the_result_is_the_same() -> None:
    outcome = run(subject("split"), check=False)
    assert outcome.right and outcome.findings == []
    broken = replace(subject("tdm"), text=subject("tdm").text.replace("s_wait_tensorcnt 0x0", ""))
    outcome = run(broken, check=False)
    assert outcome.findings == [] and not outcome.right
