"""Speed of the simulator: wave instructions a second, linearity in the size, memory, where it goes.

    python benchmarks/sim_speed.py                      # 512^3, 1024^3, 2048^3 at 256x256 tiles
    python benchmarks/sim_speed.py --tile=128x128x32 --waves=4x4 1024
    python benchmarks/sim_speed.py --profile 1024       # and the functions that take most of it

Each size runs without checks and with them. Nothing is asserted; the goal is 1024^3 in 5 s, 10 s
with races checked, and 2048^3 within 4 GB, on two cores. CPU seconds are those of all threads.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import resource
import time

import numpy as np
from ml_dtypes import bfloat16

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.source import Source
from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.sim import Options, SimDevice

SOURCE = """
func.func @mm(%A: tensor<{n}x{n}xbf16>, %B: tensor<{n}x{n}xbf16>) -> tensor<{n}x{n}xf32> {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{n}x{n}xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<{n}x{n}xf32>) -> tensor<{n}x{n}xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
    affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%A, %B : tensor<{n}x{n}xbf16>, tensor<{n}x{n}xbf16>)
    outs(%i : tensor<{n}x{n}xf32>) -> tensor<{n}x{n}xf32>
  return %r : tensor<{n}x{n}xf32>
}}
"""
PASSES = (
    "import-matmul,tile-workgroup{{shape={tile} waves={waves}}},promote-to-lds,matrix-core,"
    "multi-buffer{{stages=2}}"
)
HEADER = (
    "size",
    "checks",
    "seconds",
    "CPU seconds",
    "wave instructions",
    "per second",
    "peak MB",
    "right",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[512, 1024, 2048])
    parser.add_argument("--tile", default="256x256x32")
    parser.add_argument("--waves", default="4x4")
    parser.add_argument("--mode", default="late", help="late, early or random,seed=N")
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    print("  ".join(name.rjust(17) for name in HEADER))
    for size in args.sizes:
        passes = PASSES.format(tile=args.tile, waves=args.waves)
        source = Source("mm.mlir", SOURCE.format(n=size), "linalg", "mm")
        made = compile_source(
            Request(source, resolve(passes), target="gfx1250", link="no")
        ).artefact
        assert made is not None
        for check in (False, True):
            report(made, size, Options.parse(args.mode, check), args.profile)
    return 0


def report(made: Artefact, size: int, options: Options, profile: bool) -> None:
    """Run once and print one line, and the profile below it."""
    device = SimDevice(options)
    handle = device.load(made, made.kernels[0].name)
    generator = np.random.default_rng(size)
    a, b = (generator.integers(-2, 3, (size, size)).astype(bfloat16) for _ in range(2))
    c = np.full((size, size), np.nan, np.float32)
    addresses = [device.alloc(x.nbytes) for x in (a, b, c)]
    for address, data in zip(addresses, (a, b, c), strict=True):
        device.write(address, data.tobytes())
    watch = cProfile.Profile()
    start, spent = time.perf_counter(), time.process_time()
    if profile:
        watch.enable()
    notes = device.launch(handle, addresses).notes
    watch.disable()
    seconds, spent = time.perf_counter() - start, time.process_time() - spent
    got = np.frombuffer(device.read(addresses[2], c.nbytes), np.float32).reshape(c.shape)
    right = bool((got == a.astype(np.float32) @ b.astype(np.float32).T).all()) and not notes
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    count = device.wave_instructions
    row = (
        f"{size}^3",
        "yes" if options.check else "no",
        f"{seconds:.2f}",
        f"{spent:.2f}",
        f"{count:,}",
        f"{count / seconds:,.0f}",
        f"{peak:,}",
        "yes" if right else "NO",
    )
    print("  ".join(cell.rjust(17) for cell in row), flush=True)
    if profile:
        pstats.Stats(watch).sort_stats("tottime").print_stats(12)


if __name__ == "__main__":
    raise SystemExit(main())
