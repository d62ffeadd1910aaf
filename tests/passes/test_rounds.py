"""The width of a tile with which processors share the work evenly."""

from __future__ import annotations

import itertools

import pytest

from gemm_ladder.passes.analysis.rounds import fitted_width


@pytest.mark.parametrize(
    ("shape", "width"),
    [
        ((8192, 8192), 192),  # 21 rounds of 192 against 16 of 256: 1.6 % faster on an H200
        ((4096, 4096), 256),  # 4 rounds of 256 against 6 of 192
        ((16384, 16384), 256),  # as good as 192: the widest
        ((1024, 1024), 128),  # one round, of more processors
        ((7, 7), 128),  # at least half as wide as asked for
    ],
    ids=str,
)
def test_widths(shape: tuple[int, int], width: int) -> None:
    assert fitted_width(*shape, (128, 256), 64, 132) == width


def test_no_width_is_less_idle() -> None:
    """Of all that are allowed, none covers C in less time of all processors, by the rounds."""
    for m, n in itertools.product((256, 1000, 5000, 8192), (512, 999, 4096, 28672)):
        found = fitted_width(m, n, (128, 224), 64, 132)
        assert found in (224, 192, 128)
        rounds = {w: -(-(-(-m // 128) * -(-n // w)) // 132) for w in (224, 192, 128)}
        assert all(rounds[found] * (found + 8) <= rounds[w] * (w + 8) for w in rounds)
