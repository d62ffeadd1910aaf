"""Parse the text of LLVM's AMDGPU assembly into instructions, labels and the kernel's descriptor.

Only text is understood here; what an instruction means is the business of the instruction tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .errors import SimError


@dataclass(frozen=True)
class Line:
    """One instruction: source line number (1-based), its text, mnemonic, operands, modifiers."""

    number: int
    text: str
    mnemonic: str
    operands: tuple[str, ...]
    modifiers: dict[str, str]
    msb: int = 0

    def fail(self, message: str) -> SimError:
        """An error that names this line."""
        return SimError(f"line {self.number}: `{self.text}`: {message}")


@dataclass(frozen=True)
class KernelArg:
    """A kernarg entry of the metadata: byte offset, byte size, LLVM's value_kind."""

    offset: int
    size: int
    kind: str


@dataclass
class KernelAsm:
    """A kernel: its code, branch targets (label -> index into code) and launch state."""

    name: str
    code: list[Line] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    directives: dict[str, int] = field(default_factory=dict)
    args: list[KernelArg] = field(default_factory=list)
    cluster: tuple[int, int, int] = (1, 1, 1)
    lds_symbols: dict[str, int] = field(default_factory=dict)


_LABEL = re.compile(r"^([.\w$]+):")
_MODIFIER = re.compile(r"^(\w+)(?::(.*))?$")
_BANKED = re.compile(r"(-?\|?)v(\[\d+(?::\d+)?\]|\d+)((?:\.[lh])?\|?)\s*/\*(v[^*]*)\*/")
BRANCHES = ("s_cbranch", "s_branch")
# Words that follow the last operand without a colon; LLVM prints nothing else bare.
FLAGS = frozenset(
    [
        "scale_offset",
        "clamp",
        "matrix_a_reuse",
        "matrix_b_reuse",
        "glc",
        "slc",
        "dlc",
        "nv",
        "gds",
        "idxen",
        "offen",
    ]
)


