"""What a command reports instead of a traceback, and the exit code that goes with it."""

from __future__ import annotations

import difflib


class LadderError(Exception):
    """A refusal that a user can act on; ``str`` is the whole text for stderr, without a stack."""

    exit_code = 1


class InputError(LadderError):
    """An input or output file is unreadable, unwritable or not what its suffix says."""

    exit_code = 2


class UsageError(LadderError):
    """The command line or a pipeline text asks for something that does not exist."""

    exit_code = 2


class MissingToolError(LadderError):
    """An external tool that the asked-for output needs was not found; says where it was sought."""


class InternalError(LadderError):
    """A pass failed in a way that no input should cause: a defect of ours, kept to one line."""


def closest(name: str, known: list[str]) -> str:
    """``; did you mean 'x'?`` with the nearest of ``known``, or nothing."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""
