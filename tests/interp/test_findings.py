"""Each kind of finding, made by a small change of a right program; what it says, word for word."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.interp.findings import Findings
from gemm_ladder.compiler.interp.machine import Settings
from gemm_ladder.compiler.interp.multicast import check_request, destinations
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source

from .problems import Problem
from .running import every_mode, failures, program


def changed(name: str, old: str, new: str, count: int = 1) -> str:
    """Program ``name`` with its last ``count`` occurrences of ``old`` replaced."""
    parts = program(name).rsplit(old, count)
    assert len(parts) == count + 1, f"{name} has no {old}"
    return new.join(parts)


def found(text: str, setting: Settings | None = None) -> str:
    """All findings as one text."""
    return "\n".join(failures(text, [setting or Settings()]))


WAIT_COPY = '"tile.wait"() {kind = "copy", pending = 0} : () -> ()'
WAIT_LDS = '"tile.wait"() {kind = "lds", pending = 0} : () -> ()'
ARRIVE = '"tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()'
WAIT_BAR = '"tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()'


@pytest.mark.parametrize("landing", ["late", "early", "random"])
def test_use_before_arrival_names_both_ops_wave_and_element(landing: str) -> None:
    text = found(changed("level7", WAIT_COPY, ""), Settings(landing))
    assert re.search(
        r"use before arrival: tile\.load A_LDS, current, \(wave_id / 2\) \* 16, 0 \(IR:\d+:\d+\) "
        r"by wave \d reads A_LDS\[slot 1\] element \(\d+, 0\); "
        r"its write by tile\.copy_async A, A_LDS.*\(IR:\d+:\d+\) by wave 0 is still under way",
        text,
    ), text


def test_write_before_all_readers_are_done() -> None:
    text = found(changed("level8", WAIT_LDS, ""))
    assert "write before all readers are done: tile.copy_async" in text
    assert "its read is not behind a wait and barrier" in text


def test_two_writes_without_order() -> None:
    text = found(
        changed(
            "level7", "%second = arith.cmpi eq, %wave, %c1", "%second = arith.cmpi ult, %wave, %c2"
        )
    )
    assert re.search(
        r"two writes without order: .* B_LDS.* by wave \d writes B_LDS\[slot 0\]", text
    )


def test_deadlock_says_who_waits_for_what() -> None:
    text = found(changed("level7", "arrivals = 4", "arrivals = 5"))
    assert re.search(
        r"wait that never completes: tile\.wait_barrier bar \(IR:\d+:\d+\): "
        r"wave 0, wave 1, wave 2, wave 3 wait for bar phase 0: 4 of 5 arrived \(wave \d, ",
        text,
    ), text


def test_deadlock_of_an_mbarrier_counts_bytes() -> None:
    text = found(changed("hopper", "tx_bytes = 4096", "tx_bytes = 4100"))
    assert re.search(
        r"wave 1, wave 2 wait for full slot 0 phase 0: 1 of 1 arrived, 4 bytes to come", text
    )
    assert re.search(r"wave 0 wait for empty slot 0 phase 0: 0 of 2 arrived", text)


def test_alias_before_the_ring_is_free() -> None:
    top = "%next = arith.remui %more, %c2 : index"
    store = """
      "tile.store"(%acc, %C_LDS, %c0, %wave_m, %wave_n) : (!acc, !C, index, index, index) -> ()"""
    text = found(changed("level10", top, top + store))
    assert re.search(
        r"alias used before the ring is free: tile\.store acc, C_LDS.* by wave \d writes "
        r"C_LDS\[slot 0\] element \(\d+, \d+\) while tile\.load A_LDS.* may still read A_LDS",
        text,
    ), text
    assert re.search(
        r"alias .*: tile\.load A_LDS.* whose bytes tile\.store .* overwrote as C_LDS", text
    )


def test_phase_skipped() -> None:
    text = found(changed("level2", WAIT_BAR, ""))
    assert "barrier phase skipped: tile.arrive bar" in text
    assert "nothing makes it wait for phase 1 first (4 arrivals a phase)" in text
    text = found(changed("level2", "arrivals = 4", "arrivals = 3"))
    assert "for phase 0, which was complete without it (3 arrivals a phase)" in text


def test_uninitialised_read() -> None:
    text = found(changed("level2", '"tile.load"(%A_LDS, %current', '"tile.load"(%A_LDS, %next'))
    assert "read of LDS that nobody wrote: tile.load A_LDS" in text


def test_copy_in_flight_at_the_end() -> None:
    text = found(changed("level7", WAIT_COPY, ""))
    assert "copy in flight at the end: tile.copy_async" in text
    assert "may still run when the wave ends: no wait for it" in text


def test_copy_outside_the_operand() -> None:
    text = found(changed("level2", "arith.minsi %k_more, %c64", "arith.maxsi %k_more, %c0"))
    assert re.search(r"outside the operand: .* reads element \(\d+, \d+\) of 64 x 96", text)


def test_slot_outside_the_ring() -> None:
    text = found(changed("level2", '"tile.load"(%A_LDS, %current', '"tile.load"(%A_LDS, %c2'))
    assert "outside the operand: tile.load A_LDS, 2" in text


def test_generic_writes_need_a_fence_before_the_engine_reads() -> None:
    text = found(changed("hopper", '"tile.fence"() {proxy = "async"} : () -> ()', ""))
    assert "write not fenced for the engine: tile.copy_async C_LDS, C" in text


def test_the_tag_of_a_role_is_checked() -> None:
    text = found(changed("hopper", "tile.waves = [0, 1]", "tile.waves = [1, 1]"))
    assert "parts that do not fit: scf.if" in text
    assert "whose waves are [1, 1]" in text


MASKS = {
    "arith.shli %five, %x": ("arith.shli %three, %x", "names|leaves out|differs|another tile"),
    "arith.shli %three, %y2": ("arith.addi %five, %five", "leaves out the requester|another tile"),
    "%five = arith.constant 5 : i32": ("%five = arith.constant 21 : i32", "of a cluster of 4"),
    "%three = arith.constant 3 : i32": ("%three = arith.constant 1 : i32", "leaves out|differs"),
}


@pytest.mark.parametrize("old", MASKS)
def test_multicast_masks(old: str) -> None:
    new, said = MASKS[old]
    text = found(changed("level9", old, new))
    assert re.search(rf"multicast error: tile\.copy_async .* ({said})", text), text


def test_a_peer_that_never_asks() -> None:
    old = "%cluster_y = gpu.cluster_block_id y"
    cond = f"{old}\n    %row0 = arith.cmpi eq, %cluster_y, %c0 : index"
    text = changed("level9", old, cond)
    head, loop, rest = text.partition("scf.for")
    start = loop + rest
    at = start.index('"tile.copy_async"(%A')
    end = start.index("-> ()", at) + len("-> ()")
    guarded = f"scf.if %row0 {{\n{start[at:end]}\n}}"
    text = found(head + start[:at] + guarded + start[end:])
    assert re.search(
        r"workgroup [23] of mask 0x\w+ never makes request \d+ of workgroup [01]", text
    ), text


def test_peers_of_an_arrival() -> None:
    text = found(changed("hopper-cluster", "%both = arith.constant 3", "%both = arith.constant 7"))
    assert "multicast error: tile.arrive" in text
    assert "of a cluster of 2 workgroups" in text


def test_a_workgroup_that_leaves_its_peers() -> None:
    text = program("hopper-cluster").replace('"tile.barrier"(%all) : (!bar) -> ()', "")
    text = "\n".join(line for line in text.splitlines() if "(%end)" not in line or "create" in line)
    assert "may have left, none of its waves waits for it" in found(text)


def test_workgroups_may_take_different_ways() -> None:
    # hopper's persistent loop: workgroup 0 makes two tiles, the others one.
    assert not failures(program("hopper"), every_mode(range(2)))
    assert not failures(program("hopper"), [Settings(exact=True)])


def test_an_arrival_too_many() -> None:
    sizes = "operandSegmentSizes = array<i32: 1, 1, 0>"
    arrive = f'"tile.arrive"(%full, %slot) {{tx_bytes = 4096, {sizes}}}'
    bare = arrive.replace("tx_bytes = 4096, ", "")
    types = ": (!stage, index) -> ()\n"
    text = found(changed("hopper", arrive, f"{arrive} {types} {bare}"))
    assert re.search(r"skipped: tile\.arrive full.* by wave 0 is arrival 2 of 1 in phase 0", text)


def test_a_wave_that_misses_a_phase() -> None:
    zero = '%zero = "tile.zero"() : () -> !acc'
    arrive = ARRIVE.replace("%bar", "%late")
    steps = [
        '%late = "tile.barrier_create"() {name = "late", arrivals = 4, scope = "workgroup", '
        'kind = "mbarrier"} : () -> !bar',
        *[arrive, '"tile.barrier"(%bar) : (!bar) -> ()'] * 2,
        '"tile.wait_barrier"(%late, %c0, %c0) {operandSegmentSizes = array<i32: 1, 1, 1>} '
        ": (!bar, index, index) -> ()",
    ]
    text = found(changed("level2", zero, "\n".join([zero, *steps])))
    assert "waits for phase 0 of late slot 0, which is in phase 2 already" in text


def test_an_engine_may_not_overtake_reads_of_its_own_wave() -> None:
    text = program("level7").replace("array<i32: 128, 1, 1>", "array<i32: 32, 1, 1>")
    text = text.replace("arrivals = 4", "arrivals = 1").replace("eq, %wave, %c1", "eq, %wave, %c0")
    early = text.replace("(%A, %A_LDS, %next", "(%A, %A_LDS, %current")
    assert early != text
    said = "write before all readers are done: tile.copy_async A"
    assert said in found(early)
    assert said not in found(text)


def test_at_most_five_workgroups_share_an_answer() -> None:
    for mask, complaint in ((0b11111, ""), (0b111111, "names 6 workgroups, at most 5 share")):
        findings = Findings()
        machine = SimpleNamespace(ranks=16, findings=findings)
        wave: Any = SimpleNamespace(rank=0, machine=machine)
        op: Any = SimpleNamespace(attrs={"engine": "tdm"}, uid=0, line=1)
        assert destinations(wave, op, mask) == [0]
        assert complaint in "\n".join(findings.lines())
        assert bool(findings.lines()) == bool(complaint)


def test_peers_must_use_one_mask() -> None:
    findings = Findings()
    machine = SimpleNamespace(ranks=4, findings=findings, requests={})
    op: Any = SimpleNamespace(attrs={"engine": "tdm"}, uid=0, line=1)
    for rank, mask in ((0, 0b11), (1, 0b111)):
        wave: Any = SimpleNamespace(rank=rank, machine=machine)
        check_request(wave, op, 0, mask, (0, 0))
    assert "mask 0x7 differs from 0x3" in "\n".join(findings.lines())


def test_bytes_that_nobody_waits_for() -> None:
    copy = re.search(r'"tile\.copy_async"\(%A, .*\n.*', program("level2"))
    assert copy
    sizes = "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, {0}, {0}>"
    last = (
        copy[0]
        .replace("%c32)", "%c32, %late, %c0)")
        .replace('engine = "async"', 'engine = "tma"')
        .replace(sizes.format(0), sizes.format(1))
        .replace("index) ->", "index, !bar, index) ->")
    )
    bar = (
        '%late = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "mbarrier"}'
        " : () -> !bar"
    )
    only = "%first = arith.cmpi eq, %wave, %c0 : index"
    text = changed(
        "level2", "gpu.return", f"{bar}\n{only}\nscf.if %first {{\n{last}\n}}\ngpu.return"
    )
    said = "none of its waves waits for the barrier that the copy completes"
    assert re.search(rf"copy in flight at the end: tile\.copy_async A.*{said}", found(text))


def test_what_a_batch_wrote_before_it_parted_is_undone() -> None:
    problem = Problem(64, 64, 32, "nn", "bf16", "f32", accumulate=True)
    source = Source("<problem>", problem.text(), "linalg", "problem")
    steps = resolve("import-matmul,tile-workgroup{shape=32x32x32 waves=1x1}")
    text = compile_source(Request(source, steps, "gfx1250", stop="tile")).text
    parts = """%bx = gpu.block_id x
      %none = arith.constant 0 : index
      %here = arith.cmpi eq, %bx, %none : index
      scf.if %here {
        "tile.sched_fence"() : () -> ()
      }
      gpu.return"""
    assert not failures(text.replace("gpu.return", parts), [Settings()])
