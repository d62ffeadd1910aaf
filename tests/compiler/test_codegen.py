"""Code generation from a hand-written kernel: both vendors, every stage, spills and tools."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from gemm_ladder.compiler.codegen import amd_asm, amdgpu, nvptx
from gemm_ladder.compiler.codegen.tools import find_lld, find_ptxas
from gemm_ladder.compiler.compilation import Request, Result, compile_source
from gemm_ladder.compiler.errors import InputError, LadderError, MissingToolError, UsageError
from gemm_ladder.compiler.source import Source
from gemm_ladder.compiler.targets import load_target
from gemm_ladder.runtime.artefact import Artefact, Kernel

Text = Callable[[str], str]


def _compile(text: str, stage: str = "gpu", **options: object) -> Result:
    source = Source(f"in.{stage}", text, stage, "in")
    return compile_source(Request(source=source, steps=[], **options))  # type: ignore[arg-type]


def _artefact(text: str, stage: str = "gpu", **options: object) -> Artefact:
    artefact = _compile(text, stage, **options).artefact
    assert artefact is not None
    return artefact


def test_hsaco_is_an_elf_for_amdgpu_with_its_description(kernel_text: Text) -> None:
    made = _artefact(kernel_text("gfx1250"))
    assert made.binary is not None
    assert made.binary[:4] == b"\x7fELF"
    assert int.from_bytes(made.binary[18:20], "little") == 224  # EM_AMDGPU
    (kernel,) = made.kernels
    assert (kernel.grid, kernel.block, kernel.lds_bytes) == ((2, 1, 1), (64, 1, 1), 256)
    assert (kernel.spills, kernel.scratch_bytes, kernel.remarks) == (0, 0, ("x: by hand",))
    assert [arg.name for arg in kernel.args] == ["x", "y", "n"]
    assert kernel.vgprs is not None
    assert kernel.k_loop["barriers"] == {"s_barrier_signal": 1, "s_barrier_wait": 1}
    assert kernel.k_loop["lds_stores"] == 1
    assert made.asm is not None
    assert "tile.kernel" not in made.asm


def test_llvm_ir_carries_what_llvm_may_assume(kernel_text: Text) -> None:
    text = _compile(kernel_text("gfx1250"), stop="ll").text
    assert "ptr addrspace(1) noalias noundef readonly align 16" in text
    assert "ptr addrspace(1) noalias noundef align 16" in text
    for attribute in (
        '"amdgpu-flat-work-group-size"="64,64"',
        '"amdgpu-cluster-dims"="0,0,0"',
        '"amdgpu-waves-per-eu"="1"',
        '"uniform-work-group-size"="true"',
    ):
        assert attribute in text


def test_a_short_loop_is_not_unrolled(kernel_text: Text) -> None:
    text = kernel_text("gfx1250").replace(
        "arith.index_cast %bits : i32 to index", "arith.constant 4 : index"
    )
    assert _artefact(text, link="no").kernels[0].k_loop["lds_stores"] == 1


def test_cluster_dims_reach_the_kernel(kernel_text: Text) -> None:
    text = kernel_text("gfx1250").replace("cluster = [1, 1, 1]", "cluster = [2, 1, 1]")
    assert '"amdgpu-cluster-dims"="2,1,1"' in _compile(text, stop="ll").text


@pytest.mark.parametrize(
    ("target", "ways"), [("gfx1250", ["llvm", "ll"]), ("sm_90a", ["llvm", "ptx"])]
)
def test_stopping_and_starting_again_gives_the_same_binary(
    kernel_text: Text, target: str, ways: list[str]
) -> None:
    whole = _artefact(kernel_text(target))
    for stage in ways:
        text = _compile(kernel_text(target), stop=stage).text
        again = _artefact(text, stage)
        assert again.binary == whole.binary
        assert again.kernels == whole.kernels


def test_assembly_runs_again_without_a_binary(kernel_text: Text) -> None:
    asm = _compile(kernel_text("gfx1250"), stop="s").text
    again = _artefact(asm, "s", link="no")
    assert again.binary is None
    assert again.kernels == _artefact(kernel_text("gfx1250"), link="no").kernels
    with pytest.raises(InputError, match="no assembler"):
        _compile(asm, "s")


def test_cubin_and_its_report(kernel_text: Text) -> None:
    made = _artefact(kernel_text("sm_90a"))
    assert (made.format, made.target) == ("cubin", "sm_90a")
    (kernel,) = made.kernels
    assert kernel.spills == 0
    assert kernel.lds_bytes == 256
    assert kernel.vgprs is not None
    assert made.asm is not None
    assert "ld.global.nc" in made.asm  # x is read-only and aliases nothing
    assert kernel.k_loop["barriers"] == {"bar.sync": 1}


def test_without_a_tool_the_error_says_where_it_was_sought(
    kernel_text: Text, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("gemm_ladder.compiler.codegen.tools._in_package", lambda *_: [])
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    for name in ("LADDER_LLD", "LADDER_PTXAS"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingToolError, match=r"ld\.lld is needed.*\$LADDER_LLD, iree-lld.*PATH"):
        _compile(kernel_text("gfx1250"))
    with pytest.raises(MissingToolError, match=r"ptxas is needed.*\$LADDER_PTXAS.*PATH"):
        _compile(kernel_text("sm_90a"), link="must", stop="cubin")
    said: list[str] = []
    made = _artefact(kernel_text("sm_90a"), report=said.append)
    assert (made.format, made.binary) == ("ptx", None)
    assert len(said) == 1
    assert said[0].startswith("note: PTX for the driver: ptxas is needed")
    # The simulator needs no linker.
    assert _artefact(kernel_text("gfx1250"), link="no").binary is None


def test_a_tool_named_in_the_environment_is_used_or_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = tmp_path / "ld.lld"
    tool.write_text("#!/bin/sh\nexit 0\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("LADDER_LLD", str(tool))
    assert find_lld().command == (str(tool),)
    monkeypatch.setenv("LADDER_PTXAS", str(tmp_path / "nothing"))
    with pytest.raises(MissingToolError, match="LADDER_PTXAS is '.*nothing', which is no program"):
        find_ptxas()


def test_a_tool_that_fails_shows_what_it_said(
    kernel_text: Text, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = tmp_path / "ld.lld"
    tool.write_text("#!/bin/sh\necho broken input >&2\nexit 3\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("LADDER_LLD", str(tool))
    with pytest.raises(LadderError, match="linking the HSACO: .*ld.lld failed:\nbroken input"):
        _compile(kernel_text("gfx1250"))


def _kernel(name: str) -> Kernel:
    return Kernel(name=name, args=(), grid=(1, 1, 1), block=(64, 1, 1))


def test_spills_are_refused_on_amd(kernel_text: Text) -> None:
    asm = _compile(kernel_text("gfx1250"), stop="s").text
    target = load_target("gfx1250")
    assert amd_asm.resources(asm, _kernel("scale"), target).spills == 0
    spilled = asm.replace(".vgpr_spill_count: 0", ".vgpr_spill_count: 7")
    with pytest.raises(LadderError, match="scale spills 7 registers"):
        amd_asm.resources(spilled, _kernel("scale"), target)
    with pytest.raises(LadderError, match="kernel other is not in the assembly"):
        amd_asm.resources(asm, _kernel("other"), target)


REPORT = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'mm' for 'sm_90a'
ptxas info    : Function properties for mm
    {stack} bytes stack frame, {spill} bytes spill stores, 8 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 1024 bytes smem
"""


