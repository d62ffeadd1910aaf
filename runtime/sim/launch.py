"""Launch state: where the command processor puts arguments, ids and masks before code runs."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

import numpy as np

from .asm import KernelAsm
from .errors import SimError
from .memory import GlobalMemory
from .state import ALL, EXEC, LANES, Machine

Dim3 = tuple[int, int, int]
# (directive, SGPRs) in hardware order (LLVM AMDGPUUsage, initial kernel register state).
USER_SGPRS = (
    ("user_sgpr_dispatch_ptr", 2),
    ("user_sgpr_queue_ptr", 2),
    ("user_sgpr_kernarg_segment_ptr", 2),
    ("user_sgpr_dispatch_id", 2),
    ("user_sgpr_private_segment_size", 1),
)
TTMP6, TTMP7, TTMP8, TTMP9 = 114, 115, 116, 117
MAX_WAVES = 2048
MAX_STATE_BYTES = 384 << 20


def kernarg_bytes(kernel: KernelAsm, pointers: Sequence[int], grid: Dim3, block: Dim3) -> bytes:
    """The kernarg segment: explicit 64-bit pointers in order, then what hidden args ask for."""
    size = kernel.directives.get("kernarg_size", 0)
    data = bytearray(size)
    rest = list(pointers)
    explicit = [arg for arg in kernel.args if not arg.kind.startswith("hidden_")]
    if len(explicit) != len(rest):
        raise SimError(f"kernel {kernel.name} takes {len(explicit)} arguments, got {len(rest)}")
    hidden = {}
    for axis, name in enumerate("xyz"):
        hidden[f"hidden_block_count_{name}"] = grid[axis]
        hidden[f"hidden_group_size_{name}"] = block[axis]
    for arg in kernel.args:
        value = hidden.get(arg.kind, 0)
        if not arg.kind.startswith("hidden_"):
            value = rest.pop(0)
        raw = struct.pack("<q" if value < 0 else "<Q", value)[: arg.size]
        data[arg.offset : arg.offset + len(raw)] = raw
    return bytes(data)


def chunks(kernel: KernelAsm, grid: Dim3, block: Dim3) -> Iterator[tuple[int, int]]:
    """Workgroups [first, last) to run together, so that registers and LDS stay bounded."""
    waves = waves_of(block)
    vgprs = kernel.directives.get("next_free_vgpr", 256)
    lds = kernel.directives.get("group_segment_fixed_size", 0)
    bytes_each = waves * vgprs * LANES * 4 + lds
    step = max(1, min(MAX_WAVES // waves, MAX_STATE_BYTES // max(1, bytes_each)))
    total = grid[0] * grid[1] * grid[2]
    for first in range(0, total, step):
        yield first, min(total, first + step)


def waves_of(block: Dim3) -> int:
    """Waves of a workgroup of `block` work-items."""
    return -(-(block[0] * block[1] * block[2]) // LANES)


def prepare(
    kernel: KernelAsm,
    memory: GlobalMemory,
    kernarg: int,
    span: tuple[int, int],
    grid: Dim3,
    block: Dim3,
    dynamic_lds: int,
) -> Machine:
    """A machine whose waves stand at the kernel's first instruction."""
    waves = waves_of(block)
    groups = span[1] - span[0]
    lds = kernel.directives.get("group_segment_fixed_size", 0) + dynamic_lds
    machine = Machine(
        groups * waves,
        waves,
        kernel.directives.get("next_free_vgpr", 256) + 8,
        lds,
        kernel.directives.get("private_segment_fixed_size", 0),
        memory,
    )
    machine.first_workgroup = span[0]
    machine.grid = grid
    _user_sgprs(machine, kernel, memory, kernarg)
    _identity(machine, span, grid, waves)
    _work_items(machine, block, waves)
    return machine


def _user_sgprs(machine: Machine, kernel: KernelAsm, memory: GlobalMemory, kernarg: int) -> None:
    place = 0
    for name, count in USER_SGPRS:
        if not kernel.directives.get(name, 0):
            continue
        if name == "user_sgpr_kernarg_segment_ptr":
            machine.s[place] = kernarg & ALL
            machine.s[place + 1] = kernarg >> 32
        place += count
    length = kernel.directives.get("user_sgpr_kernarg_preload_length", 0)
    start = kernel.directives.get("user_sgpr_kernarg_preload_offset", 0)
    if length:
        where = memory.span(kernarg + 4 * start, 4 * length)
        words = memory.bytes.raw[where].copy().view(np.uint32)
        machine.s[place : place + length] = words[:, None]


def _identity(machine: Machine, span: tuple[int, int], grid: Dim3, waves: int) -> None:
    """Workgroup ids in TTMP9 (x) and TTMP7 (y, z), wave id in TTMP8 29:25 (rocm-systems)."""
    flat = np.repeat(np.arange(span[0], span[1], dtype=np.int64), waves)
    wave = np.tile(np.arange(waves, dtype=np.int64), span[1] - span[0])
    x, y, z = flat % grid[0], flat // grid[0] % grid[1], flat // (grid[0] * grid[1])
    machine.s[TTMP6] = 0
    machine.s[TTMP7] = y | (z << 16)
    machine.s[TTMP8] = wave << 25
    machine.s[TTMP9] = x


def _work_items(machine: Machine, block: Dim3, waves: int) -> None:
    """Packed work-item ids in v0, x | y << 10 | z << 20, and EXEC for a partial last wave."""
    items = np.arange(waves * LANES, dtype=np.int64)
    x, y, z = items % block[0], items // block[0] % block[1], items // (block[0] * block[1])
    packed = (x | (y << 10) | (z << 20)).astype(np.uint32).reshape(waves, LANES)
    live = (items < block[0] * block[1] * block[2]).reshape(waves, LANES)
    groups = machine.waves // waves
    machine.v[0] = np.tile(packed, (groups, 1))
    weights = (1 << np.arange(LANES, dtype=np.int64))[None, :]
    machine.s[EXEC] = np.tile((live * weights).sum(axis=1), groups)
    machine.s[EXEC + 1] = 0
