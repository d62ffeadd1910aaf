"""Scheduling groups that ask for LDS reads between matrix instructions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gemm_ladder.dialect_defs import build

_LEAST_READS = 2  # an operand's block of one instruction is two reads of 16 bytes a lane


@dataclass(frozen=True)
class Pattern:
    """``rounds`` of ``reads`` LDS reads followed by ``products`` matrix instructions."""

    reads: int
    products: int
    rounds: int

    def emit(self) -> None:
        """The pattern's groups, at the insertion point, behind the ops that they order."""
        build.sched_group("lds_read", self.reads, self.rounds)
        build.sched_group("mma", self.products, self.rounds)


def even(reads: int, products: int) -> Pattern:
    """The finest pattern of whole rounds that spreads ``reads`` evenly over ``products``."""
    common = math.gcd(reads, products)
    fitting = [r for r in range(1, common + 1) if common % r == 0 and reads // r >= _LEAST_READS]
    rounds = max(fitting, default=1)
    return Pattern(reads // rounds, products // rounds, rounds)
