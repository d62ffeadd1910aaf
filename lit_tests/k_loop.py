"""Prints the K loop of the gfx1250 assembly on stdin as its skeleton, for FileCheck.

One line a run of instructions of a kind: LDS loads, matrix instructions, copies, full waits for
vector memory and LDS, barrier signals and waits; groups of loads and matrix instructions that
repeat are put together. Partial waits, arithmetic and hints are left out.
"""

from __future__ import annotations

import re
import sys
from itertools import groupby

from gemm_ladder.compiler.codegen.amd_asm import SYNTAX, kernel_text
from gemm_ladder.compiler.codegen.amd_loop import waited
from gemm_ladder.compiler.codegen.flow import Instruction
from gemm_ladder.compiler.codegen.loops import find_k_loop

KINDS = (
    (re.compile(r"ds_load"), "ds_load"),
    (re.compile(r"ds_store"), "ds_store"),
    (re.compile(r"v_wmma"), "wmma"),
    (re.compile(r"global_load_async|cluster_load_async"), "load_async"),
    (re.compile(r"tensor_load_to_lds"), "tensor_load"),
    (re.compile(r"(global|buffer)_load"), "global_load"),
)
SCOPES = {"-1": "workgroup", "-3": "cluster"}


def kind(i: Instruction) -> str:
    """What a line of the skeleton says of ``i``, "" for nothing."""
    for pattern, name in KINDS:
        if pattern.match(i.name):
            return name
    if i.name.startswith("s_barrier_"):
        return f"{i.name.removeprefix('s_barrier_')} {SCOPES.get(i.operands, i.operands)}"
    drained = [counter for counter, left in waited(i) if left == 0 and counter != "kmcnt"]
    return f"wait {' '.join(drained)}" if drained else ""


def skeleton(code: list[Instruction]) -> list[str]:
    """The lines."""
    kinds = [name for name in map(kind, code) if name]
    runs = [(name, len(list(group))) for name, group in groupby(kinds)]
    lines: list[list[str]] = []
    for name, count in runs:
        text = f"{name} x{count}" if " " not in name else name
        if name == "wmma" and lines and len(lines[-1]) == 1 and lines[-1][0].startswith("ds_load"):
            lines[-1].append(text)
        else:
            lines.append([text])
    folded = [(" ".join(line), len(list(same))) for line, same in groupby(lines)]
    return [line if times == 1 else f"({line}) x{times}" for line, times in folded]


def main() -> int:
    """Exit code 1 if there is no loop."""
    asm = sys.stdin.read()
    (name,) = re.findall(r"\.amdhsa_kernel (\S+)", asm)
    found = find_k_loop(kernel_text(asm, name), SYNTAX)
    if found is None:
        print("error: no K loop", file=sys.stderr)
        return 1
    print("\n".join(skeleton(found.path)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
