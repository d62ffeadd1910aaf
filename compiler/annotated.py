"""Assembly for reading: each instruction beside the tile op, pass and source line it comes from."""

from __future__ import annotations

import re

from gemm_ladder.compiler.codegen.description import HEADER

# LLVM prints the folder and the name of a file apart, DWARF 4 in one.
_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_MAKER = re.compile(r"(tile\.\S+(?: .+?)?) at (.*)")
_NOISE = re.compile(
    r"\s*\.(file|loc|cfi_|L(tmp|func)|debug|b8|b16|b32|b64)|(\s*\.L|\$L__)tmp\d+:|(\.L?|\$L__)func"
)
_COLUMN = 68


def annotated(assembly: str) -> str:
    """``assembly`` (with a line table) up to its end of code, a comment on each instruction.

    The comment names the tile op, its value, the pass that made it and the source's place; an
    instruction that no tile op asked for (index arithmetic, prologue) has the place alone.
    """
    # PTX lists its files at the end.
    named = filter(None, map(_FILE.match, assembly.splitlines()))
    files = {found[1]: "/".join(filter(None, found.groups()[1:])) for found in named}
    note, lines = "", []
    for line in assembly.splitlines():
        if found := _LOC.match(line):
            note = _note(files.get(found[1], "?"), found[2], found[3])
        elif line.lstrip().startswith((".section", ".rodata", ".amdhsa_kernel")):
            break
        elif not _NOISE.match(line) and HEADER not in line:
            lines.append(_with_note(line, note))
    return "\n".join(lines) + "\n"


def _note(file: str, line: str, column: str) -> str:
    maker = _MAKER.match(file)
    path = (maker[2] if maker else file).rpartition("/")[2]
    place = f"{path}:{line}:{column}"
    return f"{maker[1]} at {place}" if maker else place


def _with_note(line: str, note: str) -> str:
    code = line.strip()
    text = "    " + re.sub(r"\s+", " ", code) if line[:1].isspace() else code
    if not note or not code or code.startswith((".", ";", "//", "{", "}")) or code.endswith(":"):
        return text.rstrip()
    return f"{text:<{_COLUMN}} ; {note}"