def test_spills_are_refused_on_nvidia() -> None:
    target = load_target("sm_90a")
    with pytest.raises(LadderError, match="mm spills .16 B stored, 8 B loaded. at 168 registers"):
        nvptx.resources("", REPORT.format(stack=8, spill=16), _kernel("mm"), target)


def test_a_serialised_wgmma_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    warning = "ptxas info : (C7510) Potential Performance Loss: wgmma.mma_async serialized"
    monkeypatch.setattr(nvptx, "run_tool", lambda *_: warning)
    with pytest.raises(LadderError, match="C7510"):
        nvptx.to_cubin("", load_target("sm_90a"))


def test_damaged_llvm_ir_is_located(kernel_text: Text) -> None:
    text = _compile(kernel_text("gfx1250"), stop="ll").text
    with pytest.raises(InputError, match=r"in\.ll:\d+:\d+: error: "):
        _compile(text.replace("ret void", "ret vold"), "ll", stop="s")
    with pytest.raises(InputError, match=r"in\.ll:1:1: error: no 'gemm-ladder:' line"):
        _compile(text.split("\n", 1)[1], "ll")
    with pytest.raises(InputError, match="line is damaged"):
        _compile(text.replace('"kernels"', '"kernel"', 1), "ll")


def test_targets_cannot_be_mixed(kernel_text: Text) -> None:
    with pytest.raises(UsageError, match="is for gfx1250, not sm_90a"):
        _compile(kernel_text("gfx1250"), target="sm_90a")
    bare = kernel_text("gfx1250").replace('attributes {tile.target = "gfx1250"}', "", 1)
    with pytest.raises(UsageError, match="no target attached to the gpu.module; add --target"):
        _compile(bare)
    assert _artefact(bare, target="gfx1250").target == "gfx1250"
    with pytest.raises(UsageError, match="gfx1250 has no stage 'ptx'"):
        _compile(kernel_text("gfx1250"), stop="ptx")
    with pytest.raises(UsageError, match="already past tile"):
        _compile(kernel_text("gfx1250"), stop="tile")


def test_a_module_without_kernels_is_refused() -> None:
    with pytest.raises(LadderError, match="no kernel to generate code for"):
        _compile("module {}")


def test_header_is_one_line_of_json(kernel_text: Text) -> None:
    first = _compile(kernel_text("gfx1250"), stop="ll").text.split("\n")[0]
    assert first.startswith(f"{amdgpu.COMMENT} gemm-ladder: ")
    assert json.loads(first.split(": ", 1)[1])["target"] == "gfx1250"
