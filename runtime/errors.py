"""Faults that a user can cause or must know of: each is one line, shown without a traceback."""

from __future__ import annotations


class RuntimeFault(Exception):  # noqa: N818 - faults of the surroundings, not of our code
    """Base of every expected failure in the runtime. `str(fault)` is always one line.

    `findings` are what a device recorded up to a fault that ended a launch, as LaunchResult's.
    """

    findings: tuple[dict[str, object], ...] = ()

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class ArtefactError(RuntimeFault):
    """An artefact on disk is missing, unreadable, truncated, inconsistent or not ours."""


class DeviceError(RuntimeFault):
    """A device, its driver or its binding is absent, or refused an operation."""


class DeviceNameError(DeviceError):
    """What asks for a device, such as sim:early or cuda:1, names a kind or option there is not."""


class LaunchError(RuntimeFault):
    """A launch was refused before anything ran: wrong arguments, architecture or limits."""
