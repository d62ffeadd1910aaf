"""One MLIR context with the tile dialect, and MLIR's diagnostics as lines of text."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

from mlir import ir

from gemm_ladder.compiler.crash import keep_module
from gemm_ladder.compiler.errors import InputError, LadderError
from gemm_ladder.dialect_defs import load_dialect

_SEVERITY = {"ERROR": "error", "WARNING": "warning", "NOTE": "note", "REMARK": "remark"}
# The place that diagnostic_line() puts in front.
PLACE = re.compile(r"^\S*:\d+:\d+: |^\S+: (?=(?:error|warning|note|remark): )")


def _hand_over(session: Session | None, diagnostic: ir.Diagnostic) -> bool:
    return session is not None and session._collect(diagnostic)


class MlirError(LadderError):
    """MLIR or a pass rejected a module; the text holds every diagnostic with its location."""


class Session:
    """An MLIR context whose diagnostics arrive here, in order, instead of on stderr."""

    def __init__(self) -> None:
        self.context = ir.Context()
        # Modules are small: threads would only cost their start, and the order of diagnostics.
        self.context.enable_multithreading(False)
        # MLIR would otherwise print or drop what a pass says without failing.
        self.context.emit_error_diagnostics = True
        # The context keeps its handler, which therefore must not keep the session and its context.
        session = weakref.ref(self)
        self.context.attach_diagnostic_handler(lambda said: _hand_over(session(), said))
        self._lines: list[str] = []
        self._errors = 0
        load_dialect(self.context)

    def _collect(self, diagnostic: ir.Diagnostic) -> bool:
        severity = _SEVERITY[diagnostic.severity.name]
        self._errors += severity == "error"
        self._lines.append(diagnostic_line(diagnostic.location, severity, diagnostic.message))
        for note in diagnostic.notes:
            self._lines.append(diagnostic_line(note.location, "note", note.message))
        return True

    def take(self) -> tuple[list[str], bool]:
        """The lines collected since the last call, and whether one of them is an error."""
        lines, failed = self._lines, self._errors > 0
        self._lines, self._errors = [], 0
        return lines, failed

    def parse(self, source: str, name: str) -> ir.Module:
        """Parse module text; ``name`` is the file in locations. Raises InputError."""
        keep_module(source, name)
        try:
            module = self._parse(source, name)
        except ir.MLIRError as error:
            lines, _ = self.take()
            raise InputError("\n".join(lines or [f"{name}: error: {error}"])) from None
        self.take()
        return module

    def _parse(self, source: str, name: str) -> ir.Module:
        with self.context:
            # From a file, MLIR's locations name it: if what was read is what is there.
            path = Path(name)
            if path.is_file() and path.read_bytes() == source.encode():
                return ir.Module.parseFile(name)
            return ir.Module.parse(source)


def diagnostic_line(location: ir.Location, severity: str, message: str) -> str:
    """``file:line:col: severity: message``, the location left out where there is none."""
    where = place(location)
    return f"{where}: {severity}: {message}" if where else f"{severity}: {message}"


def place(location: ir.Location) -> str:
    """``file:line:col`` of a location, through names, calls and fusions; "" if unknown.

    The file alone for line 0, where MLIR puts the module that a file does not write out.
    """
    if location.is_a_file():
        name = "<stdin>" if location.filename == "-" else location.filename
        line, column = location.start_line, location.start_col
        return f"{name}:{line}:{column}" if line else str(name)
    if location.is_a_name():
        return place(location.child_loc)
    if location.is_a_callsite():
        return place(location.callee)
    if location.is_a_fused():
        return next((found for found in map(place, location.locations) if found), "")
    return ""


def module_text(module: ir.Module) -> str:
    """``module`` as text, values named by their locations (%A_LDS)."""
    return f"{module.operation.get_asm(use_name_loc_as_prefix=True)}".rstrip("\n") + "\n"


@contextlib.contextmanager
def captured_stderr() -> Iterator[Callable[[], str]]:
    """Catch what C++ code writes on file descriptor 2; yields a function that returns it."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as sink:
        saved = os.dup(2)
        os.dup2(sink.fileno(), 2)
        try:

            def read() -> str:
                sink.seek(0)
                return sink.read().decode(errors="replace")

            yield read
        finally:
            os.dup2(saved, 2)
            os.close(saved)
