"""Explanations as HTML: one file a level that needs nothing else, and a table of a ladder."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from gemm_ladder.compiler.annotated import annotated
from gemm_ladder.compiler.explain import bank_map, fragments, lane_map, lds_map, mix
from gemm_ladder.compiler.explain.guide import guide_page
from gemm_ladder.compiler.explain.story import Chapter, Story
from gemm_ladder.dialect_defs.target import Target
from gemm_ladder.runtime.artefact import Kernel

_CONTEXT = 3  # equal lines of MLIR around a change


@dataclass(frozen=True)
class Links:
    """Pages of the same site, as (title, file): the level below, the one above, and the table."""

    before: tuple[str, str] | None = None
    after: tuple[str, str] | None = None
    table: str = ""


@dataclass(frozen=True)
class Line:
    """One row of two texts side by side; ``kind`` is same, changed, removed, added or skipped."""

    kind: str
    left: str
    right: str


def side_by_side(before: str, after: str, context: int | None = None) -> list[Line]:
    """The lines of both texts, equal ones next to each other.

    With ``context``, runs of equal lines farther than that from a change become one skipped row.
    """
    left, right = before.splitlines(), after.splitlines()
    rows: list[Line] = []
    blocks = difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    for number, (kind, i1, i2, j1, j2) in enumerate(blocks):
        if kind == "equal":
            same = [Line("same", text, text) for text in left[i1:i2]]
            first, last = number == 0, number == len(blocks) - 1
            rows += same if context is None else _trimmed(same, context, first, last)
            continue
        for i in range(max(i2 - i1, j2 - j1)):
            a = left[i1 + i] if i1 + i < i2 else None
            b = right[j1 + i] if j1 + i < j2 else None
            what = "added" if a is None else "removed" if b is None else "changed"
            rows.append(Line(what, a or "", b or ""))
    return rows


def _trimmed(same: list[Line], context: int, first: bool, last: bool) -> list[Line]:
    head = 0 if first else context
    tail = 0 if last else context
    if len(same) <= head + tail + 1:
        return same
    hidden = len(same) - head - tail
    text = f"{hidden} equal lines"
    return [*same[:head], Line("skipped", text, text), *same[len(same) - tail :]]


def level_page(story: Story, accesses: Sequence[bank_map.Access], links: Links) -> str:
    """The explanation of one level."""
    (kernel, *_) = story.artefact.kernels
    chapters = [
        _chapter_view(story, before, after)
        for before, after in zip(story.chapters, story.chapters[1:], strict=False)
    ]
    return _render(
        "level.html",
        title=f"{story.title} on {story.target.name}",
        story=story,
        links=links,
        chapters=chapters,
        facts=kernel_facts(kernel),
        meters=_meters(kernel, story.target),
        mix_bar=mix.mix_bar(kernel.k_loop),
        mix=mix.mix(kernel.k_loop),
        lanes=[
            (picture, lane_map.lane_map(picture, story.target.wave_size))
            for picture in fragments.pictures(story.module, story.target)
        ],
        banks=[(access, bank_map.bank_map(access, story.target)) for access in accesses],
        assembly=annotated(story.artefact.asm or ""),
        guide=Markup(guide_page(story.target.name, story.title)),
    )


def table_page(target: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The table of a ladder's rungs; each row has title, file, technique and facts."""
    names = list(dict.fromkeys(name for row in rows for name, _ in row["facts"]))
    values = [{**row, "values": dict(row["facts"])} for row in rows]
    return _render("table.html", title=f"The ladder on {target}", names=names, rows=values)


def kernel_facts(kernel: Kernel) -> list[tuple[str, str]]:
    """What a launch needs and what an iteration of the K loop has, as (name, value)."""
    loop: Mapping[str, Any] = kernel.k_loop
    threads = kernel.block[0] * kernel.block[1] * kernel.block[2]
    rows: list[tuple[str, object]] = [
        ("grid", "x".join(map(str, kernel.grid))),
        ("cluster", "x".join(map(str, kernel.cluster))),
        ("threads", threads),
        ("VGPRs" if kernel.sgprs is not None else "registers", kernel.vgprs),
        ("SGPRs", kernel.sgprs),
        ("spills", kernel.spills),
        ("LDS, bytes", f"{kernel.lds_bytes + kernel.dynamic_lds_bytes:,}"),
        ("workgroups at once", kernel.occupancy and f"{kernel.occupancy:g}"),
        ("matrix ops in a K loop", loop.get("matrix")),
        ("LDS loads in a K loop", loop.get("lds_loads")),
    ]
    return [(name, str(value)) for name, value in rows if value is not None]


def _meters(kernel: Kernel, target: Target) -> list[tuple[str, str, float]]:
    """What the compiled kernel takes of its processor: (name, numbers, per cent)."""
    threads = kernel.block[0] * kernel.block[1] * kernel.block[2]
    waves = -(-threads // target.wave_size)
    rows = [("LDS", kernel.lds_bytes + kernel.dynamic_lds_bytes, target.lds_bytes, "bytes")]
    if kernel.vgprs:
        rows.append(("registers of a lane", kernel.vgprs, target.register_budget(threads), ""))
    if kernel.occupancy:
        resident = int(kernel.occupancy) * waves
        rows.append(("occupancy", resident, target.waves_max, "waves"))
    return [
        (name, f"{used:,} of {whole:,} {unit}".strip(), min(100.0, 100 * used / whole))
        for name, used, whole, unit in rows
    ]


def _chapter_view(story: Story, before: Chapter, after: Chapter) -> dict[str, Any]:
    mlir = side_by_side(before.mlir, after.mlir, _CONTEXT)
    return {
        "chapter": after,
        "pseudocode": side_by_side(before.pseudocode, after.pseudocode) if after.pseudocode else [],
        "mlir": mlir,
        "changed": sum(line.kind not in ("same", "skipped") for line in mlir),
        "lds": lds_map.lds_map(after.rings, story.target) if after.rings else "",
        "close_ups": [lds_map.close_up(r) for r in after.rings if r.interval or r.swizzle],
        "registers": _registers(after),
    }


def _registers(chapter: Chapter) -> list[tuple[str, int, float]]:
    """(what, registers, share of the budget in per cent) of a lane."""
    found = chapter.registers
    if found is None or not found.budget:
        return []
    rows = [("accumulators", found.accumulators), ("fragments of A and B", found.operands)]
    return [(name, count, min(100.0, 100 * count / found.budget)) for name, count in rows]


def _render(template: str, **values: Any) -> str:
    folder = files("gemm_ladder.compiler.explain") / "templates"
    loader = jinja2.FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8"))
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = Markup((folder / "style.css").read_text(encoding="utf-8"))
    script = Markup((folder / "page.js").read_text(encoding="utf-8"))
    return environment.get_template(template).render(style=style, script=script, **values)
