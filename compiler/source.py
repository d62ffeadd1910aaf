"""Input and output of a command: files or ``-``, errors as one line, nothing half-written."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from gemm_ladder.compiler.errors import InputError, UsageError
from gemm_ladder.compiler.stages import BINARY_STAGES, SUFFIXES, parse_name

STDIN = "<stdin>"


@dataclass(frozen=True)
class Source:
    """An input: ``name`` as in locations, its text, the stage it is at, and a stem for outputs."""

    name: str
    text: str
    stage: str
    stem: str


def read_source(path: str, start_at: str | None = None) -> Source:
    """Read ``path`` (``-`` is stdin); ``start_at`` overrides the suffix's stage.

    Raises InputError if it is unreadable, UsageError if its suffix names no stage.
    """
    named = parse_name(path)
    stem = named.stem if named else (Path(path).stem or "out")
    stage = start_at or (named.stage if named else "linalg" if path == "-" else None)
    if stage is None:
        known = ", ".join([".mlir", *SUFFIXES.values()])
        raise UsageError(
            f"error: {path}: its suffix names no stage; known: {known} (or --start-at)"
        )
    if path == "-":
        return Source(STDIN, sys.stdin.read(), stage, "out")
    return Source(path, read_text(path), stage, stem)


def read_text(path: str) -> str:
    """The UTF-8 text of a file; InputError in one line if there is none."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: error: cannot read: {error.strerror}") from None
    except UnicodeDecodeError:
        name = parse_name(path)
        binary = name is not None and name.stage in BINARY_STAGES
        hint = "a binary; name the assembly or PTX beside it" if binary else "not UTF-8 text"
        raise InputError(f"{path}: error: cannot read: {hint}") from None


def is_special(path: Path) -> bool:
    """Whether ``path`` is there and no regular file: a device, a pipe, a folder."""
    return path.exists() and not path.is_file()


def write_output(path: str, data: str | bytes) -> None:
    """Write ``data`` to ``path`` whole or not at all; ``-`` is stdout. Raises InputError."""
    if path == "-":
        _write_stdout(data)
        return
    raw = data.encode() if isinstance(data, str) else data
    if is_special(Path(path)):
        _write_in_place(path, raw)
        return
    folder = Path(path).parent
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{Path(path).name}.", dir=folder)
        with os.fdopen(handle, "wb") as out:
            out.write(raw)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(f"{path}: error: cannot write: {error.strerror}") from None
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _write_stdout(data: str | bytes) -> None:
    if isinstance(data, str):
        sys.stdout.write(data)
    else:
        sys.stdout.buffer.write(data)
    sys.stdout.flush()


def _write_in_place(path: str, raw: bytes) -> None:
    """A pipe or device cannot be replaced by a rename."""
    try:
        Path(path).write_bytes(raw)
    except OSError as error:
        raise InputError(f"{path}: error: cannot write: {error.strerror}") from None


def check_writable(path: str) -> None:
    """Refuse an output that cannot be written before any work is done (InputError)."""
    if path == "-":
        return
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f"{path}: error: cannot write: no folder {folder}")
    if Path(path).is_dir():
        raise InputError(f"{path}: error: cannot write: Is a directory")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path}: error: cannot write: Permission denied")
