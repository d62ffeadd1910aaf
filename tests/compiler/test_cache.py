"""The cache of compiled kernels: what is the same kernel, damage, and several processes at once."""

from __future__ import annotations

import dataclasses
import multiprocessing
import re
from pathlib import Path

import pytest
from mlir import ir

from gemm_ladder.compiler import cache as cache_module
from gemm_ladder.compiler.cache import Cache, compile_cached, default_cache, key_of
from gemm_ladder.compiler.cli import main
from gemm_ladder.compiler.compilation import Parsed, Request, Result, compile_source, parse_source
from gemm_ladder.compiler.observe import Watcher
from gemm_ladder.compiler.resolve import resolve
from gemm_ladder.compiler.session import Session
from gemm_ladder.compiler.source import Source

TEXT = """func.func @matmul(%A: tensor<32x32xbf16>, %B: tensor<32x32xbf16>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<32x32xf32>
  %C = linalg.fill ins(%zero : f32) outs(%out : tensor<32x32xf32>) -> tensor<32x32xf32>
  %D = linalg.matmul ins(%A, %B : tensor<32x32xbf16>, tensor<32x32xbf16>)
                     outs(%C : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %D : tensor<32x32xf32>
}
"""
PASSES = "import-matmul, tile-workgroup{shape=32x32x32 waves=1x1}, matrix-core"


def request(text: str = TEXT, passes: str = PASSES, name: str = "mm.mlir", **more) -> Request:
    source = Source(name, text, "linalg", "mm")
    return Request(source, resolve(passes), link="no", **more)


def _key(made: Request) -> str:
    return key_of(made, parse_source(made.source))


