"""Run the assembly of a bf16 matmul C = A B^T on the simulator: is C right, what was found."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source
from gemm_ladder.runtime.sim import Finding, Options, SimDevice, SimError

from .compiling import assembly
from .ladder_ir import loop_ir
from .ladder_loop import Loop

SOURCE = """
func.func @gemm(%A: tensor<{m}x{k}xbf16>, %B: tensor<{n}x{k}xbf16>) -> tensor<{m}x{n}xf32> {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{m}x{n}xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
    affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%A, %B : tensor<{m}x{k}xbf16>, tensor<{n}x{k}xbf16>)
    outs(%i : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %r : tensor<{m}x{n}xf32>
}}
"""


@dataclass(frozen=True)
class Subject:
    """Assembly of a kernel `gemm` with its launch shape and problem size."""

    text: str
    sizes: tuple[int, int, int]
    grid: tuple[int, int, int]
    threads: int
    lds: int = 0


@functools.cache
def subject(name: str) -> Subject:
    """A correct kernel: `level0` or `level1` of the product, or a loop of LOOPS."""
    if name in LOOPS:
        g = LOOPS[name]
        return Subject(assembly(loop_ir(g)), (g.m, g.n, g.k), g.grid, g.threads, g.lds)
    m, n, k = 128, 128, 128
    source = Source("gemm.mlir", SOURCE.format(m=m, n=n, k=k), "linalg", "gemm")
    request = Request(source, resolve(name), target="gfx1250", link="no")
    made = compile_source(request).artefact
    assert made is not None and made.asm is not None
    kernel = made.kernels[0]
    return Subject(made.asm, (m, n, k), kernel.grid, kernel.block[0], kernel.dynamic_lds_bytes)


LOOPS = {
    "async": Loop(128, 128, 256, copies="async"),
    "tdm": Loop(128, 128, 256),
    "split": Loop(128, 128, 256, split=True),
    "cluster": Loop(256, 256, 256, split=True, cluster=(2, 2)),
    "cluster4x4": Loop(256, 256, 128, split=True, cluster=(4, 4)),
    "padded-cluster": Loop(192, 64, 256, split=True, cluster=(2, 2)),
    "three-slots": Loop(128, 128, 512, split=True, slots=3, subs=4, fm=4, fn=4),
    "two-waves": Loop(256, 128, 256, split=True, subs=4, fm=4, fn=4, waves=(4, 2)),
}


@dataclass(frozen=True)
class Outcome:
    """What a run showed: C right in every bit, the findings, the error that ended it or ""."""

    right: bool
    findings: list[Finding]
    error: str = ""


def run(case: Subject, mode: str = "late", check: bool = True) -> Outcome:
    """Run with integer inputs, asymmetric ones."""
    m, n, k = case.sizes
    generator = np.random.default_rng(m + n + k)
    a = generator.integers(-3, 4, (m, k)).astype(ml_dtypes.bfloat16)
    b = generator.integers(-3, 4, (n, k)).astype(ml_dtypes.bfloat16)
    c: Any = np.full((m, n), np.nan, np.float32)
    device = SimDevice(Options.parse(mode, check))
    try:
        handle = device.load_asm(case.text, "gemm", case.grid, (case.threads, 1, 1), case.lds)
        addresses = [device.alloc(x.nbytes) for x in (a, b, c)]
        for address, data in zip(addresses, (a, b, c), strict=True):
            device.write(address, data.tobytes())
        device.launch(handle, addresses)
    except SimError as error:
        return Outcome(False, device.findings, str(error))
    got = np.frombuffer(device.read(addresses[2], c.nbytes), np.float32).reshape(m, n)
    want = a.astype(np.float64) @ b.astype(np.float64).T
    return Outcome(bool((got == want).all()), device.findings)
