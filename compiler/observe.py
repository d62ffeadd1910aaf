"""Watching a pipeline: IR printed around chosen passes, and one numbered file a pass."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gemm_ladder.compiler.errors import InputError, UsageError, closest
from gemm_ladder.compiler.pipeline_text import UPSTREAM
from gemm_ladder.compiler.reproducer import write_reproducer
from gemm_ladder.compiler.resolve import Step


@dataclass
class Watcher:
    """Prints and dumps IR while steps run.

    ``before`` and ``after`` are step names; ``dump_dir`` gets ``00-input.mlir``, then one file a
    pass, each on disk before the next pass starts; ``emit`` takes the printed text. ``verify`` is
    called after every pass with the step and the text before and after it, and raises LadderError
    if the pass broke the module. ``current`` is the step that runs and the text before it.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    after_all: bool = False
    dump_dir: Path | None = None
    emit: Callable[[str], None] = print
    verify: Callable[[Step, str, str], None] | None = None
    reproducer: Path | None = None
    current: tuple[Step, str] | None = None
    last_dump: Path | None = None
    snapshots: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    @property
    def reads_ir(self) -> bool:
        """Whether a user, or a check, gets to see the module between passes."""
        shown = self.before or self.after or self.after_all or self.dump_dir
        return bool(shown or self.verify or self.reproducer)

    def check(self, steps: list[Step]) -> None:
        """Refuse the name of a pass that will not run (UsageError)."""
        known = [step.name for step in steps]
        for flag, names in (("before", self.before), ("after", self.after)):
            for name in names:
                if not _selects(name, known):
                    guess = closest(name, known)
                    raise UsageError(
                        f"error: --print-ir-{flag}={name}: no such pass in this pipeline{guess}\n"
                        f"passes: {', '.join(known) or 'none'}"
                    )

    def start(self, text: str) -> None:
        """The input, before any pass."""
        if self.dump_dir is not None:
            try:
                self.dump_dir.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{self.dump_dir}: error: {error.strerror}") from None
            self._dump("input", text)

    def step_starts(self, step: Step, text: str) -> None:
        """Called with the module's text before ``step``."""
        self.current = step, text
        if self.reproducer is not None:
            # Before the pass: it may take the process down.
            write_reproducer(self.reproducer, step, text, "the process ended in the pass")
        if _selects_any(self.before, step.name):
            self.emit(f"// -----// IR before {step.name} //----- //\n{text}")

    def step_ended(self, step: Step, text: str) -> None:
        """Called with the module's text after ``step``."""
        self.snapshots[step.name] = text
        if self.after_all or _selects_any(self.after, step.name):
            self.emit(f"// -----// IR after {step.name} //----- //\n{text}")
        if self.dump_dir is not None:
            self._dump(step.name, text)
        if self.verify is not None and self.current is not None:
            self.verify(step, self.current[1], text)

    def _dump(self, name: str, text: str) -> None:
        assert self.dump_dir is not None
        safe = re.sub(r"[^\w.-]+", "-", name).strip("-")[:60]
        path = self.dump_dir / f"{self._count:02d}-{safe}.mlir"
        self._count += 1
        try:
            with path.open("w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                # On disk even if the next pass takes the process down.
                os.fsync(out.fileno())
        except OSError as error:
            raise InputError(f"{path}: error: {error.strerror}") from None
        self.last_dump = path


def _selects(name: str, known: list[str]) -> bool:
    return any(_selects_any((name,), k) for k in known)


def _selects_any(names: tuple[str, ...], step: str) -> bool:
    return any(step in (name, UPSTREAM + name) for name in names)
