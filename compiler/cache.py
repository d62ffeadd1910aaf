"""Compiled kernels on disk, found again by what they were made from."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gemm_ladder.compiler as package
from gemm_ladder.compiler import stages
from gemm_ladder.compiler.codegen.tools import find_lld, find_ptxas
from gemm_ladder.compiler.compilation import (
    Parsed,
    Request,
    Result,
    compile_source,
    package_versions,
    parse_source,
)
from gemm_ladder.compiler.errors import InputError, MissingToolError
from gemm_ladder.compiler.resolve import pipeline_text
from gemm_ladder.compiler.session import PLACE
from gemm_ladder.runtime.artefact import Artefact
from gemm_ladder.runtime.artefact_files import artefact_of, document_of
from gemm_ladder.runtime.errors import ArtefactError

VARIABLE = "LADDER_CACHE_DIR"
_SUFFIX = ".kernel.json"


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file of the cache: what it holds (None: it is damaged), and its size in bytes."""

    path: Path
    size: int
    artefact: Artefact | None


@dataclasses.dataclass(frozen=True)
class Cache:
    """A folder with one file for each compilation.

    A file holds a checksum and what it covers, and appears by a rename: a reader, in whatever
    process, sees a whole entry or none, and takes a damaged one for none.
    """

    folder: Path

    def load(self, key: str) -> tuple[Artefact, list[str]] | None:
        """The artefact made under ``key``, and what the compiler said meanwhile."""
        return _read(self._path(key))

    def save(self, key: str, artefact: Artefact, said: list[str]) -> str:
        """Keep ``artefact``; "", or the warning of a folder that cannot be written."""
        body = json.dumps({"artefact": _packed(artefact), "said": said})
        return self._write(f"{_digest(body)}\n{body}", self._path(key).name)

    def fault(self) -> str:
        """The warning of save(), ahead of it: "" if the folder can be written."""
        return self._write("", "")

    def _write(self, text: str, name: str) -> str:
        """Write a file of the folder, for a moment if it has no name; "" or the warning."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, fresh = tempfile.mkstemp(prefix=".new.", dir=self.folder)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as out:
                    out.write(text)
                if name:
                    os.replace(fresh, self.folder / name)
            finally:
                Path(fresh).unlink(missing_ok=True)
        except OSError as error:
            taken = isinstance(error, FileExistsError)
            why = "a file is in its place" if taken else error.strerror or error
            cure = f"set ${VARIABLE} to another folder, or to nothing"
            return f"warning: nothing is cached: cannot write {self.folder}: {why}; {cure}"
        return ""

    def entries(self) -> Iterator[Entry]:
        """Every entry, the oldest first."""
        for path in sorted(self.folder.glob(f"*{_SUFFIX}"), key=_age):
            found = _read(path)
            try:
                yield Entry(path, path.stat().st_size, found[0] if found else None)
            except OSError:
                continue  # another process cleared it

    def clear(self) -> int:
        """Remove every entry; how many there were. Raises InputError where one stays."""
        count = 0
        for path in [*self.folder.glob(f"*{_SUFFIX}"), *self.folder.glob(".new.*")]:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise InputError(f"{path}: error: cannot remove: {error.strerror}") from None
            count += path.name.endswith(_SUFFIX)
        return count

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"


def default_cache() -> Cache | None:
    """The user's cache: $LADDER_CACHE_DIR (empty: none), else below the user's cache folder."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Cache(Path(named)) if named else None
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Cache(Path(home) / "gemm-ladder")


def compile_cached(request: Request, cache: Cache | None) -> Result:
    """compile_source(), or the artefact that the same request made before.

    A request that prints, dumps or checks the IR between passes is always compiled. A cache that
    cannot be written is reported. Raises what compile_source() raises.
    """
    if cache is None or request.watcher.reads_ir or not _makes_artefact(request):
        return compile_source(request)
    parsed = parse_source(request.source)
    key = key_of(request, parsed)
    found = cache.load(key)
    if found is not None:
        artefact, said = found
        for line in said:
            request.report(line)
        return Result(artefact.format, artefact.target, artefact=artefact)
    lines: list[str] = []
    heard = dataclasses.replace(request, report=_both(request.report, lines))
    result = compile_source(heard, parsed)
    if result.artefact is not None:
        warning = cache.save(key, result.artefact, lines)
        if warning:
            request.report(warning)
    return result


def key_of(request: Request, parsed: Parsed | None) -> str:
    """The hash of all that the artefact of ``request``, parsed, depends on.

    The IR counts without its values' names and its locations, which reach the artefact only with
    ``debug_lines``.
    """
    parts = {
        "ir": _canonical(request, parsed),
        "pipeline": pipeline_text(request.steps),
        "versions": package_versions(),
        "compiler": _fingerprint(),
        "tools": [] if request.link == "no" else _tools(),
    }
    plain = ("target", "stop", "link", "debug_lines")
    parts |= {name: getattr(request, name) for name in plain}
    return _digest(json.dumps(parts, sort_keys=True))


def _makes_artefact(request: Request) -> bool:
    return request.stop is None or request.stop in stages.BINARY_STAGES


def _both(report: Callable[[str], None], lines: list[str]) -> Callable[[str], None]:
    """Pass a line on, and keep it without its place: the next input has others."""

    def tell(line: str) -> None:
        lines.append(PLACE.sub("", line))
        report(line)

    return tell


def _canonical(request: Request, parsed: Parsed | None) -> str:
    source = request.source
    if parsed is None:
        return f"{source.stage}\n{source.text}"
    text = parsed.module.operation.get_asm(enable_debug_info=request.debug_lines)
    return f"{source.stage}\n{text}"


def _fingerprint() -> str:
    """Changes when a file of this package does: its passes decide what a pipeline means."""
    root = Path(next(iter(package.__path__))).parent
    found = []
    for part in ("compiler", "passes", "dialect_defs", "runtime"):
        for path in sorted((root / part).resolve().rglob("*")):
            if path.suffix in (".py", ".toml", ".mlir"):
                facts = path.stat()
                found.append(f"{part} {path.name} {facts.st_size} {facts.st_mtime_ns}")
    return _digest("\n".join(found))


def _tools() -> list[str]:
    found = []
    for find in (find_lld, find_ptxas):
        try:
            program = find().command[0]
            found.append(f"{program} {os.stat(program).st_mtime_ns}")
        except MissingToolError:
            found.append("")
    return found


def _packed(artefact: Artefact) -> dict[str, Any]:
    binary = artefact.binary
    code = None if binary is None else base64.b64encode(binary).decode()
    return {**document_of(artefact), "binary": code, "asm": artefact.asm}


def _read(path: Path) -> tuple[Artefact, list[str]] | None:
    try:
        digest, _, body = path.read_text(encoding="utf-8").partition("\n")
        if digest != _digest(body):
            return None
        document = json.loads(body)
        packed = document["artefact"]
        code = packed.pop("binary")
        text = packed.pop("asm")
        binary = None if code is None else base64.b64decode(code)
        return artefact_of(packed, binary, text), list(document["said"])
    except (OSError, ValueError, KeyError, TypeError, ArtefactError):
        return None


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
