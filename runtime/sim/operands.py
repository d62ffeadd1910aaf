"""Operands: their text, and closures that read or write them for a group of waves.

A reader returns an array typed as the instruction wants it: [n, 32] for a VGPR, [n, 1] for an
SGPR and [1, 1] for a constant in vector instructions; [n] and [1] in scalar ones.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import numeric
from .asm import KernelAsm, Line
from .state import EXEC, M0, NULL, VCC, Array, Group, bits_to_lanes, lanes_to_bits

Reader = Callable[[Group], Array]
Writer = Callable[[Group, Array], None]

DTYPES: dict[str, Any] = {
    "u32": np.uint32, "i32": np.int32, "f32": np.float32,
    "u64": np.uint64, "i64": np.int64, "f64": np.float64,
    "u16": np.uint16, "i16": np.int16, "f16": np.float16, "bf16": np.float32,
}  # fmt: skip
WIDTH = {name: 16 if name == "bf16" else np.dtype(kind).itemsize * 8
         for name, kind in DTYPES.items()}  # fmt: skip
NAMED = {
    "vcc_lo": VCC, "vcc_hi": VCC + 1, "vcc": VCC, "null": NULL, "m0": M0,
    "exec_lo": EXEC, "exec_hi": EXEC + 1, "exec": EXEC,
}  # fmt: skip
_REGISTER = re.compile(
    r"(v|s|ttmp)(?:(\d+)|\[(\d+)(?::(\d+))?\])(\.[lh])?(?:/\*v(?:(\d+)|\[(\d+):(\d+)\])\*/)?"
)


@dataclass(frozen=True)
class Operand:
    """A parsed operand: kind "v" (VGPR), "s" (SGPR selector) or "lit" (constant)."""

    kind: str
    reg: int = 0
    count: int = 1
    half: str = ""
    neg: bool = False
    absolute: bool = False
    literal: str = ""
    low: int = 0


def parse_operand(text: str, line: Line, kernel: KernelAsm) -> Operand:
    """Parse one operand; raises SimError naming the line when it is not understood."""
    body = text.replace(" ", "")
    symbol = re.fullmatch(r"([\w.$]+)@abs32@lo", body)
    if symbol:
        if symbol[1] not in kernel.lds_symbols:
            raise line.fail(f"unknown symbol {symbol[1]}")
        return Operand("lit", literal=str(kernel.lds_symbols[symbol[1]]))
    literal = re.fullmatch(r"(?:lit|lit64)\((.*)\)", body)
    if literal or re.fullmatch(r"-?(\d[\w.+-]*|0x[0-9a-fA-F]+)", body):
        return Operand("lit", literal=literal[1] if literal else body)
    neg = body.startswith("-")
    body = body.removeprefix("-")
    absolute = body.startswith("|") and body.endswith("|")
    body = body.strip("|")
    if body in NAMED:
        count = 2 if body in ("vcc", "exec") else 1
        return Operand("s", NAMED[body], count, "", neg, absolute)
    match = _REGISTER.fullmatch(body)
    if not match:
        raise line.fail(f"operand {text!r} is not understood")
    low = int(match[2] or match[3])
    last = int(match[4]) if match[4] else low
    base = 108 if match[1] == "ttmp" else 0
    true = int(match[6] or match[7] or low)
    kind = "v" if match[1] == "v" else "s"
    half = (match[5] or "").removeprefix(".")
    return Operand(kind, base + true, last - low + 1, half, neg, absolute, low=low)


def check_bank(operand: Operand, slot: int, line: Line) -> None:
    """Refuse a VGPR whose number does not follow from its low bits and the bank mode; note its use.

    slot: 0, 1, 2 for sources, 3 for the destination: two bits each of the mode, low first
    (rocm-systems rocjitsu, vgpr_msb.h).
    """
    if operand.kind != "v":
        return
    registers = range(operand.reg, operand.reg + operand.count)
    (line.uses.v_write if slot == 3 else line.uses.v_read).update(registers)
    bank = (line.msb >> (2 * slot)) & 3
    if operand.reg != operand.low + 256 * bank:
        raise line.fail(
            f"names v{operand.reg}, but the bank mode {line.msb:#x} makes it "
            f"v{operand.low + 256 * bank}"
        )


def literal_bits(text: str, kind: str) -> int:
    """Bits of a constant as an operand of type `kind`.

    A decimal point makes it a number; otherwise it is an integer, sign extended, except that a
    32-bit constant of an f64 operand fills the high half (AMDGPU operand syntax).
    """
    width = WIDTH[kind]
    if "." in text or ("e" in text and "x" not in text):
        number = float(text)
        if kind == "bf16":
            return int(numeric.f32_to_bf16(np.array([number], np.float32))[0])
        code = {16: "<e", 32: "<f", 64: "<d"}[width]
        if kind[0] != "f" and width == 64:
            code = "<f"
        return int.from_bytes(struct.pack(code, number), "little")
    value = int(text, 0)
    if kind == "f64" and 64 < value < 2**32:
        value <<= 32
    return int(value & (2**width - 1))


def _constant(text: str, kind: str, vector: bool) -> Array:
    bits = literal_bits(text, kind)
    if kind == "bf16":
        flat = numeric.bf16_to_f32(np.array([bits], np.uint16))
    else:
        unsigned = {16: np.uint16, 32: np.uint32, 64: np.uint64}[WIDTH[kind]]
        flat = np.array([bits], unsigned).view(DTYPES[kind])
    return flat[:, None] if vector else flat


def reader(operand: Operand, kind: str, line: Line, vector: bool = True) -> Reader:
    """A closure that reads `operand` as `kind`, modifiers applied."""
    if kind == "mask":
        return mask_reader(operand, line)
    note(operand, kind, line.uses.v_read, line.uses.s_read)
    if operand.kind == "lit":
        value = _constant(operand.literal, kind, vector)
        return lambda g: value
    width = WIDTH[kind]
    if width == 64 and operand.count == 1 and not _is_null(operand):
        raise line.fail("a 64-bit operand needs two registers")
    if kind == "bf16":
        plain = _bf16_reader(operand, vector)
    else:
        plain = _typed(_raw_reader(operand, width, vector), kind)
    if not (operand.neg or operand.absolute):
        return plain
    if kind[0] not in "fb":
        raise line.fail("neg/abs on an integer operand")
    neg, absolute = operand.neg, operand.absolute

    def modified(g: Group) -> Array:
        value = plain(g)
        if absolute:
            value = np.abs(value)
        return np.negative(value) if neg else value

    return modified


def note(operand: Operand, kind: str, vector: set[int], scalar: set[int]) -> None:
    """Add the registers of an operand of type `kind` to one of the sets."""
    count = 2 if WIDTH.get(kind, 32) == 64 else 1
    registers = range(operand.reg, operand.reg + count)
    if operand.kind == "v":
        vector.update(registers)
    elif operand.kind == "s" and operand.reg not in (NULL, EXEC):
        scalar.update(registers)


def _is_null(operand: Operand) -> bool:
    return operand.kind == "s" and operand.reg == NULL


def _raw_reader(operand: Operand, width: int, vector: bool) -> Reader:
    reg = operand.reg
    if operand.kind == "v":
        dword: Reader = lambda g: g.v[reg, g.sel]  # noqa: E731
        high: Reader = lambda g: g.v[reg + 1, g.sel]  # noqa: E731
    elif vector:
        dword = lambda g: g.s[reg, g.sel][:, None]  # noqa: E731
        high = lambda g: g.s[reg + 1, g.sel][:, None]  # noqa: E731
    else:
        dword = lambda g: g.s[reg, g.sel]  # noqa: E731
        high = lambda g: g.s[reg + 1, g.sel]  # noqa: E731
    if width == 64:
        if _is_null(operand):
            return lambda g: dword(g).astype(np.uint64)
        return lambda g: dword(g) | (high(g).astype(np.uint64) << np.uint64(32))
    if width == 16:
        shift = np.uint32(16 if operand.half == "h" else 0)
        return lambda g: (dword(g) >> shift).astype(np.uint16)
    return dword


def _bf16_reader(operand: Operand, vector: bool) -> Reader:
    """A bf16 half as the f32 of the same value: its bits on top of zeros."""
    dword = _raw_reader(operand, 32, vector)
    if operand.half == "h":
        return lambda g: (dword(g) & np.uint32(0xFFFF0000)).view(np.float32)
    return lambda g: (dword(g) << np.uint32(16)).view(np.float32)


def _typed(raw: Reader, kind: str) -> Reader:
    if kind in ("u16", "u32", "u64"):
        return raw
    dtype = DTYPES[kind]
    return lambda g: raw(g).view(dtype)


def mask_reader(operand: Operand, line: Line) -> Reader:
    """Reads an SGPR as a lane mask: booleans [n, 32]."""
    if operand.kind == "lit":
        bits = np.array([literal_bits(operand.literal, "u32")], np.uint32)
        lanes = bits_to_lanes(bits)
        return lambda g: lanes
    if operand.kind != "s":
        raise line.fail("a lane mask must be an SGPR")
    note(operand, kind="u32", vector=set(), scalar=line.uses.s_read)
    reg = operand.reg
    return lambda g: bits_to_lanes(g.s[reg, g.sel])


def writer(operand: Operand, kind: str, line: Line, vector: bool = True) -> Writer:
    """A closure that writes a value of type `kind` to `operand`."""
    reg = operand.reg
    if operand.kind == "lit":
        raise line.fail("a constant cannot be a destination")
    note(operand, kind, line.uses.v_write, line.uses.s_write)
    if operand.kind == "s" and operand.reg == EXEC:
        line.uses.s_write.add(EXEC)
    if kind == "mask":
        return lambda g, lanes: g.write_s(reg, lanes_to_bits(lanes & g.mask))
    if operand.kind == "s":
        return _scalar_writer(operand, kind)
    width = WIDTH[kind]
    if width == 64:
        return lambda g, value: _write_pair(g, reg, value)
    if width == 16:
        return _half_writer(operand, kind)
    return lambda g, value: g.write_v(reg, value.view(np.uint32))


def _scalar_writer(operand: Operand, kind: str) -> Writer:
    reg = operand.reg
    if WIDTH[kind] == 64:

        def write_pair(g: Group, value: Array) -> None:
            bits = value.view(np.uint64)
            g.write_s(reg, bits.astype(np.uint32))
            if reg != NULL:
                g.write_s(reg + 1, (bits >> np.uint64(32)).astype(np.uint32))

        return write_pair
    return lambda g, value: g.write_s(reg, value.view(np.uint32))


def _write_pair(g: Group, reg: int, value: Array) -> None:
    bits = value.view(np.uint64)
    g.write_v(reg, bits.astype(np.uint32))
    g.write_v(reg + 1, (bits >> np.uint64(32)).astype(np.uint32))


def _half_writer(operand: Operand, kind: str) -> Writer:
    reg = operand.reg
    high = operand.half == "h"

    def write(g: Group, value: Array) -> None:
        half = numeric.f32_to_bf16(value) if kind == "bf16" else value.view(np.uint16)
        bits = half.astype(np.uint32)
        old = g.v[reg, g.sel]
        if high:
            g.write_v(reg, (old & np.uint32(0xFFFF)) | (bits << np.uint32(16)))
        else:
            g.write_v(reg, (old & np.uint32(0xFFFF0000)) | bits)

    return write
