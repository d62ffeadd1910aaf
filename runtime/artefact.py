"""The compiled result: binary, assembly and what describes them, in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from .errors import ArtefactError

SCHEMA = 1
# format -> suffix of the assembly text beside it
FORMATS = {"hsaco": ".s", "cubin": ".ptx", "ptx": ".ptx", "tile": ".tile.mlir"}
ELEMENT_BYTES = {"bf16": 2, "f16": 2, "f32": 4}
DTYPES = tuple(ELEMENT_BYTES)
Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Arg:
    """One kernel argument: a 64-bit global pointer to a strided array.

    `shape` and `strides` count elements; `access` is read, write or readwrite; `align` is how many
    bytes the kernel relies on for the base address.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    access: str
    align: int = 16

    def __post_init__(self) -> None:
        _require(self.dtype in DTYPES, f"argument {self.name}: dtype '{self.dtype}' is not known")
        _require(
            self.access in ("read", "write", "readwrite"),
            f"argument {self.name}: access '{self.access}' is not read, write or readwrite",
        )
        _require(
            len(self.shape) == len(self.strides),
            f"argument {self.name}: {len(self.shape)} extents but {len(self.strides)} strides",
        )
        _require(min((*self.shape, *self.strides), default=0) >= 0, f"{self.name}: negative extent")
        power = self.align > 0 and self.align & (self.align - 1) == 0
        _require(power, f"argument {self.name}: alignment {self.align} is no power of two")


@dataclass(frozen=True)
class Contract:
    """What the kernel promises: C[m,n] (+)= sum over k of A*B. (A, B, C are arguments 0, 1, 2.)

    `a_order` is "mk" or "km", `b_order` "kn" or "nk"; C is m x n; accumulation is in f32.
    """

    m: int
    n: int
    k: int
    a_order: str
    b_order: str
    accumulate: bool

    def __post_init__(self) -> None:
        _require(self.a_order in ("mk", "km"), f"contract: a_order '{self.a_order}'")
        _require(self.b_order in ("kn", "nk"), f"contract: b_order '{self.b_order}'")
        _require(min(self.m, self.n, self.k) >= 0, "contract: negative extent")


@dataclass(frozen=True)
class TensorMap:
    """A kernel parameter behind the pointers: how a copy engine (TMA) sees argument number `arg`.

    One transfer moves `box` = (rows, cols) elements, rows 128 bytes apart in LDS if `swizzle` is
    128, and so on; elements outside the argument read as zero and are not written. `swizzle` is 0,
    32, 64 or 128 bytes. Limits: CUDA driver API, cuTensorMapEncodeTiled.
    """

    arg: int
    box: tuple[int, int]
    swizzle: int = 0

    def check(self, where: str, args: tuple[Arg, ...]) -> None:
        """ArtefactError unless the engine can be told of this argument of `args`."""
        _require(0 <= self.arg < len(args), f"{where}: tensor map of argument {self.arg}")
        arg = args[self.arg]
        label = f"{where}: tensor map of argument {arg.name}"
        size = ELEMENT_BYTES[arg.dtype]
        _require(len(arg.shape) == 2 and min(arg.shape) > 0, f"{label}: shape {arg.shape}")
        pitch = arg.strides[0] * size
        sound = arg.strides[1] == 1 and pitch % 16 == 0 and 0 < pitch < 2**40 and arg.align >= 16
        _require(sound, f"{label}: rows of {pitch} bytes, base aligned to {arg.align}")
        _require(all(1 <= n <= 256 for n in self.box), f"{label}: box {self.box}")
        _require(self.swizzle in (0, 32, 64, 128), f"{label}: swizzle {self.swizzle}")
        row = self.box[1] * size
        fits = row % 16 == 0 and (not self.swizzle or row <= self.swizzle)
        _require(fits, f"{label}: box rows of {row} bytes, swizzle {self.swizzle}")


