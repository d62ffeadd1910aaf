"""A pass is a file, a class, a page and a test folder of the same name."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gemm_ladder.passes.options import option_infos
from gemm_ladder.passes.registry import pass_class, pass_names

REPO = Path(__file__).parents[2]


@pytest.mark.parametrize("name", pass_names())
def test_file_class_and_page(name: str) -> None:
    cls = pass_class(name)
    assert cls.name == name
    assert dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen
    assert cls.__name__ == "".join(part.capitalize() for part in name.split("-"))
    assert all(info.help for info in option_infos(cls))
    page = [line.strip() for line in (cls.__doc__ or "").splitlines()]
    for heading in ("Before:", "After:", "Source:"):
        assert any(line.startswith(heading) for line in page), heading


@pytest.mark.parametrize("name", pass_names())
def test_lit_folder_with_a_refused_input(name: str) -> None:
    texts = [path.read_text() for path in (REPO / "lit_tests" / name).glob("*.mlir")]
    assert len(texts) >= 3
    assert any("RUN: not ladder-opt" in text for text in texts)


def test_every_file_is_registered() -> None:
    files = {path.stem.replace("_", "-") for path in (REPO / "passes").glob("*.py")}
    assert files - {"--init--", "base", "options", "registry"} == set(pass_names())
