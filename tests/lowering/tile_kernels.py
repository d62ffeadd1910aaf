"""Compile hand-written tile IR for gfx1250, run it on the simulator, and compare with numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.source import Source
from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.device import Device, open_device

Array = npt.NDArray[Any]
DTYPES: dict[str, Any] = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32}


def build(text: str) -> Artefact:
    """The artefact of tile IR without its binary."""
    source = Source("kernel.tile.mlir", text, "tile", "kernel")
    result = compile_source(Request(source, [], target="gfx1250", link="no"))
    assert result.artefact is not None
    return result.artefact


def integers(*shape: int, dtype: str = "bf16", seed: int = 0) -> Array:
    """Small integers, exact in every type and sum that tests use."""
    rng = np.random.default_rng([seed, *shape])
    return rng.integers(-4, 5, shape).astype(DTYPES[dtype])


def launch(artefact: Artefact, name: str, *arrays: Array, device: str = "sim") -> list[Array]:
    """Run kernel ``name``; what each argument holds afterwards. Outputs start as NaN."""
    return _launch(open_device(device), artefact, name, arrays)


def _launch(
    device: Device, artefact: Artefact, name: str, arrays: tuple[Array, ...]
) -> list[Array]:
    addresses = []
    for array in arrays:
        addresses.append(device.alloc(max(1, array.nbytes)))
        device.write(addresses[-1], array.tobytes())
    result = device.launch(device.load(artefact, name), addresses)
    assert not result.notes, result.notes
    return [
        np.frombuffer(device.read(at, array.nbytes), array.dtype).reshape(array.shape)
        for at, array in zip(addresses, arrays, strict=True)
    ]


def blank(*shape: int, dtype: str = "f32") -> Array:
    """An output that nobody wrote yet."""
    return np.full(shape, np.nan).astype(DTYPES[dtype])


def product(a: Array, b: Array) -> Array:
    """a @ b in float64."""
    exact: Array = a.astype(np.float64) @ b.astype(np.float64)
    return exact
