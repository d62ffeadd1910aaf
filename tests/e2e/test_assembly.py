"""The assembly of levels 0 and 1 on gfx1250, read as its specification reads."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
from gemm_case import Case

from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.device import open_device

LEVELS = ("level0", "level1")


def mnemonics(artefact: Artefact) -> list[str]:
    """Every instruction's mnemonic, in order."""
    assert artefact.asm is not None
    return re.findall(r"^\t([a-z]\w+)", artefact.asm, re.MULTILINE)


@pytest.mark.parametrize("types", [("bf16", "f32"), ("bf16", "bf16"), ("f16", "f32")])
@pytest.mark.parametrize("level", LEVELS)
def test_row_major_c_is_stored_16_bytes_at_a_time(level: str, types: tuple[str, str]) -> None:
    found = mnemonics(Case(256, 256, 256, "nt", types, passes=level).artefact("gfx1250"))
    stores = {name for name in found if name.startswith("global_store")}
    assert stores == {"global_store_b128"}


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("level", LEVELS)
def test_aligned_operands_move_in_wide_pieces(level: str, layout: str) -> None:
    found = mnemonics(Case(256, 256, 256, layout, passes=level).artefact("gfx1250"))
    loads = {name for name in found if name.startswith(("global_load", "ds_load"))}
    assert loads <= {"global_load_b128", "ds_load_b128", "ds_load_tr16_b128"}
    assert not any(name.startswith(("flat_", "scratch_")) for name in found)


@pytest.mark.parametrize(("level", "barriers"), [("level0", 2), ("level1", 1)])
def test_barriers_and_resources(level: str, barriers: int) -> None:
    artefact = Case(256, 256, 256, "nt", passes=level).artefact("gfx1250")
    (kernel,) = artefact.kernels
    assert artefact.asm is not None
    loop = artefact.asm.split(".LBB0_1:")[1].split("s_cbranch_scc")[0]
    assert loop.count("s_barrier_wait -1") == loop.count("s_barrier_signal -1") == barriers
    assert loop.count("v_wmma_f32_16x16x32_bf16") == 4
    # Two padded tiles of 4,352 bytes a stage.
    assert kernel.lds_bytes == 8704 * (1 if level == "level0" else 2)
    assert (kernel.spills, kernel.scratch_bytes) == (0, 0)


@pytest.mark.parametrize("level", LEVELS)
def test_readelf_accepts_the_binary(level: str, tmp_path: Path) -> None:
    artefact = Case(64, 64, 32, passes=level).artefact("gfx1250", link="must")
    assert artefact.binary is not None
    path = tmp_path / "mm.hsaco"
    path.write_bytes(artefact.binary)
    (folder,) = importlib.util.find_spec("llvm").submodule_search_locations
    done = subprocess.run(
        [f"{folder}/bin/llvm-readelf", "-h", path], capture_output=True, text=True, check=True
    )
    assert "AMDGPU - HSA" in done.stdout
    assert "AMD" in done.stdout.split("Machine:")[1]


BIG = "import-matmul,tile-workgroup{shape=64x256x256 waves=2x2},promote-to-lds,matrix-core"


def test_register_banks_are_right_around_barriers() -> None:
    """The bank mode that registers past v255 need; the simulator compares it as it loads."""
    artefact = Case(256, 256, 256, "nt", ("bf16", "bf16"), passes=BIG).artefact("gfx1250")
    (kernel,) = artefact.kernels
    assert (kernel.vgprs or 0) > 256
    open_device("sim").load(artefact, kernel.name)


def test_a_loop_of_two_blocks_spills_nothing() -> None:
    """The block to fetch next is always the last one: LLVM must not hold its addresses."""
    case = Case(256, 256, 256, "nt", ("bf16", "bf16"), passes="level5")
    assert case.artefact("gfx1250").kernels[0].spills == 0
