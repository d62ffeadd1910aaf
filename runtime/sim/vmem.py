"""Vector memory: global, flat, scratch and LDS loads and stores.

Widths: b8..b128, signed and unsigned bytes and halves, d16 forms that keep the other half of the
register. Addresses: facts in LLVM (FLAT_Global pseudos, hasSignedGVSOffset) and rocjitsu.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .asm import KernelAsm, Line
from .memory import ByteArray, MemoryAccessError
from .operands import Operand, Reader, check_bank, parse_operand, reader
from .state import LANES, Array, Group
from .table import Handler

_NAME = re.compile(
    r"(global|flat|scratch|ds)_(load|store)_(?:d16_(?:hi_)?)?(?:[bui](8|16|32|64|96|128)"
    r"|tr16_b(128))(?:_d16(?:_hi)?)?"
)
_CACHE = frozenset({"th", "scope", "nv"})
Locate = Callable[[Group, Array], tuple[ByteArray, Array]]


@dataclass(frozen=True)
class Access:
    """A decoded memory mnemonic: space, direction, bytes a lane, how a value meets a register."""

    space: str
    store: bool
    size: int
    signed: bool
    half: str
    transpose: bool


def decode(mnemonic: str) -> Access | None:
    """Access of a memory mnemonic, None when it is not one."""
    match = _NAME.fullmatch(mnemonic)
    if not match:
        return None
    half = ""
    if "d16" in mnemonic:
        half = "h" if "d16_hi" in mnemonic else "l"
    signed = bool(re.search(r"_i(8|16)", mnemonic))
    size = int(match[3] or match[4]) // 8
    return Access(match[1], match[2] == "store", size, signed, half, match[4] is not None)


def build(line: Line, kernel: KernelAsm) -> Handler | None:
    """Handler of a vector memory instruction, None when it is not one."""
    access = decode(line.mnemonic)
    if access is None:
        return None
    operands = list(line.operands)
    data_text = operands.pop(1 if access.store else 0)
    data = parse_operand(data_text, line, kernel)
    check_bank(data, 1 if access.store else 3, line)
    offset = int(line.modifiers.get("offset", "0"), 0)
    if access.space == "ds":
        address = _lds_address(operands, offset, line, kernel)
    else:
        address = _flat_address(access, operands, offset, line, kernel)
    _check_modifiers(line, access)
    locate = _locator(access)
    if access.store:
        return _store(access, data, address, locate, line)
    return _load(access, data, address, locate, line)


def _check_modifiers(line: Line, access: Access) -> None:
    known = {"offset"} if access.space == "ds" else {"offset", "scale_offset", *_CACHE}
    for name in line.modifiers:
        if name not in known:
            raise line.fail(f"unknown modifier {name}")


def _lds_address(operands: list[str], offset: int, line: Line, kernel: KernelAsm) -> Reader:
    if len(operands) != 1:
        raise line.fail("expected an address and data")
    operand = parse_operand(operands[0], line, kernel)
    check_bank(operand, 0, line)
    base = reader(operand, "u32", line)
    return lambda g: base(g).astype(np.int64) + offset


def _flat_address(
    access: Access, operands: list[str], offset: int, line: Line, kernel: KernelAsm
) -> Reader:
    """vaddr and saddr of a global, flat or scratch access.

    With an SGPR base the VGPR is a *signed* 32-bit offset on gfx1250 (LLVM hasSignedGVSOffset),
    times the access size under scale_offset.
    """
    vector, scalar = [*operands, "off"][:2]
    scale = access.size if "scale_offset" in line.modifiers else 1
    parts: list[Reader] = []
    if scalar != "off":
        base = parse_operand(scalar, line, kernel)
        kind = "u64" if base.count == 2 else "i32"
        parts.append(reader(base, kind, line))
    if vector != "off":
        operand = parse_operand(vector, line, kernel)
        check_bank(operand, 0, line)
        parts.append(_scaled(reader(operand, "u64" if operand.count == 2 else "i32", line), scale))

    def address(g: Group) -> Array:
        total = np.full((1, 1), offset, np.int64)
        for part in parts:
            value = part(g)
            total = total + (value.view(np.int64) if value.itemsize == 8 else value)
        return total

    return address


def _scaled(read: Reader, scale: int) -> Reader:
    if scale == 1:
        return read
    return lambda g: read(g).astype(np.int64) * scale


def _locator(access: Access) -> Locate:
    size = access.size

    def lds(g: Group, addresses: Array) -> tuple[ByteArray, Array]:
        groups = g.m.workgroup[g.sel]
        per_lane = np.repeat(groups, LANES) if g.full else groups[np.nonzero(g.mask)[0]]
        return g.m.lds.bytes, g.m.lds.locate(addresses, per_lane, size)

    def everywhere(g: Group, addresses: Array) -> tuple[ByteArray, Array]:
        return g.m.memory.bytes, g.m.memory.locate(addresses, size)

    def private(g: Group, addresses: Array) -> tuple[ByteArray, Array]:
        waves = np.repeat(g.index, LANES) if g.full else g.index[np.nonzero(g.mask)[0]]
        lanes = np.tile(np.arange(LANES), g.n) if g.full else np.nonzero(g.mask)[1]
        return g.m.scratch.bytes, g.m.scratch.locate(addresses, waves * LANES + lanes, size)

    return {"ds": lds, "scratch": private}.get(access.space, everywhere)


def resolve(g: Group, address: Reader, locate: Locate, line: Line) -> tuple[ByteArray, Array]:
    """Storage and offsets [active lanes] of an access; a fault names line, wave and lane."""
    addresses = np.broadcast_to(address(g), (g.n, LANES))
    flat = addresses.reshape(-1) if g.full else addresses[g.mask]
    if not len(flat):
        return g.m.memory.bytes, flat
    try:
        return locate(g, flat)
    except MemoryAccessError as fault:
        wave = np.nonzero(g.mask)[0][fault.index]
        lane = np.nonzero(g.mask)[1][fault.index]
        where = g.m.describe(int(g.index[wave]))
        raise line.fail(
            f"{fault.reason}, address {fault.address:#x}, {where} lane {lane}"
        ) from None


def _load(access: Access, data: Operand, address: Reader, locate: Locate, line: Line) -> Handler:
    expected = max(1, access.size // 4)
    if data.count != expected:
        raise line.fail(f"expected {expected} data registers")

    def handler(g: Group) -> None:
        storage, offsets = resolve(g, address, locate, line)
        if not len(offsets):
            return
        words = storage.gather(offsets, access.size)
        if access.transpose:
            words = _transpose16(words, g, line)
        write_loaded(g, data.reg, words, access)

    return handler


def write_loaded(g: Group, reg: int, words: Array, access: Access) -> None:
    """Put gathered dwords [active, k] into VGPRs reg.. of the active lanes."""
    for index in range(words.shape[1]):
        value = words[:, index]
        if access.signed:
            shift = np.int32(32 - 8 * access.size)
            value = ((value.view(np.int32) << shift) >> shift).view(np.uint32)
        if g.full:
            full = value.reshape(g.n, LANES)
        else:
            full = np.zeros((g.n, LANES), np.uint32)
            full[g.mask] = value
        if access.half:
            old = g.v[reg + index, g.sel]
            full = (
                (old & np.uint32(0xFFFF)) | (full << np.uint32(16))
                if access.half == "h"
                else (old & np.uint32(0xFFFF0000)) | (full & np.uint32(0xFFFF))
            )
        g.write_v(reg + index, full)


def _transpose16(words: Array, g: Group, line: Line) -> Array:
    """ds_load_tr16_b128: transpose 8 x 8 halves inside each group of 8 lanes.

    Lane 8i+j ends up with half j of lanes 8i..8i+7 (rocm-systems rocjitsu, ds_transpose.h).
    """
    if not g.full:
        raise line.fail("a transposed load with inactive lanes is undefined")
    halves = np.ascontiguousarray(words).view(np.uint16).reshape(g.n, 4, 8, 8)
    turned = np.ascontiguousarray(halves.transpose(0, 1, 3, 2))
    result: Array = turned.reshape(-1, 8).view(np.uint32)
    return result


def _store(access: Access, data: Operand, address: Reader, locate: Locate, line: Line) -> Handler:
    count = max(1, access.size // 4)
    if data.count != count:
        raise line.fail(f"expected {count} data registers")
    high = access.half == "h" or data.half == "h"

    def handler(g: Group) -> None:
        storage, offsets = resolve(g, address, locate, line)
        if not len(offsets):
            return
        words = np.stack([g.v[data.reg + i, g.sel] for i in range(count)], axis=-1)
        flat = words.reshape(-1, count) if g.full else words[g.mask]
        storage.scatter(offsets, access.size, flat >> np.uint32(16) if high else flat)

    return handler
