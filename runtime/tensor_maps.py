"""Tensor maps for NVIDIA's copy engine, encoded by the driver (cuTensorMapEncodeTiled)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .artefact import ELEMENT_BYTES, Kernel, TensorMap

_TYPES = {"bf16": "BFLOAT16", "f16": "FLOAT16", "f32": "FLOAT32"}
_SWIZZLES = {0: "NONE", 32: "32B", 64: "64B", 128: "128B"}


def encode(
    driver: Any, call: Callable[..., Any], kernel: Kernel, tensor_map: TensorMap, address: int
) -> Any:
    """The CUtensorMap of an argument that starts at `address`. Raises what `call` raises.

    Innermost extent first, as the driver counts. Elements outside read as zero; L2 fetches whole
    lines of 128 bytes, because a box's rows are read entirely.
    """
    arg = kernel.args[tensor_map.arg]
    rows, cols = arg.shape
    pitch = arg.strides[0] * ELEMENT_BYTES[arg.dtype]

    def name(kind: str, value: str) -> Any:
        return getattr(getattr(driver, f"CUtensorMap{kind}"), f"CU_TENSOR_MAP_{value}")

    wide, narrow = driver.cuuint64_t, driver.cuuint32_t
    return call(
        "cuTensorMapEncodeTiled",
        name("DataType", f"DATA_TYPE_{_TYPES[arg.dtype]}"),
        2,
        address,
        [wide(cols), wide(rows)],
        [wide(pitch)],
        [narrow(tensor_map.box[1]), narrow(tensor_map.box[0])],
        [narrow(1), narrow(1)],
        name("Interleave", "INTERLEAVE_NONE"),
        name("Swizzle", f"SWIZZLE_{_SWIZZLES[tensor_map.swizzle]}"),
        name("L2promotion", "L2_PROMOTION_L2_128B"),
        name("FloatOOBfill", "FLOAT_OOB_FILL_NONE"),
    )
