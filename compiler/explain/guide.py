"""The guide's page of a level, as HTML, from the Markdown that the package carries."""

from __future__ import annotations

from importlib.resources import files

from markdown_it import MarkdownIt

from gemm_ladder.compiler.pipelines import levels

# Where the guide keeps the pages of a target's ladder, below docs/.
_FOLDERS = {"gfx1250": "", "sm_90a": "hopper/"}


def guide_page(target: str, level: str) -> str:
    """The page on ``level`` of ``target``'s ladder; "" if the guide has none."""
    if target not in _FOLDERS or level not in levels(target):
        return ""
    page = files("gemm_ladder.docs").joinpath(f"{_FOLDERS[target]}{level}.md")
    if not page.is_file():
        return ""
    # Links lead to files beside the Markdown, which a page elsewhere does not have.
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("link")
    return str(reader.render(page.read_text(encoding="utf-8")))
