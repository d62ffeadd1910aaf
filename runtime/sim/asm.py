"""Parse the text of LLVM's AMDGPU assembly into instructions, labels and the kernel's descriptor.

Only text is understood here; what an instruction means is the business of the instruction tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .banks import bank_mode_after
from .errors import SimError


@dataclass
class Uses:
    """Registers an instruction touches, noted while it is decoded; SCC is SGPR selector 128.

    A `must` register has to hold a value that somebody wrote, in every active lane; other sources
    only hand their validity on to the destinations.
    """

    v_read: set[int] = field(default_factory=set)
    v_write: set[int] = field(default_factory=set)
    s_read: set[int] = field(default_factory=set)
    s_write: set[int] = field(default_factory=set)
    v_must: set[int] = field(default_factory=set)
    s_must: set[int] = field(default_factory=set)
    # Sources of a select, in order (VGPR sets without one, VGPR sets with one, mask SGPR).
    select: tuple[frozenset[int], frozenset[int], int] | None = None
    # The counter on which the destinations become ready; "" is at once.
    counter: str = ""
    # Independent halves of one instruction (VOPD): validity flows within each.
    parts: list[Uses] = field(default_factory=list)

    def join(self, part: Uses) -> None:
        """Take in one half of a pair."""
        self.parts.append(part)
        for name in ("v_read", "v_write", "s_read", "s_write"):
            getattr(self, name).update(getattr(part, name))

    def require(self) -> None:
        """All that was read so far must be valid."""
        self.v_must |= self.v_read
        self.s_must |= self.s_read


@dataclass(frozen=True)
class Line:
    """One instruction: source line number (1-based), its text, mnemonic, operands, modifiers.

    `pc` is its index in the kernel's code, `source` the "file:line:column" of the debug line it
    stands under, "" without one.
    """

    number: int
    text: str
    mnemonic: str
    operands: tuple[str, ...]
    modifiers: dict[str, str]
    msb: int = 0
    pc: int = 0
    source: str = ""
    uses: Uses = field(default_factory=Uses, compare=False, repr=False)

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
    files: dict[int, str] = field(default_factory=dict)
    code: list[Line] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    directives: dict[str, int] = field(default_factory=dict)
    args: list[KernelArg] = field(default_factory=list)
    cluster: tuple[int, int, int] = (1, 1, 1)
    lds_symbols: dict[str, int] = field(default_factory=dict)
    lds_unit: int = 16


_LABEL = re.compile(r"^([.\w$]+):")
_DEBUG_LABEL = ".Ltmp"  # a place that debug information names, in the middle of a block
_MODIFIER = re.compile(r"^(\w+)(?::(.*))?$")
_BANKED = re.compile(r"(-?\|?)v(\[\d+(?::\d+)?\]|\d+)((?:\.[lh])?\|?)\s*/\*(v[^*]*)\*/")
_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
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


def parse_instruction(
    text: str, number: int, msb: int = 0, pc: int = 0, source: str = "", uses: Uses | None = None
) -> Line:
    """Parse one instruction (VOPD pairs keep their two halves as operands)."""
    uses = uses or Uses()
    joined = _BANKED.sub(lambda m: m[0].replace(" /*", "/*"), text)
    head, _, rest = joined.partition(" ")
    head = head.strip()
    if "::" in rest:
        halves = tuple(half.strip() for half in joined.split("::"))
        return Line(number, text, "vopd", halves, {}, msb, pc, source, uses)
    if head in ("s_delay_alu", "s_wait_alu"):
        return Line(number, text, head, (rest,), {}, msb, pc, source, uses)
    operands, modifiers = split_operands(rest)
    return Line(number, text, head, operands, modifiers, msb, pc, source, uses)


def parse_kernel(text: str, name: str) -> KernelAsm:
    """Find kernel `name` in assembly `text`.

    Raises SimError when the text has no such kernel or no descriptor for it.
    """
    kernel = KernelAsm(name)
    lines = text.splitlines()
    _files(kernel, lines)
    _code(kernel, lines)
    _descriptor(kernel, lines)
    _lds_symbols(kernel, lines)
    _metadata(kernel, text)
    return kernel


def _code(kernel: KernelAsm, lines: list[str]) -> None:
    inside = False
    msb, source = 0, ""
    for number, raw in enumerate(lines, 1):
        line = raw.split(";")[0].split("//")[0].strip()
        label = _LABEL.match(line)
        if label and label[1].startswith(_DEBUG_LABEL):
            continue
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
            source = _debug_line(kernel, line, source)
            continue
        entry = parse_instruction(line, number, msb, len(kernel.code), source)
        try:
            msb = bank_mode_after(entry.mnemonic, entry.operands, msb)
        except ValueError as wrong:
            raise entry.fail(str(wrong)) from None
        kernel.code.append(entry)
        if entry.mnemonic.startswith(BRANCHES):
            _check_mode(kernel, msb)
        if entry.mnemonic == "s_endpgm":
            msb = 0
    if not kernel.code:
        raise SimError(f"the assembly has no code for a kernel named {kernel.name!r}")


def _debug_line(kernel: KernelAsm, line: str, source: str) -> str:
    """ "file:line:column" after a directive: .loc sets it (line 0: from nowhere in the source)."""
    loc = _LOC.match(line)
    if not loc:
        return source
    name = kernel.files.get(int(loc[1]), "")
    return f"{name}:{loc[2]}:{loc[3]}" if name and loc[2] != "0" else ""


def _files(kernel: KernelAsm, lines: list[str]) -> None:
    """File numbers of the debug lines; the directives may follow the code that uses them."""
    for line in lines:
        match = _FILE.match(line)
        if match:
            kernel.files[int(match[1])] = match[3] or match[2]


def _check_mode(kernel: KernelAsm, msb: int) -> None:
    """LLVM returns to bank mode 0 before every label and branch; so a label starts at 0."""
    if msb and kernel.code:
        raise kernel.code[-1].fail(f"control flow leaves a block in bank mode {msb:#x}")


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
