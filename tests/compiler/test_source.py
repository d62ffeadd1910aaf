"""Outputs are whole or absent, whatever goes wrong while they are written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from gemm_ladder.compiler.errors import InputError
from gemm_ladder.compiler.source import write_output
from gemm_ladder.compiler.stages import SUFFIXES, parse_name, stage_named


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.s"
    path.write_text("old")

    class FullDisk:
        """A file whose write fails half-way."""

        def __init__(self, handle: int, *_: Any) -> None:
            self.handle = handle

        def __enter__(self) -> FullDisk:
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self.handle)

        def write(self, data: bytes) -> None:
            os.write(self.handle, data[:2])
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", FullDisk)
    with pytest.raises(InputError, match="cannot write: No space left on device"):
        write_output(str(path), "a new text")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_sees_the_old_or_the_new_file(tmp_path: Path) -> None:
    path = tmp_path / "out.s"
    path.write_text("old")
    with path.open() as reader:
        write_output(str(path), "new and longer")
        assert reader.read() == "old"
    assert path.read_text() == "new and longer"


def test_names_and_stages() -> None:
    for stage, suffix in SUFFIXES.items():
        name = parse_name(f"dir.d/mm.v2{suffix}")
        assert name is not None
        assert (name.stem, name.stage) == ("mm.v2", stage)
        assert stage_named(suffix) == stage_named(suffix[1:]) == stage_named(stage) == stage
    plain = parse_name("mm.mlir")
    assert plain is not None
    assert (plain.stem, plain.stage) == ("mm", "linalg")
    assert parse_name("mm.txt") is None
    assert parse_name(".mlir") is None
