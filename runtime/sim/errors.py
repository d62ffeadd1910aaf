"""The one exception the simulator raises for a fault in a kernel, its assembly or its launch."""

from __future__ import annotations

from ..errors import RuntimeFault


class SimError(RuntimeFault):
    """A kernel did something hardware forbids, or the simulator does not model.

    The message is one line that names the instruction's line and text where there is one.
    """