def split_operands(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Split the text behind a mnemonic into operands and modifiers."""
    parts: list[str] = []
    depth = 0
    current = ""
    for char in text:
        depth += (char in "[(") - (char in "])")
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    if current.strip():
        parts.append(current.strip())
    if not parts:
        return (), {}
    words = _words(parts[-1])
    operands = parts[:-1]
    modifiers: dict[str, str] = {}
    for word in words:
        match = _MODIFIER.match(word)
        if match and (match[2] is not None or word in FLAGS):
            modifiers[match[1]] = match[2] or ""
        else:
            operands.append(word)
    return tuple(operands), modifiers


def _words(text: str) -> list[str]:
    """Words of `text`; blanks inside brackets or comments do not separate."""
    return re.findall(r"(?:\[[^\]]*\]|\([^)]*\)|/\*[^*]*\*/|\S)+", text)


def parse_instruction(text: str, number: int, msb: int = 0) -> Line:
    """Parse one instruction (VOPD pairs keep their two halves as operands)."""
    joined = _BANKED.sub(lambda m: m[0].replace(" /*", "/*"), text)
    head, _, rest = joined.partition(" ")
    head = head.strip()
    if "::" in rest:
        halves = tuple(half.strip() for half in joined.split("::"))
        return Line(number, text, "vopd", halves, {}, msb)
    if head in ("s_delay_alu", "s_wait_alu"):
        return Line(number, text, head, (rest,), {}, msb)
    operands, modifiers = split_operands(rest)
    return Line(number, text, head, operands, modifiers, msb)


def parse_kernel(text: str, name: str) -> KernelAsm:
    """Find kernel `name` in assembly `text`.

    Raises SimError when the text has no such kernel or no descriptor for it.
    """
    kernel = KernelAsm(name)
    lines = text.splitlines()
    _code(kernel, lines)
    _descriptor(kernel, lines)
    _lds_symbols(kernel, lines)
    _metadata(kernel, text)
    return kernel


def _code(kernel: KernelAsm, lines: list[str]) -> None:
    inside = False
    msb = 0
    for number, raw in enumerate(lines, 1):
        line = raw.split(";")[0].split("//")[0].strip()
        label = _LABEL.match(line)
        if label:
            _check_mode(kernel, msb)
            msb = 0
            if not inside:
                inside = label[1] == kernel.name
                continue
            if label[1].startswith(".Lfunc_end"):
                break
            kernel.labels[label[1]] = len(kernel.code)
            continue
        if not inside or not line:
            continue
        if line.startswith("."):
            if line.startswith((".section", ".size")):
                break
            continue
        entry = parse_instruction(line, number, msb)
        if entry.mnemonic == "s_set_vgpr_msb":
            msb = _next_msb(entry, msb)
        kernel.code.append(entry)
        if entry.mnemonic.startswith(BRANCHES):
            _check_mode(kernel, msb)
        if entry.mnemonic == "s_endpgm":
            msb = 0
    if not kernel.code:
        raise SimError(f"the assembly has no code for a kernel named {kernel.name!r}")


def _check_mode(kernel: KernelAsm, msb: int) -> None:
    """LLVM returns to bank mode 0 before every label and branch; so a label starts at 0."""
    if msb and kernel.code:
        raise kernel.code[-1].fail(f"control flow leaves a block in bank mode {msb:#x}")


def _next_msb(entry: Line, current: int) -> int:
    """The new bank mode: low byte of the immediate; the high byte repeats the old one."""
    value = int(entry.operands[0], 0)
    if value >> 8 and value >> 8 != current:
        raise entry.fail(f"says the bank mode was {value >> 8:#x}, it is {current:#x}")
    return value & 0xFF


def _descriptor(kernel: KernelAsm, lines: list[str]) -> None:
    inside = False
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == ".amdhsa_kernel":
            inside = words[1] == kernel.name
        elif words[0] == ".end_amdhsa_kernel":
            inside = False
        elif inside and len(words) == 2 and re.fullmatch(r"-?\d+|0x[0-9a-fA-F]+", words[1]):
            kernel.directives[words[0].removeprefix(".amdhsa_")] = int(words[1], 0)
    if not kernel.directives:
        raise SimError(f"the assembly has no .amdhsa_kernel block for {kernel.name!r}")


def _lds_symbols(kernel: KernelAsm, lines: list[str]) -> None:
    """External LDS arrays start behind the static LDS, each at its alignment."""
    top = kernel.directives.get("group_segment_fixed_size", 0)
    for line in lines:
        match = re.match(r"\s*\.amdgpu_lds\s+([\w.$]+)\s*,\s*(\d+)\s*,\s*(\d+)", line)
        if match:
            align = max(1, int(match[3]))
            kernel.lds_symbols[match[1]] = -(-top // align) * align


def _metadata(kernel: KernelAsm, text: str) -> None:
    block = re.search(r"\.amdgpu_metadata(.*?)\.end_amdgpu_metadata", text, re.S)
    if not block:
        raise SimError("the assembly has no .amdgpu_metadata block")
    entries = re.split(r"\n  - (?=\.)", block[1].split("amdhsa.target")[0])
    for entry in entries[1:]:
        if not re.search(rf"\.name:\s+'?{re.escape(kernel.name)}'?\s*$", entry, re.M):
            continue
        for item in re.split(r"\n      - ", entry.split("\n    .")[0])[1:]:
            kernel.args.append(_argument(item))
        cluster = re.search(r"\.cluster_dims:\s*\n((?:\s+- \d+\n?){3})", entry)
        if cluster:
            x, y, z = (int(v) for v in re.findall(r"\d+", cluster[1]))
            kernel.cluster = (max(x, 1), max(y, 1), max(z, 1))


def _argument(item: str) -> KernelArg:
    fields = dict(re.findall(r"\.(\w+):\s+(\S+)", item))
    return KernelArg(int(fields["offset"]), int(fields["size"]), fields["value_kind"])
