"""Rules for multicast masks: what every workgroup of a cluster must agree on.

Bit i names logical workgroup i of the cluster. The requester must be in its own mask, at most five
workgroups may be named, and all that are named must ask for the same data with the same mask, each
for its own LDS; 0 is an ordinary load, and the only mask outside a cluster (CDNA5 ISA; HipKittens
cluster notes: hardware demotes a request with more than five destinations to a plain load).
The data itself does not depend on the mask: each request fills its own workgroup's LDS.
"""

from __future__ import annotations

from .asm import Line
from .ledger import Key
from .state import Array, Group, Machine

MOST = 5


def check_masks(g: Group, line: Line, masks: Array, data: list[Key]) -> None:
    """Check the masks of one request of each wave of `g`; `data` says what each asks for."""
    if not g.m.checks:
        return
    size = g.m.cluster_size
    for row, (mask, key) in enumerate(zip(masks.tolist(), data, strict=True)):
        if mask == 0:
            continue
        wave = int(g.index[row])
        group = wave // g.m.waves_per_group
        rank = group % size
        fault = _own_fault(mask, rank, size)
        if fault:
            g.m.findings.add("multicast", line, f"mask {mask:#06x} {fault}", g.m, wave)
            continue
        _peers(g, line, wave, rank, mask, key)


def _own_fault(mask: int, rank: int, size: int) -> str:
    if size == 1:
        return "outside a cluster, where it must be 0"
    if mask >> size:
        return f"names workgroups beyond the {size} of the cluster"
    if not mask >> rank & 1:
        return f"lacks the requester, workgroup {rank} of its cluster"
    if mask.bit_count() > MOST:
        return f"names {mask.bit_count()} workgroups, the limit is {MOST}"
    return ""


def _peers(g: Group, line: Line, wave: int, rank: int, mask: int, key: Key) -> None:
    """Compare with what the workgroups in the mask asked for at the same instruction and turn."""
    ledger, width, size = g.m.multicast, g.m.waves_per_group, g.m.cluster_size
    turn = ledger.count.get((line.pc, wave), 0)
    ledger.count[line.pc, wave] = turn + 1
    place = (wave // width // size, line.pc, wave % width, turn)
    asked = ledger.open.setdefault(place, {})
    for peer, (other_mask, other_key, other, _) in asked.items():
        named = mask >> peer & 1 or other_mask >> rank & 1
        if named and (other_mask != mask or other_key != key):
            what = f"mask {other_mask:#06x}" if other_mask != mask else "other data"
            g.m.findings.add(
                "multicast", line, f"mask {mask:#06x}: workgroup {peer} of the cluster asks with "
                f"{what}", g.m, wave, other=other,
            )  # fmt: skip
            break
    asked[rank] = (mask, key, line, wave)
    if len(asked) == size:
        del ledger.open[place]


def check_complete(machine: Machine) -> None:
    """At the end of a chunk: every workgroup that a mask names made the request itself."""
    for asked in machine.multicast.open.values():
        for mask, _, line, wave in asked.values():
            missing = [i for i in range(machine.cluster_size) if mask >> i & 1 and i not in asked]
            if missing:
                machine.findings.add(
                    "multicast", line, f"mask {mask:#06x} names workgroup {missing[0]} of the "
                    "cluster, which never makes the request", machine, wave,
                )  # fmt: skip
