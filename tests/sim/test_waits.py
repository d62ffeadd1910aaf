"""Counters: what each wait completes, in late mode, and what its absence is called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gemm_ladder.runtime.sim import Options, SimError

from .snippet import execute, vgpr
from .test_memory import DATA, base, filled

LANE = np.arange(32)
# instruction that owns v2 (or s8), its counter, a use of the register
OWNERS = [
    ("global_load_b32 v2, v0, s[4:5]", "loadcnt", "v_mov_b32_e32 v9, v2"),
    ("scratch_load_b32 v2, off, off", "loadcnt", "v_mov_b32_e32 v9, v2"),
    ("ds_load_b32 v2, v0", "dscnt", "v_mov_b32_e32 v9, v2"),
    ("ds_load_2addr_b32 v[2:3], v0 offset0:0 offset1:1", "dscnt", "v_mov_b32_e32 v9, v3"),
    ("s_load_b32 s8, s[4:5], 0x0", "kmcnt", "s_mov_b32 s9, s8"),
    ("s_load_b64 s[8:9], s[4:5], 0x0", "kmcnt", "v_add_nc_u32_e32 v9, s9, v0"),
    ("flat_load_b32 v2, v[6:7]", "loadcnt", "v_mov_b32_e32 v9, v2"),
]
WAITS = {
    "loadcnt": ["s_wait_loadcnt 0x0", "s_wait_loadcnt_dscnt 0x0", "s_wait_idle"],
    "dscnt": ["s_wait_dscnt 0x0", "s_wait_loadcnt_dscnt 0x3f00", "s_wait_storecnt_dscnt 0x3f00"],
    "kmcnt": ["s_wait_kmcnt 0x0", "s_wait_idle"],
}


def run(text: str, **more: Any) -> Any:
    memory, address = filled()
    where = address + 4 * LANE
    v = {0: 4 * LANE, 2: 1, 3: 1, 6: where & 0xFFFFFFFF, 7: where >> 32, 40: 1, 41: 2}
    return execute(text, v=v, s={**base(address), 8: 1, 9: 1}, memory=memory, **more)


def kinds(machine: Any) -> list[tuple[str, str, str]]:
    return [(f.kind, f.text, f.other_text) for f in machine.findings.all()]


@pytest.mark.parametrize(("owner", "counter", "use"), OWNERS)
def test_a_use_before_the_wait_names_both_instructions(owner: str, counter: str, use: str) -> None:
    fill = "ds_store_b64 v0, v[40:41]\ns_wait_dscnt 0x0\n" if owner.startswith("ds") else ""
    fill = fill.replace("b64 v0, v[40:41]", "2addr_b32 v0, v40, v41 offset0:0 offset1:1")
    assert kinds(run(f"{fill}{owner}\n{use}")) == [("missing-wait", use, owner)]
    for wait in WAITS[counter]:
        done = f"{fill}{owner}\n{wait}\n{use}"
        if owner.startswith("flat"):
            done = done.replace(wait, "s_wait_loadcnt_dscnt 0x0")
        assert kinds(run(done)) == [], wait
    others = [w for name, waits in WAITS.items() if name != counter for w in waits[:1]]
    assert kinds(run("\n".join([fill + owner, *others, use]))) != []


@pytest.mark.parametrize("mode", ["late", "early", "random"])
def test_overwriting_a_register_that_a_load_owns(mode: str) -> None:
    machine = run("global_load_b32 v2, v0, s[4:5]\nv_mov_b32_e32 v2, 0",
                  options=Options.parse(mode))  # fmt: skip
    assert [f.message.split()[0] for f in machine.findings.all()] == ["overwrites"]


def test_two_loads_into_one_register_are_in_order() -> None:
    text = "global_load_b32 v2, v0, s[4:5]\nglobal_load_b32 v2, v0, s[4:5] offset:4\n"
    machine = run(text + "s_wait_loadcnt 0x0\nv_mov_b32_e32 v9, v2")
    assert kinds(machine) == []
    np.testing.assert_array_equal(vgpr(machine, 9), DATA[1:33])


def test_a_partial_wait_completes_the_oldest() -> None:
    text = """global_load_b32 v10, v0, s[4:5]
