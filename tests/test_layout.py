"""The rules of the source tree that no other tool checks: packaging, imports, sizes."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPO = Path(__file__).parents[1]
LAYERS = ("compiler", "passes", "dialect_defs", "runtime")
# Who may import whom: compiler -> passes -> dialect_defs, compiler -> runtime.
ALLOWED = {
    "compiler": {"compiler", "passes", "dialect_defs", "runtime"},
    "passes": {"passes", "dialect_defs"},
    "dialect_defs": {"dialect_defs"},
    "runtime": {"runtime"},
}
FILES = sorted(path for layer in LAYERS for path in (REPO / layer).rglob("*.py"))


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


def test_every_package_is_shipped() -> None:
    document = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = set(document["tool"]["setuptools"]["packages"])
    folders = {path.parent.relative_to(REPO) for path in FILES}
    code = {f"gemm_ladder.{'.'.join(folder.parts)}" for folder in folders}
    assert shipped == {*code, "gemm_ladder.docs"}  # `ladder explain` shows the guide's pages


def test_every_layer_is_typed() -> None:
    for layer in LAYERS:
        assert (REPO / layer / "py.typed").is_file()


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(REPO)))
def test_module(path: Path) -> None:
    layer = path.relative_to(REPO).parts[0]
    imports = _imports(path)
    for name in imports:
        if name.startswith("gemm_ladder."):
            assert name.split(".")[1] in ALLOWED[layer], f"{layer} imports {name}"
    if layer == "runtime":
        assert not any(name.split(".")[0] == "mlir" for name in imports)
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 40, f"{node.name} has {length} lines"
