"""A device in numpy that computes contracts rightly, or with one named fault."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gemm_ladder.runtime.artefact import Arg, Artefact, Contract, Kernel
from gemm_ladder.runtime.device import DeviceProperties, LaunchResult
from gemm_ladder.runtime.dtypes import ELEMENT_TYPES

_BASE = 1 << 32


def kernel(m, n, k, a="mk", b="kn", in_type="bf16", out="f32", accumulate=False, pad=0, **more):
    """A kernel's description with packed rows, or `pad` elements between them."""
    extent = {"m": m, "n": n, "k": k}

    def arg(name, order, dtype, access):
        shape = tuple(extent[letter] for letter in order)
        return Arg(name, dtype, shape, (shape[1] + pad, 1), access)

    args = (
        arg("A", a, in_type, "read"),
        arg("B", b, in_type, "read"),
        arg("C", "mn", out, "readwrite" if accumulate else "write"),
    )
    settings = {"grid": (-(-m // 64), -(-n // 64), 1), "block": (128, 1, 1), "tile": (64, 64)}
    contract = Contract(m, n, k, a, b, accumulate)
    return Kernel("mm", args, contract=contract, **{**settings, **more})


def artefact(*kernels, target="sm_90a", form="cubin"):
    return Artefact(target, form, b"code", "code", tuple(kernels), "level1", {"llvm": "22"})


class FakeDevice:
    """Implements Device; `fault` names what goes wrong in a launch."""

    kind = "fake"

    def __init__(self, fault: str = "", arch: str = "sm_90", max_cluster: int = 8) -> None:
        self.fault, self.arch, self.max_cluster = fault, arch, max_cluster
        self.heap = bytearray()
        self.freed: set[int] = set()
        self.kernels: list[Kernel] = []
        self.launches = 0
        self.loaded: set[int] = set()

    def properties(self) -> DeviceProperties:
        return DeviceProperties("fake", self.arch, 32, 227 << 10, max_cluster=self.max_cluster)

    def alloc(self, nbytes: int) -> int:
        address = _BASE + len(self.heap)
        self.heap += bytes(-(-nbytes // 256) * 256)
        return address

    def free(self, addr: int) -> None:
        assert addr not in self.freed
        self.freed.add(addr)

    def write(self, addr: int, data: bytes) -> None:
        self.heap[addr - _BASE : addr - _BASE + len(data)] = data

    def read(self, addr: int, nbytes: int) -> bytes:
        return bytes(self.heap[addr - _BASE : addr - _BASE + nbytes])

    def load(self, artefact: Artefact, kernel_name: str) -> int:
        self.kernels.append(artefact.kernel(kernel_name))
        self.loaded.add(len(self.kernels) - 1)
        return len(self.kernels) - 1

    def unload(self, handle: int) -> None:
        self.loaded.remove(handle)

    def launch(self, handle: int, args: Sequence[int]) -> LaunchResult:
        assert handle in self.loaded
        self.launches += 1
        entry = self.kernels[handle]
        contract = entry.contract
        a, b, c = (self.view(address, arg) for address, arg in zip(args, entry.args, strict=True))
        wide_a = (a if contract.a_order == "mk" else a.T).astype(np.float32)
        wide_b = (b if contract.b_order == "kn" else b.T).astype(np.float32)
        total = self.sum(wide_a, wide_b)
        if contract.accumulate and self.fault != "drops C":
            total = total + c.astype(np.float32)
        self.store(entry, args[2], c, total)
        notes = {"finding": ("race on LDS",), "info": ("info: 12 instructions",)}
        return LaunchResult(1e-6 * self.launches, notes.get(self.fault, ()))

    def view(self, address: int, arg: Arg) -> np.ndarray:
        element = ELEMENT_TYPES[arg.dtype].numpy
        strides = tuple(stride * element.itemsize for stride in arg.strides)
        return np.ndarray(arg.shape, element, self.heap, address - _BASE, strides)

    def sum(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if self.fault == "bf16 accumulation":
            step = ELEMENT_TYPES["bf16"].numpy
            total = np.zeros((a.shape[0], b.shape[1]), step)
            for k in range(a.shape[1]):
                total = (total.astype(np.float32) + np.outer(a[:, k], b[k])).astype(step)
            return total.astype(np.float32)
        if self.fault == "tf32 in A":
            a = as_tf32(a)
        if self.fault == "tf32 in B":
            b = as_tf32(b)
        if self.fault == "drops the K remainder":
            whole = a.shape[1] // 32 * 32
            a, b = a[:, :whole], b[:whole]
        return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)

    def store(self, entry: Kernel, address: int, c: np.ndarray, total: np.ndarray) -> None:
        out = ELEMENT_TYPES[entry.args[2].dtype]
        row = entry.args[2].strides[0] * out.size
        start = address - _BASE
        if self.fault == "truncates":
            total = (total.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        if self.fault == "wrong element":
            total[1, 2] += 1
        if self.fault == "leaks NaN":
            total[0, 0] += np.frombuffer(self.heap, entry_type(entry, 0), 1, self.past(entry))[0]
        if self.fault == "not repeatable" and self.launches % 2 == 0:
            total[0, 0] = np.nextafter(total[0, 0], np.float32(np.inf))
        if self.fault == "skips an element":
            keep = c[1, 1].copy()
            c[...] = total
            c[1, 1] = keep
            return
        c[...] = total
        if self.fault == "writes before":
            self.heap[start - out.size] ^= 1
        if self.fault == "writes behind":
            self.heap[start + row * (c.shape[0] - 1) + c.shape[1] * out.size] ^= 1
        if self.fault == "writes between rows":
            self.heap[start + c.shape[1] * out.size] ^= 1
        if self.fault == "writes to A":
            self.heap[self.past(entry) - 1] ^= 1

    def past(self, entry: Kernel) -> int:
        """Heap offset of the first byte behind A, whose arena is the first."""
        arg = entry.args[0]
        size = ELEMENT_TYPES[arg.dtype].size
        raw = np.frombuffer(self.heap, ELEMENT_TYPES[arg.dtype].bits)
        first = int(np.flatnonzero(raw != ELEMENT_TYPES[arg.dtype].guard)[0])
        return (first + (arg.shape[0] - 1) * arg.strides[0] + arg.shape[1]) * size


def as_tf32(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values).view(np.uint32)
    return (bits & np.uint32(0xFFFFE000)).view(np.float32)


def entry_type(entry: Kernel, index: int) -> np.dtype:
    return ELEMENT_TYPES[entry.args[index].dtype].numpy
