"""Vector memory: global, flat, scratch and LDS loads and stores.

Widths: b8..b128, signed and unsigned bytes and halves, d16 forms that keep the other half of the
register. Addresses: facts in LLVM (FLAT_Global pseudos, hasSignedGVSOffset) and rocjitsu.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from .asm import KernelAsm, Line
from .memops import LdsLoad, LdsStore, Load, lane_words
from .memory import ByteArray, MemoryAccessError
from .operands import Operand, Reader, check_bank, parse_operand, reader
from .pending import Op
from .state import LANES, Array, Group
from .table import Access, Handler

_NAME = re.compile(
    r"(global|flat|scratch|ds)_(load|store)_(?:d16_(?:hi_)?)?(?:[bui](8|16|32|64|96|128)"
    r"|tr16_b(128))(?:_d16(?:_hi)?)?"
)
CACHE = frozenset({"th", "scope", "nv"})
Locate = Callable[[Group, Array], tuple[ByteArray, Array]]


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
    offset = int(line.modifiers.get("offset", "0"), 0)
    if access.space == "ds":
        address = lds_address(operands, offset, line, kernel)
    else:
        address = flat_address(access.size, operands, offset, line, kernel)
    line.uses.require()
    check_bank(data, 1 if access.store else 3, line)
    _check_modifiers(line, access)
    locate = locator(access.space, access.size)
    if data.count != access.registers:
        raise line.fail(f"expected {access.registers} data registers")
    if access.store:
        return _store(access, data, address, locate, line)
    return _load(access, data, address, locate, line)


def _check_modifiers(line: Line, access: Access) -> None:
    known = {"offset"} if access.space == "ds" else {"offset", "scale_offset", *CACHE}
    for name in line.modifiers:
        if name not in known:
            raise line.fail(f"unknown modifier {name}")


def lds_address(operands: list[str], offset: int, line: Line, kernel: KernelAsm) -> Reader:
    """An LDS byte address in a VGPR, plus the offset."""
    if len(operands) != 1:
        raise line.fail("expected an address and data")
    operand = parse_operand(operands[0], line, kernel)
    check_bank(operand, 0, line)
    base = reader(operand, "u32", line)
    return lambda g: base(g).astype(np.int64) + offset


def flat_address(
    size: int, operands: list[str], offset: int, line: Line, kernel: KernelAsm
) -> Reader:
    """vaddr and saddr of a global, flat or scratch access.

    With an SGPR base the VGPR is a *signed* 32-bit offset on gfx1250 (LLVM hasSignedGVSOffset),
    times the access size under scale_offset.
    """
    if len(operands) not in (1, 2):
        raise line.fail("expected an address of one or two operands and data")
    vector, scalar = [*operands, "off"][:2]
    scale = size if "scale_offset" in line.modifiers else 1
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


def locator(space: str, size: int) -> Locate:
    """How accesses of `size` bytes to a space find storage and offsets."""

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

    return {"ds": lds, "scratch": private}.get(space, everywhere)


def resolve(g: Group, address: Reader, locate: Locate, line: Line) -> tuple[ByteArray, Array]:
    """Storage and offsets [active lanes] of an access; a fault names line, wave and lane."""
    addresses = np.broadcast_to(address(g), (g.n, LANES))
    flat = addresses.reshape(-1) if g.full else addresses[g.mask]
    if not len(flat):
        return g.m.memory.bytes, flat
    try:
        return locate(g, flat)
    except MemoryAccessError as fault:
        wave = int(g.index[np.nonzero(g.mask)[0][fault.index]])
        lane = int(np.nonzero(g.mask)[1][fault.index])
        raise report_fault(g, line, fault, wave, lane) from None


def report_fault(
    g: Group, line: Line, fault: MemoryAccessError, wave: int, lane: int | None
) -> Exception:
    """Record an access that cannot be made; returns the error that ends the launch."""
    kind = "misaligned" if "aligned" in fault.reason else "out-of-bounds"
    g.m.findings.add(kind, line, fault.reason, g.m, wave, lane=lane, address=fault.address)
    where = g.m.describe(wave) + (f" lane {lane}" if lane is not None else "")
    return line.fail(f"{fault.reason}, address {fault.address:#x}, {where}")


def _load(access: Access, data: Operand, address: Reader, locate: Locate, line: Line) -> Handler:
    counter = "dscnt" if access.space == "ds" else "loadcnt"
    line.uses.counter = counter
    registers = range(data.reg, data.reg + access.registers)

    def from_lds(g: Group) -> None:
        if access.transpose and not g.full:
            raise line.fail("a transposed load with inactive lanes is undefined")
        _, offsets = resolve(g, address, locate, line)
        if len(offsets):
            g.m.pending.issue(LdsLoad(g, line, access, registers, [offsets]))

    def from_memory(g: Group) -> None:
        storage, offsets = resolve(g, address, locate, line)
        if not len(offsets):
            return
        words = storage.gather(offsets, access.size)
        g.m.pending.issue(Load(g, line, access, registers, words))
        if access.space == "flat":
            g.m.pending.issue(Op(g, line, "dscnt"))

    return from_lds if access.space == "ds" else from_memory


def _store(access: Access, data: Operand, address: Reader, locate: Locate, line: Line) -> Handler:
    """Global and scratch stores act at once: no other wave's view of them is modelled."""
    high = access.half == "h" or data.half == "h"
    if access.space in ("global", "flat"):
        line.uses.require()
    registers = range(data.reg, data.reg + access.registers)

    def handler(g: Group) -> None:
        storage, offsets = resolve(g, address, locate, line)
        if not len(offsets):
            return
        words = lane_words(g, registers)
        words = words >> np.uint32(16) if high else words
        if access.space == "ds":
            g.m.pending.issue(LdsStore(g, line, access, registers, [(offsets, words)]))
        else:
            storage.scatter(offsets, access.size, words)

    return handler
