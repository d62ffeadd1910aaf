"""Rules of multicast masks, on a cluster of workgroups with one wave each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .snippet import execute
from .test_memory import base, filled

LANE = np.arange(32)
LOAD = "cluster_load_async_to_lds_b32 v0, v1, s[4:5]"
END = "\ns_wait_asynccnt 0x0"


def messages(
    masks: list[int], offsets: Any = 0, text: str = LOAD + END, later: Any = 0
) -> list[str]:
    """Findings of a cluster whose workgroup i asks with masks[i] from byte offsets[i] on."""
    memory, address = filled()
    where = 4 * LANE[None, :] + np.broadcast_to(offsets, len(masks))[:, None]
    machine = execute(
        text, v={0: 4 * LANE, 1: where}, s={**base(address), 125: np.array(masks), 20: later},
        memory=memory, waves=len(masks), waves_per_group=1, cluster=len(masks),
    )  # fmt: skip
    assert {f.kind for f in machine.findings.all()} <= {"multicast"}
    return [f.message for f in machine.findings.all()]


@pytest.mark.parametrize("masks", [[0] * 4, [15] * 4, [3, 3, 12, 12], [1, 2, 4, 8],
                                   [1, 0, 12, 12], [31] * 5 + [0] * 3])  # fmt: skip
def test_masks_that_agree(masks: list[int]) -> None:
    assert messages(masks) == []


@pytest.mark.parametrize(
    ("masks", "says"),
    [
        ([14, 14, 14, 14], "lacks the requester, workgroup 0"),
        ([17, 0, 0, 0], "names workgroups beyond the 4 of the cluster"),
        ([63] * 6, "names 6 workgroups, the limit is 5"),
        ([3, 7, 4, 0], "asks with mask 0x0003"),
        ([3, 0, 0, 0], "names workgroup 1 of the cluster, which never makes the request"),
        ([1], "outside a cluster"),
    ],
)
def test_masks_that_break_a_rule(masks: list[int], says: str) -> None:
    assert any(says in message for message in messages(masks))


def test_peers_must_ask_for_the_same_data() -> None:
    found = messages([3, 3, 12, 12], [0, 4, 8, 8])
    assert found == ["mask 0x0003: workgroup 0 of the cluster asks with other data"]


def test_a_peer_that_comes_later_is_compared_too() -> None:
    """Workgroup 1 takes a detour; its second request is for other data than workgroup 0's."""
    text = f"""{LOAD}{END}
s_cmp_eq_u32 s20, 0
s_cbranch_scc1 .LBB0_1
v_add_nc_u32_e32 v1, 4, v1
.LBB0_1:
{LOAD}{END}"""
    found = messages([3, 3], text=text, later=np.array([0, 1]))
    assert found == ["mask 0x0003: workgroup 0 of the cluster asks with other data"]
