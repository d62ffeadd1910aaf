"""A GEMM of any size on a device, checked on a few rows: all of it would take the host too long."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .artefact import Kernel
from .device import Device
from .dtypes import ELEMENT_TYPES, Array
from .errors import RuntimeFault

_ROWS = 6


class SampledProblem:
    """Operands of ``kernel`` on ``device``: small integers for the check, then normal data.

    Integer products are exact in f32, so that rows of C agree bit for bit with the host's.
    ``addresses`` are those of A, B and C, which is all that kernels of one contract take. Raises
    RuntimeFault if the kernel is no plain GEMM of dense operands.
    """

    def __init__(self, device: Device, kernel: Kernel) -> None:
        contract = kernel.contract
        if contract is None or len(kernel.args) != 3 or contract.accumulate:
            raise RuntimeFault(f"kernel {kernel.name} is no plain GEMM: it cannot be tuned")
        if any(arg.strides != (arg.shape[1], 1) for arg in kernel.args):
            raise RuntimeFault(f"kernel {kernel.name} has operands with gaps: it cannot be tuned")
        self._device, self._args, self._contract = device, kernel.args, contract
        random = np.random.default_rng(0)
        shapes = [arg.shape for arg in kernel.args]
        self._normal = [self._bits(i, random.standard_normal(shapes[i], "f4")) for i in (0, 1)]
        whole = [random.integers(-2, 3, size=shapes[i]).astype("f4") for i in (0, 1)]
        self._whole = [self._bits(i, values) for i, values in enumerate(whole)]
        chosen = random.choice(contract.m, size=min(_ROWS, contract.m), replace=False)
        self._rows = np.unique(np.append(chosen, [0, contract.m - 1]))
        self._wanted = self._product(*whole)
        self.addresses = [device.alloc(self._bytes(i)) for i in range(3)]

    def check(self, run: Callable[[], float]) -> str:
        """Run once on integers; what is wrong with C's sampled rows, or "". Normal data follow."""
        self._write(self._whole)
        self._device.write(self.addresses[2], b"\xff" * self._bytes(2))
        run()
        raw = self._device.read(self.addresses[2], self._bytes(2))
        kind, shape = ELEMENT_TYPES[self._args[2].dtype], self._args[2].shape
        found = np.frombuffer(raw, dtype=kind.bits).reshape(shape)[self._rows]
        wrong = int((found != self._wanted).any(axis=-1).sum())
        self._write(self._normal)
        return f"wrong in {wrong} of {len(self._rows)} sampled rows" if wrong else ""

    def release(self) -> None:
        """Free the operands."""
        for address in self.addresses:
            self._device.free(address)

    def _product(self, a: Array, b: Array) -> Array:
        """Bits of the sampled rows of C."""
        rows = a[self._rows] if self._contract.a_order == "mk" else a.T[self._rows]
        right = b if self._contract.b_order == "kn" else b.T
        return self._bits(2, rows @ right)

    def _bits(self, index: int, values: Array) -> Array:
        return ELEMENT_TYPES[self._args[index].dtype].to_bits(values)

    def _write(self, operands: list[Array]) -> None:
        for address, bits in zip(self.addresses, operands, strict=False):
            self._device.write(address, bits.tobytes())

    def _bytes(self, index: int) -> int:
        arg = self._args[index]
        return int(np.prod(arg.shape)) * ELEMENT_TYPES[arg.dtype].size