@dataclass(frozen=True)
class Kernel:
    """One entry point with what a launch needs and what the code generator reported.

    grid counts workgroups, block threads, cluster workgroups. Sizes in bytes; None: not known.
    `tile` is the workgroup's (m, n) part of C, used only to say where an error lies. `tensor_maps`
    are further parameters, behind `args`, that the device makes from the arguments at launch.
    """

    name: str
    args: tuple[Arg, ...]
    grid: Dim3
    block: Dim3
    cluster: Dim3 = (1, 1, 1)
    lds_bytes: int = 0
    dynamic_lds_bytes: int = 0
    vgprs: int | None = None
    sgprs: int | None = None
    spills: int | None = None
    scratch_bytes: int | None = None
    occupancy: float | None = None
    contract: Contract | None = None
    k_loop: Mapping[str, object] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    tile: tuple[int, int] | None = None
    tensor_maps: tuple[TensorMap, ...] = ()

    def __post_init__(self) -> None:
        where = f"kernel {self.name}"
        _require(min(self.grid) >= 0, f"{where}: grid {self.grid} is negative")
        _require(min(self.block) >= 1, f"{where}: block {self.block} is empty")
        _require(min(self.cluster) >= 1, f"{where}: cluster {self.cluster} is empty")
        for tensor_map in self.tensor_maps:
            tensor_map.check(where, self.args)
        if self.contract is not None:
            _require(len(self.args) >= 3, f"{where}: a contract needs arguments A, B and C")
            _check_contract(where, self.contract, self.args)


def _check_contract(where: str, contract: Contract, args: tuple[Arg, ...]) -> None:
    """Shapes of A, B, C must be those the contract names. Raises ArtefactError."""
    extent = {"m": contract.m, "n": contract.n, "k": contract.k}
    orders = (contract.a_order, contract.b_order, "mn")
    for arg, order in zip(args, orders, strict=False):
        expected = tuple(extent[letter] for letter in order)
        _require(
            arg.shape == expected,
            f"{where}: argument {arg.name} has shape {arg.shape}, its contract says {expected}",
        )


@dataclass(frozen=True)
class Artefact:
    """A compiled module. `binary` is None when none was linked (the simulator reads `asm`).

    `asm` is the .s text for AMD, the .ptx text for NVIDIA; format "ptx" has no other code, and
    "tile" is a module of tile IR, which only the compiler's interpreter runs.
    `sha256` covers the bytes a device loads (`code`); it is computed when left empty.
    """

    target: str
    format: str
    binary: bytes | None
    asm: str | None
    kernels: tuple[Kernel, ...]
    pipeline: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    sha256: str = ""

    def __post_init__(self) -> None:
        known = ", ".join(FORMATS)
        _require(self.format in FORMATS, f"format '{self.format}' is not one of {known}")
        _require(self.binary is not None or self.asm is not None, "neither binary nor assembly")
        twice = self.format == "ptx" and self.binary is not None and self.asm is not None
        _require(
            not twice or self.binary == (self.asm or "").encode(), "two different texts for one ptx"
        )
        names = [kernel.name for kernel in self.kernels]
        _require(len(set(names)) == len(names), f"two kernels share a name: {', '.join(names)}")
        actual = hashlib.sha256(self.code).hexdigest()
        if not self.sha256:
            object.__setattr__(self, "sha256", actual)
        _require(
            self.sha256 == actual,
            f"the code's hash is {actual[:12]}..., the description says {self.sha256[:12]}...: "
            "the files are not from one compilation, or one was changed or truncated",
        )

    @property
    def code(self) -> bytes:
        """Bytes that a device loads: the binary, else the assembly text in UTF-8."""
        return self.binary if self.binary is not None else (self.asm or "").encode()

    def kernel(self, name: str) -> Kernel:
        """The kernel called `name`; ArtefactError lists the names there are."""
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        names = ", ".join(kernel.name for kernel in self.kernels) or "none"
        raise ArtefactError(f"no kernel '{name}' in the artefact; it has {names}")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ArtefactError(message)
