"""Seeded mutations of text and bytes, at the places where people and disks make mistakes."""

from __future__ import annotations

import random
import re

_TOKEN = re.compile(r"[%@#!]?[\w.$-]+|\S")
_JUNK = (
    "", "(", ")", "{", "}", "<", ">", "%", ",", "=", "-1", "0", "18446744073709551616", "NaN",
    "\x00", "é", '"', "tile.load", "index", "memref<4x?xf32>", "//", "\n", "x" * 5000,
)  # fmt: skip


def text(base: str, rng: random.Random) -> str:
    """``base`` with a change that keeps it whole, with one to three that do not, or with both."""
    if rng.random() < 0.6:
        for _ in range(rng.randint(1, 3)):
            base = rng.choice((_number_everywhere, _word_everywhere, _attribute))(base, rng)
        if rng.random() < 0.7:
            return base
    for _ in range(rng.randint(1, 3)):
        base = rng.choice(_EDITS)(base, rng)
    return base


def _number_everywhere(base: str, rng: random.Random) -> str:
    """Every occurrence of one number, so that shapes still agree."""
    found = sorted(set(re.findall(r"(?<![\w.])\d+|(?<=[x<])\d+", base)))
    if not found:
        return base
    old = rng.choice(found)
    new = str(rng.choice([0, 1, 2, 3, 7, 16, 17, 24, 33, 40, 64, 65, 96, 300, 1 << 40]))
    return re.sub(rf"(?<![\w.]){old}(?=x|\b)|(?<=[x<]){old}(?=x|\b)", new, base)


def _word_everywhere(base: str, rng: random.Random) -> str:
    """One word of the field for another of its kind."""
    kinds = (
        ("bf16", "f16", "f32", "f64", "i32", "f8E4M3FN"),
        ("gfx1250", "sm_90a", "sm_120", "gfx9"),
        ("workgroup", "cluster"), ("hw", "mbarrier"), ("async", "tdm", "tma"),
        ("copy", "lds", "global", "store"), ("true", "false"), ('"ab"', '"ba"'),
        ("wmma_f32_16x16x32_bf16", "mma_m16n8k16_f32_bf16"), ("arith.addi", "arith.muli"),
    )  # fmt: skip
    words = rng.choice([kind for kind in kinds if any(word in base for word in kind)] or [("", "")])
    old = rng.choice([word for word in words if word in base] or [""])
    return base.replace(old, rng.choice(words)) if old else base


def _attribute(base: str, rng: random.Random) -> str:
    """A value of an attribute, or the attribute."""
    found = list(re.finditer(r"(\w+) = ([^,{}\[\]]+|\[[^\[\]]*\])(, )?", base))
    if not found:
        return base
    at = rng.choice(found)
    new = "" if rng.random() < 0.3 else f"{at[1]} = {rng.choice(found)[2]}{at[3] or ''}"
    return base[: at.start()] + new + base[at.end() :]


def _token(base: str, rng: random.Random) -> str:
    """One token becomes another of the same text, or junk."""
    found = list(_TOKEN.finditer(base))
    if not found:
        return base
    at = rng.choice(found)
    new = rng.choice(found)[0] if rng.random() < 0.5 else rng.choice(_JUNK)
    return base[: at.start()] + new + base[at.end() :]


def _number(base: str, rng: random.Random) -> str:
    found = list(re.finditer(r"\d+", base))
    if not found:
        return base
    at = rng.choice(found)
    value = int(at[0][:18])
    new = rng.choice([0, 1, 2, 3, 5, value + 1, max(0, value - 1), value * 2, value // 2, 1 << 40])
    return f"{base[: at.start()]}{new}{base[at.end() :]}"


def _line_gone(base: str, rng: random.Random) -> str:
    lines = base.splitlines(keepends=True)
    if len(lines) > 1:
        del lines[rng.randrange(len(lines))]
    return "".join(lines)


def _lines_swapped(base: str, rng: random.Random) -> str:
    lines = base.splitlines(keepends=True)
    if len(lines) > 1:
        at = rng.randrange(len(lines) - 1)
        lines[at : at + 2] = reversed(lines[at : at + 2])
    return "".join(lines)


def _line_twice(base: str, rng: random.Random) -> str:
    lines = base.splitlines(keepends=True)
    if lines:
        at = rng.randrange(len(lines))
        lines.insert(rng.randrange(len(lines)), lines[at])
    return "".join(lines)


def _cut(base: str, rng: random.Random) -> str:
    return base[: rng.randrange(len(base) + 1)]


def _character(base: str, rng: random.Random) -> str:
    at = rng.randrange(len(base) + 1)
    return base[:at] + chr(rng.choice([*range(32, 127), 0, 9, 0x1F600])) + base[at + 1 :]


_EDITS = (
    _token,
    _token,
    _number,
    _number,
    _line_gone,
    _lines_swapped,
    _line_twice,
    _cut,
    _character,
)


def data(base: bytes, rng: random.Random) -> bytes:
    """``base`` truncated, with bytes changed, or with something in the middle gone."""
    kind = rng.randrange(4)
    if kind == 0 or not base:
        return base[: rng.randrange(len(base) + 1)]
    if kind == 1:
        changed = bytearray(base)
        for _ in range(rng.randint(1, 8)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    start, end = sorted(rng.randrange(len(base) + 1) for _ in range(2))
    return (
        base[:start] + base[end:] if kind == 2 else base[:start] + base[start:end] * 2 + base[end:]
    )
