"""Debug lines in assembly: they name tile ops, and the code is the same without them."""

from __future__ import annotations

import re

import pytest

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.pipelines import levels
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source
from gemm_ladder.runtime.sim import Options, SimDevice

SOURCE = """func.func @mm(%A: tensor<128x96xbf16>, %B: tensor<96x72xbf16>) -> tensor<128x72xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x72xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<128x72xf32>) -> tensor<128x72xf32>
  %r = linalg.matmul ins(%A, %B : tensor<128x96xbf16>, tensor<96x72xbf16>)
                     outs(%i : tensor<128x72xf32>) -> tensor<128x72xf32>
  return %r : tensor<128x72xf32>
}
"""


def assembly(passes: str, debug_lines: bool) -> str:
    source = Source("mm.mlir", SOURCE, "linalg", "mm")
    request = Request(source, resolve(passes), target="gfx1250", link="no", debug_lines=debug_lines)
    made = compile_source(request).artefact
    assert made is not None and made.asm is not None
    return made.asm


def code(text: str) -> list[str]:
    """Instructions and labels of the kernel."""
    lines = text.split("s_endpgm")[0].splitlines()
    kept = [line.split(";")[0].strip() for line in lines]
    return [line for line in kept if line and not line.startswith((".loc", ".file", ".Ltmp", ".cfi",
                                                                    ".Lfunc"))]  # fmt: skip


@pytest.mark.parametrize("passes", ["level0", "level1"])
def test_the_code_is_the_same(passes: str) -> None:
    assert code(assembly(passes, True)) == code(assembly(passes, False))


def test_instructions_name_their_tile_ops() -> None:
    text = assembly("level1", True)
    files = dict(re.findall(r'\.file\s+(\d+) "([^"]*)"', text))
    at: dict[str, set[str]] = {}
    current = ""
    for line in text.splitlines():
        loc = re.match(r"\s*\.loc\s+(\d+)", line)
        if loc:
            current = files[loc[1]]
        word = line.split()[0] if line.split() else ""
        at.setdefault(word, set()).add(current)
    assert any(name.startswith("tile.mma ") for name in at["v_wmma_f32_16x16x32_bf16"])
    assert any(name.startswith("tile.load") for name in at["ds_load_b128"])
    assert any(name.startswith("tile.copy") for name in at["global_load_b128"])
    assert all(name.endswith(" at mm.mlir") for name in at["v_wmma_f32_16x16x32_bf16"])


def test_a_finding_names_tile_ops_their_passes_and_source_lines() -> None:
    text = re.sub(r"s_wait_dscnt 0x0\s+v_wmma", "v_wmma", assembly("level1", True))
    device = SimDevice(Options())
    handle = device.load_asm(text, "mm", (2, 2, 1), (128, 1, 1))
    buffers = [device.alloc(n) for n in (128 * 96 * 2, 96 * 72 * 2, 128 * 72 * 4)]
    device.launch(handle, buffers)
    found = [f for f in device.findings if f.kind == "missing-wait" and "wmma" in f.text]
    assert found
    assert found[0].source == "tile.mma acc_next of tile-workgroup at mm.mlir:5:8"
    assert re.fullmatch(
        r"tile\.load [AB]_reg of promote-to-lds at mm\.mlir:5:8", found[0].other_source
    )


@pytest.mark.parametrize("level", levels("sm_90a"))
def test_every_level_of_hopper_has_lines(level: str) -> None:
    source = Source("mm.mlir", SOURCE, "linalg", "mm")
    steps = resolve(level, "sm_90a")
    request = Request(source, steps, target="sm_90a", stop="ptx", link="no", debug_lines=True)
    made = compile_source(request).text
    files = dict(re.findall(r'\.file\s+(\d+) "([^"]*)"', made))
    used = {files[number] for number in re.findall(r"\.loc\s+(\d+)", made)}
    assert any(name.startswith("tile.mma ") for name in used)
