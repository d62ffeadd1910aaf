"""Launch state: where the command processor puts arguments, ids and masks before code runs."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .asm import KernelAsm
from .errors import SimError
from .findings import Findings
from .memory import GlobalMemory
from .pending import Options
from .state import ALL, EXEC, LANES, NULL, Array, Machine

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
MAX_WAVES = 1024
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


def chunks(
    kernel: KernelAsm, grid: Dim3, block: Dim3, options: Options, dynamic_lds: int = 0
) -> Iterator[Array]:
    """Ids [n, 3] of workgroups to run together, so that registers and LDS stay bounded.

    Clusters are never cut; the order is by cluster id, x fastest, and shuffled in mode random.
    """
    waves = waves_of(block)
    vgprs = kernel.directives.get("next_free_vgpr", 256)
    lds = kernel.directives.get("group_segment_fixed_size", 0) + dynamic_lds
    # With the shadow: a byte for each lane's register, 25 bytes for each dword of LDS.
    weight = (5, 29) if options.check else (4, 4)
    bytes_each = waves * vgprs * LANES * weight[0] + lds * weight[1] // 4
    order = workgroups(grid, kernel.cluster)
    size = order.shape[1]
    step = max(1, min(MAX_WAVES // waves, MAX_STATE_BYTES // max(1, bytes_each)) // size)
    if options.mode == "random":
        order = order[np.random.default_rng(options.seed).permutation(len(order))]
    for first in range(0, len(order), step):
        yield order[first : first + step].reshape(-1, 3)


def workgroups(grid: Dim3, cluster: Dim3) -> Array:
    """Ids of all workgroups, [clusters, members, 3]; x is the fastest in both."""
    counts = [n // c for n, c in zip(grid, cluster, strict=True)]
    outer = _ids(counts)[:, None, :] * np.array(cluster)
    return np.asarray(outer + _ids(cluster)[None, :, :])


def _ids(counts: Sequence[int]) -> Array:
    z, y, x = np.meshgrid(*(np.arange(n) for n in reversed(counts)), indexing="ij")
    return np.stack([x.reshape(-1), y.reshape(-1), z.reshape(-1)], axis=1)


def waves_of(block: Dim3) -> int:
    """Waves of a workgroup of `block` work-items."""
    return -(-(block[0] * block[1] * block[2]) // LANES)


@dataclass(frozen=True)
class Shape:
    """Launch shape: workgroups, work-items of each, dynamic LDS in bytes."""

    grid: Dim3
    block: Dim3
    dynamic_lds: int = 0


def prepare(
    kernel: KernelAsm,
    memory: GlobalMemory,
    kernarg: int,
    ids: Array,
    shape: Shape,
    options: Options,
    findings: Findings,
) -> Machine:
    """A machine whose waves, of workgroups `ids` [n, 3], stand at the first instruction."""
    waves = waves_of(shape.block)
    machine = Machine(
        len(ids) * waves,
        waves,
        kernel.directives.get("next_free_vgpr", 256) + 8,
        kernel.directives.get("group_segment_fixed_size", 0) + shape.dynamic_lds,
        kernel.directives.get("private_segment_fixed_size", 0),
        memory,
        kernel,
        options,
        findings,
    )
    machine.ids = ids
    machine.cluster_size = kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2]
    machine.barriers.form_clusters(machine.cluster_size)
    known = _user_sgprs(machine, kernel, memory, kernarg)
    _identity(machine, ids, kernel.cluster, waves)
    _work_items(machine, shape.block, waves)
    if options.check:
        machine.validity.know_v(0)
        for reg, count in (*known, (TTMP6, 4), (NULL, 1), (EXEC, 2)):
            machine.validity.know_s(reg, count)
    return machine


def _user_sgprs(
    machine: Machine, kernel: KernelAsm, memory: GlobalMemory, kernarg: int
) -> list[tuple[int, int]]:
    """Place what the descriptor asks for; returns (first SGPR, count) of what was placed."""
    place, known = 0, []
    for name, count in USER_SGPRS:
        if not kernel.directives.get(name, 0):
            continue
        if name == "user_sgpr_kernarg_segment_ptr":
            machine.s[place] = kernarg & ALL
            machine.s[place + 1] = kernarg >> 32
            known.append((place, 2))
        place += count
    length = kernel.directives.get("user_sgpr_kernarg_preload_length", 0)
    start = kernel.directives.get("user_sgpr_kernarg_preload_offset", 0)
    if length:
        where = memory.span(kernarg + 4 * start, 4 * length)
        words = memory.bytes.raw[where].copy().view(np.uint32)
        machine.s[place : place + length] = words[:, None]
        known.append((place, length))
    return known


def _identity(machine: Machine, ids: Array, cluster: Dim3, waves: int) -> None:
    """Who a wave is (CDNA5 ISA, trap temporaries; LLVM lowers workgroup ids to these).

    Cluster id, or workgroup id without clusters: x in TTMP9, y and z in TTMP7. Within the cluster:
    id in TTMP6 11:0, dims - 1 in 23:12, workgroups - 1 in 27:24; flat id in IB_STS2 24:21, and a
    physical cluster number that is not 0 in 9:6. Wave id in TTMP8 29:25.
    """
    dims = np.array(cluster)
    outer, inner = ids // dims, ids % dims
    size = int(dims.prod())
    flat = inner[:, 0] + dims[0] * (inner[:, 1] + dims[1] * inner[:, 2])
    inside = np.zeros(len(ids), dtype=np.int64)
    status = inside.copy()
    if size > 1:
        inside = inner[:, 0] | (inner[:, 1] << 4) | (inner[:, 2] << 8)
        inside |= int((dims[0] - 1) << 12 | (dims[1] - 1) << 16 | (dims[2] - 1) << 20)
        inside |= (size - 1) << 24
        status = (flat << 21) | (1 << 6)
    wave = np.tile(np.arange(waves, dtype=np.int64), len(ids))
    machine.s[TTMP6] = np.repeat(inside, waves)
    machine.s[TTMP7] = np.repeat(outer[:, 1] | (outer[:, 2] << 16), waves)
    machine.s[TTMP8] = wave << 25
    machine.s[TTMP9] = np.repeat(outer[:, 0], waves)
    machine.ib_sts2[:] = np.repeat(status, waves)


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