@pytest.fixture(autouse=True)
def quiet_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever edits the package while its tests run does not fail them."""
    now = cache_module._fingerprint()
    monkeypatch.setattr(cache_module, "_fingerprint", lambda: now)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """The requests that were really compiled."""
    seen: list[Request] = []

    def counting(made: Request, parsed: Parsed | None = None) -> Result:
        seen.append(made)
        return compile_source(made, parsed)

    monkeypatch.setattr(cache_module, "compile_source", counting)
    return seen


def test_a_second_request_gets_the_same_artefact_unmade(
    cache: Cache, compiled: list[Request]
) -> None:
    first = compile_cached(request(), cache)
    second = compile_cached(request(), cache)
    assert len(compiled) == 1
    assert first.artefact is not None
    assert second.artefact == first.artefact


def test_a_miss_parses_once(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    parse, parsed = Session.parse, []

    def counting(self: Session, source: str, name: str) -> ir.Module:
        parsed.append(name)
        return parse(self, source, name)

    monkeypatch.setattr(Session, "parse", counting)
    assert compile_cached(request(), cache).artefact is not None
    assert parsed == ["mm.mlir"]


def test_names_and_places_do_not_matter(cache: Cache, compiled: list[Request]) -> None:
    compile_cached(request(), cache)
    renamed = re.sub(r"%(\w+)", r"%other_\1", TEXT)
    compile_cached(request(f"// a comment\n\n{renamed}", name="elsewhere.mlir"), cache)
    assert len(compiled) == 1


NARROW = TEXT.replace("x32xf32", "x32xbf16").replace(": f32", ": bf16")


@pytest.mark.parametrize(
    "other",
    [
        {"text": NARROW},
        {"text": TEXT.replace("@matmul", "@product")},
        {"passes": PASSES.replace("1x1", "2x2")},
        {"passes": PASSES.replace(", matrix-core", "")},
        {"target": "sm_90a"},
        {"debug_lines": True},
    ],
    ids=lambda other: next(iter(other)),
)
def test_whatever_changes_the_code_changes_the_key(other: dict) -> None:
    assert _key(request(**other)) != _key(request())


def test_versions_tools_and_our_own_sources_are_part_of_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = {_key(request())}
    monkeypatch.setattr(cache_module, "package_versions", lambda: {"llvmlite": "0"})
    keys.add(_key(request()))
    monkeypatch.setattr(cache_module, "_fingerprint", lambda: "another compiler")
    keys.add(_key(request()))
    linked = dataclasses.replace(request(), link="try")
    keys.add(_key(linked))
    monkeypatch.setattr(cache_module, "_tools", lambda: ["another linker"])
    keys.add(_key(linked))
    assert len(keys) == 5


@pytest.mark.parametrize("damage", ["", "truncated", "one character", "not a checksum", "binary"])
def test_a_damaged_entry_is_made_again(cache: Cache, compiled: list[Request], damage: str) -> None:
    good = compile_cached(request(), cache).artefact
    (path,) = cache.folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(
        {
            "": b"",
            "truncated": whole[: len(whole) // 2],
            "one character": whole.replace(b'"grid": [1', b'"grid": [2', 1),
            "not a checksum": whole.partition(b"\n")[2],
            "binary": bytes(range(256)),
        }[damage]
    )
    assert [entry.artefact for entry in cache.entries()] == [None]
    assert compile_cached(request(), cache).artefact == good
    assert len(compiled) == 2
    assert compile_cached(request(), cache).artefact == good
    assert len(compiled) == 2


def test_what_the_compiler_said_is_said_again(cache: Cache) -> None:
    f32 = TEXT.replace("bf16", "f32")
    heard: list[list[str]] = [[], []]
    for lines in heard:
        compile_cached(request(f32, report=lines.append), cache)
    assert any("no matrix instruction" in line for line in heard[0])
    assert heard[1] == [cache_module.PLACE.sub("", line) for line in heard[0]]


@pytest.mark.parametrize("watched", ["prints", "dumps"])
def test_watching_the_ir_bypasses_the_cache(
    cache: Cache, compiled: list[Request], watched: str, tmp_path: Path
) -> None:
    compile_cached(request(), cache)
    seen: list[str] = []
    watcher = {
        "prints": Watcher(after_all=True, emit=seen.append),
        "dumps": Watcher(dump_dir=tmp_path / "dumps"),
    }[watched]
    compile_cached(request(watcher=watcher), cache)
    assert len(compiled) == 2
    assert seen or list((tmp_path / "dumps").iterdir())


def test_an_earlier_stage_is_no_artefact(cache: Cache) -> None:
    assert compile_cached(request(stop="tile"), cache).text
    assert not cache.folder.exists()


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    file, said = tmp_path / "file", []
    file.write_text("")
    made = request(report=said.append)
    assert compile_cached(made, Cache(file)).artefact is not None
    warning = (
        f"warning: nothing is cached: cannot write {file}: a file is in its place; "
        "set $LADDER_CACHE_DIR to another folder, or to nothing"
    )
    assert said == [warning]
    assert Cache(file).fault() == warning
    assert Cache(tmp_path / "folder").fault() == ""
    assert not list((tmp_path / "folder").iterdir())


def _hammer(folder: str, number: int) -> int:
    """Compile under contention, clearing now and then; how many results were not the artefact."""
    shared, wrong = Cache(Path(folder)), 0
    good = compile_source(request()).artefact
    for turn in range(8):
        wrong += compile_cached(request(), shared).artefact != good
        if turn % 3 == number % 3:
            shared.clear()
        list(shared.entries())
    return wrong


def test_processes_share_it(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        wrong = pool.starmap(_hammer, [(str(tmp_path / "shared"), number) for number in range(3)])
    assert wrong == [0, 0, 0]
    assert not list((tmp_path / "shared").glob(".new.*"))


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LADDER_CACHE_DIR", str(tmp_path))
    assert default_cache() == Cache(tmp_path)
    monkeypatch.setenv("LADDER_CACHE_DIR", "")
    assert default_cache() is None
    monkeypatch.delenv("LADDER_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache() == Cache(tmp_path / "xdg" / "gemm-ladder")


def test_the_command_shows_and_clears(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LADDER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mm.mlir").write_text(TEXT)
    for _ in range(2):
        assert main.main(["compile", "mm.mlir", f"--passes={PASSES}", "-o", "mm.json"]) == 0
    capfd.readouterr()
    assert main.main(["cache"]) == 0
    out = capfd.readouterr().out
    assert "gfx1250 hsaco  matmul  import-matmul" in out
    assert out.splitlines()[-1].startswith("1 entries, ")
    assert main.main(["cache", "--clear"]) == 0
    assert capfd.readouterr().out.startswith("removed 1 of ")
    assert (
        main.main(["compile", "mm.mlir", f"--passes={PASSES}", "--no-cache", "-o", "m.json"]) == 0
    )
    assert not list((tmp_path / "cache").glob("*.kernel.json"))