global_load_b32 v11, v0, s[4:5] offset:4
global_load_b32 v12, v0, s[4:5] offset:8
s_wait_loadcnt 0x1
v_mov_b32_e32 v20, v10
v_mov_b32_e32 v21, v11
v_mov_b32_e32 v22, v12"""
    machine = run(text)
    assert [f.text for f in machine.findings.all()] == ["v_mov_b32_e32 v22, v12"]
    np.testing.assert_array_equal(vgpr(machine, 21), DATA[1:33])


def test_scalar_loads_complete_in_any_order() -> None:
    text = "s_load_b32 s8, s[4:5], 0x0\ns_load_b32 s9, s[4:5], 0x4\ns_wait_kmcnt 0x1\n"
    assert kinds(run(text + "s_mov_b32 s10, s8")) != []


def test_waves_wait_for_their_own_operations() -> None:
    """Wave 0 waits, wave 1 does not; both use the register."""
    text = """global_load_b32 v2, v0, s[4:5]
s_cmp_eq_u32 s20, 0
s_cbranch_scc0 .LBB0_1
s_wait_loadcnt 0x0
.LBB0_1:
v_mov_b32_e32 v9, v2"""
    memory, address = filled()
    machine = execute(text, v={0: 4 * LANE, 2: 1}, s={**base(address), 20: np.array([0, 1])},
                      memory=memory, waves=2)  # fmt: skip
    found = machine.findings.all()
    assert [(f.kind, f.wave) for f in found] == [("missing-wait", 1)]
    np.testing.assert_array_equal(machine.v[9, 0], DATA[:32])


def test_a_select_may_leave_out_what_nobody_wrote() -> None:
    good = "v_cndmask_b32_e64 v9, v100, v40, s20\nglobal_store_b32 v0, v9, s[4:5]"
    memory, address = filled()
    for mask, found in ((0xFFFFFFFF, []), (0xFFFFFFFE, ["uninitialised"])):
        machine = execute(good, v={0: 4 * LANE, 40: 1}, s={**base(address), 20: mask},
                          memory=memory)  # fmt: skip
        assert [f.kind for f in machine.findings.all()] == found


USES = [
    ("global_store_b32 v0, v100, s[4:5]", True),
    ("global_load_b32 v9, v100, s[4:5]", True),
    ("ds_load_b32 v9, v100", True),
    ("v_add_nc_u32_e32 v9, v100, v0\nds_store_b32 v0, v9", False),
    ("v_cmp_eq_u32_e32 vcc_lo, v100, v0\ns_cbranch_vccz .LBB0_1\n.LBB0_1:", True),
    ("v_cmp_eq_u32_e32 vcc_lo, v100, v0\ns_and_b32 exec_lo, exec_lo, vcc_lo", True),
    ("s_cmp_eq_u32 s60, 0\ns_cbranch_scc1 .LBB0_1\n.LBB0_1:", True),
    ("s_add_co_u32 s61, s60, s60", False),
    ("v_mov_b32_e32 v100, 0\nglobal_store_b32 v0, v100, s[4:5]", False),
    ("v_dual_mov_b32 v9, v100 :: v_dual_mov_b32 v10, v0\nglobal_store_b32 v0, v10, s[4:5]", False),
    ("v_dual_mov_b32 v9, v100 :: v_dual_mov_b32 v10, v0\nglobal_store_b32 v0, v9, s[4:5]", True),
]


@pytest.mark.parametrize(("text", "found"), USES)
def test_what_counts_as_a_use(text: str, found: bool) -> None:
    memory, address = filled()
    try:
        machine = execute(text, v={0: 4 * LANE}, s=base(address), memory=memory)
    except SimError as error:  # the garbage is an address that faults as well
        assert found and "outside" in str(error)
        return
    assert [f.kind for f in machine.findings.all()] == ["uninitialised"] * found


def test_validity_goes_through_lds_dword_by_dword() -> None:
    """v41 valid, v100 not: both are stored side by side; only the use of the second is found."""
    text = """ds_store_2addr_b32 v0, v41, v100 offset0:0 offset1:1
s_wait_dscnt 0x0
ds_load_2addr_b32 v[50:51], v0 offset0:0 offset1:1
s_wait_dscnt 0x0
global_store_b32 v1, v50, s[4:5]
global_store_b32 v1, v51, s[4:5]"""
    memory, address = filled()
    machine = execute(text, v={0: 8 * LANE, 1: 4 * LANE, 41: 5}, s=base(address), memory=memory)
    assert [f.text for f in machine.findings.all()] == ["global_store_b32 v1, v51, s[4:5]"]
