"""The guide's page of a level, as HTML, from the Markdown that the package carries."""

from __future__ import annotations

from importlib.resources import files

from markdown_it import MarkdownIt


def guide_page(target: str, level: str) -> str:
    """The page on ``level`` of ``target``'s ladder; "" if the guide has none.

    A target's own page (docs/sm_90a-level7.md) goes before the ladder's (docs/level7.md).
    """
    folder = files("gemm_ladder.docs")
    for name in (f"{target}-{level}.md", f"{level}.md"):
        page = folder / name
        if page.is_file():
            # Links lead to files beside the Markdown, which a page elsewhere does not have.
            reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("link")
            return str(reader.render(page.read_text(encoding="utf-8")))
    return ""
