"""Multicast requests that a cluster's workgroups have made, for multicast.py to compare."""

from __future__ import annotations

from dataclasses import dataclass, field

from .asm import Line

Key = tuple[int, ...]


@dataclass
class Ledger:
    """Requests by (cluster, instruction, wave, how often before), until all peers have asked."""

    open: dict[tuple[int, int, int, int], dict[int, tuple[int, Key, Line, int]]] = field(
        default_factory=dict
    )
    count: dict[tuple[int, int], int] = field(default_factory=dict)
