"""Which bank of LDS each lane of a read goes to, one row of the drawing for each clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from mlir import ir

from gemm_ladder.compiler.compilation import Request, compile_source
from gemm_ladder.compiler.explain import svg
from gemm_ladder.compiler.problem import Problem
from gemm_ladder.compiler.resolve import Step
from gemm_ladder.compiler.source import Source
from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.dialect_defs.tile import AllocOp
from gemm_ladder.passes.analysis.kernel import walk
from gemm_ladder.runtime.artefact import Contract
from gemm_ladder.runtime.sim.lds_trace import trace_launch

_CELL, _MARGIN = 14, 64


@dataclass(frozen=True)
class Access:
    """Groups of lanes that LDS serves together: for each, (lane or row, byte address) pairs.

    ``size`` is the bytes of one of them; ``what`` counts them in the drawing ("lane", "row").
    """

    name: str
    size: int
    what: str
    groups: tuple[tuple[tuple[int, int], ...], ...]


def simulated_accesses(steps: list[Step], target: Target, contract: Contract) -> list[Access]:
    """The LDS loads of wave 0 in a small problem of the same layout, as the simulator sees them."""
    letters = ("n" if contract.a_order == "mk" else "t") + (
        "t" if contract.b_order == "nk" else "n"
    )
    source = Source("small.mlir", Problem(256, 256, 512, letters).mlir(), "linalg", "small")
    made = compile_source(Request(source, steps, target.name, link="no", debug_lines=True)).artefact
    if made is None:
        return []
    trace, _ = trace_launch(made)
    found: dict[str, Access] = {}
    for access in trace.accesses:
        label = access.line.source.partition(" of ")[0]
        name = f"{label.removeprefix('tile.load ')} by {access.line.mnemonic}"
        if access.kind != "load" or "tile.load" not in label or name in found:
            continue
        lanes = target.lds_bank_bytes // access.size
        pairs = list(enumerate(access.addresses[0].tolist()))
        groups = (pairs[i : i + lanes] for i in range(0, len(pairs), lanes))
        found[name] = Access(name, access.size, "lane", tuple(tuple(g) for g in groups))
    return list(found.values())


def row_accesses(module: ir.Module, target: Target) -> list[Access]:
    """Where the first 16 bytes of consecutive rows of each ring lie: what a matrix load reads."""
    found = []
    for op in walk(module.body):
        if op.name != "tile.alloc":
            continue
        alloc = AllocOp(op)
        rows = range(min(alloc.lds.rows, target.lds_bank_bytes // 16))
        places = tuple((row, alloc.lds.place(row, 0)) for row in rows)
        name = f"{alloc.str_attr('name', 'ring')}, 16 bytes of {len(rows)} rows"
        found.append(Access(name, 16, "row", (places,)))
    return found


def bank_map(access: Access, target: Target) -> Markup:
    """Banks across, groups down; a cell names who reads there, red where addresses collide."""
    banks = target.lds_bank_bytes // 4
    shapes, worst = [], 1
    for number, group in enumerate(access.groups):
        y = 20 + number * (_CELL + 6)
        head = f"{access.what}s {group[0][0]}-{group[-1][0]}"
        shapes.append(svg.words(_MARGIN - 6, y + 11, head, "small", "end"))
        readers = _readers(group, access.size, banks)
        for bank in range(banks):
            wanted = readers.get(bank, {})
            worst = max(worst, len(wanted))
            shapes += _cell(bank, y, wanted, access.what)
    for bank in range(0, banks, 8):
        shapes.append(svg.words(_MARGIN + bank * _CELL, 13, f"bank {bank}", "small"))
    free = "no conflict" if worst == 1 else f"{worst} different dwords in one bank"
    label = f"{access.name}: {free}"
    height = 24 + len(access.groups) * (_CELL + 6)
    return svg.drawing(_MARGIN + banks * _CELL, height, label, shapes)


def _readers(
    group: Sequence[tuple[int, int]], size: int, banks: int
) -> dict[int, dict[int, list[int]]]:
    """Bank -> dword address -> who reads it."""
    found: dict[int, dict[int, list[int]]] = {}
    for who, address in group:
        for dword in range(address // 4, (address + size) // 4):
            if address >= 0:
                found.setdefault(dword % banks, {}).setdefault(dword, []).append(who)
    return found


def _cell(bank: int, y: float, wanted: dict[int, list[int]], what: str) -> list[Markup]:
    x = _MARGIN + bank * _CELL
    if not wanted:
        return [svg.box(x, y, _CELL - 1, _CELL - 1, "empty", f"bank {bank}: nobody")]
    who = sorted({reader for readers in wanted.values() for reader in readers})
    kind = "clash" if len(wanted) > 1 else f"lane l{who[0] % 8}"
    title = f"bank {bank}: {what} " + ", ".join(map(str, who))
    text = str(who[0]) if len(wanted) == 1 else f"x{len(wanted)}"
    return [
        svg.box(x, y, _CELL - 1, _CELL - 1, kind, title),
        svg.words(x + _CELL / 2 - 0.5, y + 10, text, "tiny", "middle"),
    ]
