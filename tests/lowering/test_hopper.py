"""Hand-written Hopper kernels: right where waves and engines interleave freely, as sm_90a code."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.interp.device import LANDINGS, InterpDevice
from gemm_ladder.compiler.interp.machine import Settings
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source
from gemm_ladder.compiler.tile_artefact import tile_artefact
from gemm_ladder.runtime.artefact import Artefact, TensorMap
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import open_device
from gemm_ladder.runtime.errors import DeviceError


def matmul_text(m: int, n: int, k: int, out: str) -> str:
    """C = A * B of bf16 matrices, rounded once to ``out``."""
    a, b, c = f"tensor<{m}x{k}xbf16>", f"tensor<{k}x{n}xbf16>", f"tensor<{m}x{n}x"
    return f"""
func.func @mm(%A: {a}, %B: {b}) -> {c}{out}> {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {c}f32>
  %i = linalg.fill ins(%z : f32) outs(%e : {c}f32>) -> {c}f32>
  %r = linalg.matmul ins(%A, %B : {a}, {b}) outs(%i : {c}f32>) -> {c}f32>
  %t = arith.truncf %r : {c}f32> to {c}{out}>
  return %t : {c}{out}>
}}
"""


PROGRAMS = {
    path.name.split(".")[0]: path.read_text(encoding="utf-8")
    for path in sorted(Path(__file__).with_name("programs").glob("*.tile.mlir"))
}


@functools.cache
def built(name: str) -> Artefact:
    """The cubin of program ``name``."""
    source = Source(f"{name}.tile.mlir", PROGRAMS[name], "tile", name)
    made = compile_source(Request(source, [], link="must")).artefact
    assert made is not None
    return made


def body(name: str) -> str:
    return built(name).asm or ""


@pytest.mark.parametrize("landing", LANDINGS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_interpreted(name: str, landing: str) -> None:
    device = InterpDevice()
    device.settings = Settings(landing, seed=3)
    (result,) = check_artefact(tile_artefact(PROGRAMS[name], name), device)
    assert result.ok, result.failures


@pytest.mark.parametrize("name", PROGRAMS)
def test_code_keeps_its_schedule(name: str) -> None:
    (kernel,) = built(name).kernels  # a C75xx warning or a spill would have failed the build
    assert kernel.spills == 0
    assert kernel.scratch_bytes == 0
    text = body(name)
    assert "wgmma.wait_group.sync.aligned \t1;" in text
    assert text.count("mbarrier.try_wait.parity.shared.b64") >= 2
    # Wider scope would fence all of memory before each arrival.
    assert "mbarrier.arrive.release.cluster" not in text


def test_tensor_maps_in_the_order_of_use() -> None:
    (kernel,) = built("persistent").kernels
    assert kernel.tensor_maps == (
        TensorMap(0, (128, 64), 128),
        TensorMap(1, (128, 64), 128),
        TensorMap(2, (64, 64), 128),
    )
    assert kernel.cluster == (2, 1, 1)
    (kernel,) = built("warpgroups").kernels
    assert kernel.tensor_maps == (TensorMap(0, (64, 64), 128), TensorMap(1, (64, 64), 128))
    assert kernel.cluster == (1, 1, 1)
    assert ".param .align 64 .b8 matmul_param_3[128]" in body("warpgroups")


def test_operands_along_m_and_n_are_transposed_by_the_instruction() -> None:
    # ..., p, scale of a, of b, transpose of a, of b
    assert ", p, 1,  1, 1,  1;" in body("warpgroups")  # A [K, M], B [K, N]
    assert ", p, 1,  1, 0,  1;" in body("cluster")  # A [M, K], B [K, N]
    assert ", p, 1,  1, 0,  0;" in body("persistent")  # A [M, K], B [N, K]


def test_a_cluster_shares_b() -> None:
    text = body("cluster")
    assert ".reqnctapercluster 2, 1, 1" in text
    assert "multicast::cluster" in text
    assert "mapa.shared::cluster" in text
    assert "multicast::cluster" not in body("warpgroups")


def test_a_descriptor_has_no_bits_of_the_cluster() -> None:
    """Addresses of other ranks than 0 have bits above the descriptor's 14 (times 16 bytes)."""
    masks = [
        line for line in body("cluster").splitlines() if "and.b32" in line and "16320;" in line
    ]
    assert len(masks) == 2  # 0x3FFF but for the bits that are known to be 0


def test_the_top_level_of_an_unaligned_product_does_not_spill() -> None:
    """Addresses of C's ragged rows, the same for every tile, leave products their registers."""
    text = matmul_text(1000, 999, 1001, out="bf16")
    source = Source("ragged.mlir", text, "linalg", "ragged")
    steps = resolve("level12", "sm_90a")
    made = compile_source(Request(source, steps, target="sm_90a", link="must")).artefact
    assert made is not None  # a spill is an error
    assert made.kernels[0].spills == 0


@pytest.mark.gpu
@pytest.mark.parametrize("name", PROGRAMS)
def test_on_a_gpu(name: str) -> None:
    try:
        device = open_device("cuda")
    except DeviceError as error:
        pytest.skip(str(error))
    (result,) = check_artefact(built(name), device, repeats=5)
    assert result.ok, result.failures
