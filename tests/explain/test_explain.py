"""`ladder explain`: one file, everything in it, right in a browser and by keyboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chromium import evaluate, needs_browser

from gemm_ladder.compiler.cli import main
from gemm_ladder.compiler.explain.guide import guide_page
from gemm_ladder.compiler.explain.page import Line, side_by_side
from gemm_ladder.compiler.pipelines import LADDERS, Row, expand, levels

MAX_BYTES = 3_000_000


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of gfx1250's level 12, of the ladder's own size."""
    page = tmp_path_factory.mktemp("explain") / "level12.html"
    assert main.main(["explain", "level12", "-o", str(page)]) == 0
    return page


def test_it_is_one_small_file_that_asks_for_nothing(top: Path) -> None:
    text = top.read_text()
    assert len(text.encode()) < MAX_BYTES
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#|data:,)""", text)
    assert "@import" not in text
    assert "url(" not in text


def test_every_pass_has_its_place(top: Path) -> None:
    text = top.read_text()
    names = [part.partition("{")[0] for part in expand("level12", "gfx1250")]
    strip = re.findall(r'<span class="number">\d+</span> ([\w-]+)</button>', text)
    assert strip == names
    assert text.count('class="pass"') == len(names)


@pytest.mark.parametrize(
    "wanted",
    [
        "A_LDS[1]",
        "partition 4",
        "16 B of padding after every 256 B",
        "of padding</title>",
        "registers of a lane that the IR asks for, of 512",
        "occupancy: 8 of 64 waves",
        "LDS: 278,528 of 327,680 bytes",
        "matrix instructions</title>",
        "lane 31, element",
        "by ds_load_b128: no conflict",
        "tile.mma",
        "pin-schedule{ds=6 mma=8 repeat=4}",
    ],
)
def test_it_shows(top: Path, wanted: str) -> None:
    assert wanted in top.read_text()


def test_the_guides_page_is_in_it(tmp_path: Path) -> None:
    page = tmp_path / "level1.html"
    assert main.main(["explain", "level1", "--size", "256x256x256", "-o", str(page)]) == 0
    assert 'href="#guide"' in page.read_text()
    assert re.search(r'<section id="guide".*?<h1>', page.read_text(), re.DOTALL)


def test_each_ladder_has_its_own_pages() -> None:
    helios, hopper = guide_page("gfx1250", "level7"), guide_page("sm_90a", "level7")
    assert helios and hopper
    assert helios != hopper
    assert guide_page("sm_120", "level1") == ""
    assert guide_page("gfx1250", "import-matmul,tile-workgroup," * 20) == ""


@needs_browser
@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_has_nothing_to_complain_of(top: Path, width: int) -> None:
    script = "return [innerWidth, document.documentElement.scrollWidth].join(' ');"
    seen, console = evaluate(top, script, width)
    assert console == []
    # Nothing is wider than the window.
    assert seen == f"{width} {width}"


@needs_browser
def test_keys_go_from_pass_to_pass(top: Path) -> None:
    script = """
    const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", {key}));
    const shown = () => [...document.querySelectorAll(".pass")].filter((p) => !p.hidden)
      .map((p) => p.id).join();
    const form = () => [...document.querySelectorAll(".pass:not([hidden]) [data-shows]")]
      .filter((p) => !p.hidden).map((p) => p.dataset.shows).join();
    const seen = [shown()];
    press("ArrowLeft"); press("ArrowLeft"); seen.push(shown());
    press("ArrowRight"); seen.push(shown(), form());
    press("m"); seen.push(form());
    const before = getComputedStyle(document.body).backgroundColor;
    press("t"); seen.push(before !== getComputedStyle(document.body).backgroundColor);
    return seen.join(" ");
    """
    last = len(expand("level12", "gfx1250")) - 1
    seen, console = evaluate(top, script)
    assert console == []
    expected = f"pass{last} pass{last - 2} pass{last - 1} pseudocode mlir true"
    assert seen == expected


def test_a_users_kernel_and_another_target(tmp_path: Path) -> None:
    source = tmp_path / "mm.mlir"
    source.write_text(
        "func.func @product(%A: tensor<70x50xf32>, %B: tensor<50x30xf32>,"
        " %C: tensor<70x30xf32>) -> tensor<70x30xf32> {\n"
        "  %D = linalg.matmul ins(%A, %B : tensor<70x50xf32>, tensor<50x30xf32>)\n"
        "    outs(%C : tensor<70x30xf32>) -> tensor<70x30xf32>\n"
        "  return %D : tensor<70x30xf32>\n}\n"
    )
    page = tmp_path / "mine.html"
    arguments = ["--input", str(source), "--target", "sm_90a", "-o", str(page)]
    assert main.main(["explain", "level1", *arguments]) == 0
    text = page.read_text()
    assert "kernel product(A: 70x50 f32" in text
    assert "stays on FMAs" in text
    assert "32 KiB" in text


def test_a_ladder_as_a_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gemm_ladder.compiler.pipelines.levels", lambda target: levels(target)[:3])
    arguments = ["--size", "256x256x256", "-o", str(tmp_path / "site")]
    assert main.main(["explain", "--all", *arguments]) == 0
    table = (tmp_path / "site" / "index.html").read_text()
    links = re.findall(r'<td><a href="([^"]+)">', table)
    assert links == ["level0.html", "level1.html", "level2.html"]
    middle = (tmp_path / "site" / "level1.html").read_text()
    assert 'href="level0.html" rel="prev"' in middle
    assert 'href="level2.html" rel="next"' in middle
    assert 'href="index.html"' in middle


def test_a_level_that_does_not_compile_is_named_and_nothing_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {"level0": LADDERS["sm_120"]["level0"], "level1": Row("broken", add=("persistent",))}
    monkeypatch.setitem(LADDERS, "sm_120", rows)
    arguments = ["--target", "sm_120", "--size", "64x64x64", "-o", str(tmp_path / "site")]
    assert main.main(["explain", "--all", *arguments]) == 1
    assert "note: explaining level1; nothing was written" in capsys.readouterr().err
    assert list((tmp_path / "site").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a level, or --all"),
        (["level1", "--all"], "name a level, or --all"),
        (["level1", "--size", "8192"], "--size is '8192', not MxNxK"),
        (["level1", "--size", "0x1x1"], "--size is '0x1x1', not MxNxK"),
        (["level99"], "unknown pass or level 'level99'"),
        (["level1", "--target", "gfx9999"], "gfx9999"),
        (["level1", "-o", "nowhere/x.html"], "cannot write: no folder nowhere"),
        (["level1", "--input", "absent.mlir"], "cannot read"),
    ],
)
def test_what_cannot_be_meant(
    capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main.main(["explain", *arguments]) == 2
    seen = capfd.readouterr()
    assert message in seen.err
    assert "Traceback" not in seen.err
    assert seen.out == ""


def test_texts_side_by_side() -> None:
    rows = side_by_side("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n")
    assert rows == [
        Line("same", "a", "a"),
        Line("changed", "b", "B"),
        Line("same", "c", "c"),
        Line("same", "d", "d"),
        Line("added", "", "e"),
    ]


def test_equal_lines_far_from_a_change_are_skipped() -> None:
    before = "".join(f"{n}\n" for n in range(20))
    rows = side_by_side(before, before.replace("10\n", "ten\n"), context=2)
    kinds = [row.kind for row in rows]
    assert kinds == ["skipped", "same", "same", "changed", "same", "same", "skipped"]
    assert rows[0].left == "8 equal lines"
