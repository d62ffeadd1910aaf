"""Barriers with split signal and wait: workgroup (-1), cluster (-3) and named (CDNA5 ISA 5.6.6).

A barrier completes when all its members signalled, and every wave it is for may then pass one
wait: a wait with no signal of one's own phase never passes. Completions that a wave has not waited
for are counted. That matters for the cluster's barrier alone, where one wave signals for its
workgroup and may do so again before the slowest of the others has waited; whether hardware
remembers more than one is not published, but a wave would have to sleep through a phase to notice.
Members: the live waves of a workgroup; the live workgroups of a cluster, for each of which one wave
signals; for a named barrier the number its initialisation states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .asm import Line
    from .state import Group, Machine

Array = npt.NDArray[Any]

WORKGROUP, CLUSTER = -1, -3
NAMED = 16  # ids 1 to 16 in M0[4:0]
BAD_ID = "only barriers -1, -3 and 1 to 16 are modelled"


class Phases:
    """Arrivals at one kind of barrier, a barrier a unit, and what the signals of a phase publish.

    `unit` is the unit of each wave; `complete` how many waits a wave may pass. Knowledge is kept a
    workgroup, since LDS is.
    """

    def __init__(self, unit: Array, members: Array, groups: int, width: int) -> None:
        self.unit, self.members = unit, members
        self.arrived: Array = np.zeros(len(members), dtype=np.int64)
        self.complete: Array = np.zeros(len(unit), dtype=np.int64)
        self.gathering: Array = np.zeros((groups, width), dtype=np.int64)
        self.published = self.gathering.copy()

    def arrive(self, waves: Array, groups: Array, known: Array) -> None:
        """One signal of each wave."""
        np.add.at(self.arrived, self.unit[waves], 1)
        np.maximum.at(self.gathering, groups, known)

    def close(self, group_unit: Array) -> Array:
        """Complete the units whose members all arrived; booleans over the units."""
        done: Array = (self.arrived >= self.members) & (self.arrived > 0)
        if done.any():
            self.arrived[done] = 0
            self.complete[done[self.unit] & (self.unit >= 0)] += 1
            theirs = done[group_unit]
            self.published[theirs] = self.gathering[theirs]
            self.gathering[theirs] = 0
        return done


class Barriers:
    """All barriers of a chunk of workgroups."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        width, waves = machine.waves_per_group, machine.waves
        groups = waves // width
        self.group: Array = machine.workgroup
        self.live: Array = np.full(groups, width, dtype=np.int64)
        self.signalled: Array = np.zeros(waves, dtype=bool)
        self.workgroup = Phases(self.group, self.live, groups, width)
        self.named: dict[int, Phases] = {}
        self.joined: Array = np.zeros(waves, dtype=np.int64)
        self.changes = 0
        self.form_clusters(1)

    def form_clusters(self, size: int) -> None:
        """Each `size` consecutive workgroups are one cluster."""
        groups = len(self.live)
        self.cluster_of: Array = np.arange(groups) // size
        self.cluster_live: Array = np.full(-(-groups // size), size, dtype=np.int64)
        self.group_signalled: Array = np.zeros(groups, dtype=bool)
        unit = self.cluster_of[self.group]
        self.cluster = Phases(unit, self.cluster_live, groups, self.machine.waves_per_group)

    def signal(self, g: Group, number: int, line: Line) -> None:
        """One signal of each wave of `g`; SimError for a second one in a phase."""
        waves = g.index
        groups = self.group[waves]
        known = self.machine.clocks.signal(waves)
        if number == WORKGROUP:
            self._once(self.signalled[waves], waves, line, "signals the barrier twice in a phase")
            self.signalled[waves] = True
            self.workgroup.arrive(waves, groups, known)
        elif number == CLUSTER:
            again = self.group_signalled[groups].copy()
            order = np.argsort(groups, kind="stable")
            again[order[1:]] |= groups[order[1:]] == groups[order[:-1]]
            self._once(again, waves, line, "signals the cluster barrier, which another wave of its "
                       "workgroup has done in this phase")  # fmt: skip
            self.group_signalled[groups] = True
            self.cluster.arrive(waves, groups, known)
        self.close()

    def _once(self, again: Array, waves: Array, line: Line, says: str) -> None:
        if again.any():
            wave = int(waves[int(np.argmax(again))])
            self.machine.findings.add("barrier", line, says, self.machine, wave)
            raise line.fail(f"{self.machine.describe(wave)} {says}")

    def first(self, g: Group) -> Array:
        """Which waves of `g` are the first to signal their workgroup's barrier in this phase."""
        groups = self.group[g.index]
        leads = np.ones(g.n, dtype=bool)
        leads[1:] = groups[1:] != groups[:-1]
        return np.asarray(leads & (self.workgroup.arrived[groups] == 0))

    def _phases(self, number: int, line: Line) -> Phases:
        if number not in self.named:
            raise line.fail(f"named barrier {number} was never initialised")
        return self.named[number]

    def init_named(self, g: Group, number: int, count: int) -> None:
        """Named barrier `number` of the workgroups of `g` has `count` members."""
        groups = len(self.live)
        if number not in self.named:
            unit = np.full(self.machine.waves, -1, dtype=np.int64)
            members = np.full(groups, count, dtype=np.int64)
            self.named[number] = Phases(unit, members, groups, self.machine.waves_per_group)
        self.named[number].members[self.group[g.index]] = count

    def join(self, g: Group, number: int, line: Line) -> None:
        """The waves of `g` wait on named barrier `number` from now on."""
        phases = self._phases(number, line)
        self.joined[g.index] = number
        for other in self.named.values():
            other.unit[g.index] = -1
        phases.unit[g.index] = self.group[g.index]

    def signal_named(self, g: Group, number: int, line: Line) -> None:
        """Signals of waves that need not have joined."""
        phases = self._phases(number, line)
        known = self.machine.clocks.signal(g.index)
        groups = self.group[g.index]
        np.add.at(phases.arrived, groups, 1)
        np.maximum.at(phases.gathering, groups, known)
        self.close()

    def end(self, waves: Array) -> None:
        """These waves ended."""
        np.subtract.at(self.live, self.group[waves], 1)
        gone = np.unique(self.group[waves])
        gone = gone[self.live[gone] == 0]
        np.subtract.at(self.cluster_live, self.cluster_of[gone], 1)
        self.close()

    def _kind(self, number: int) -> tuple[Phases | None, Array]:
        """(phases, which waves may pass) of a wait on `number`; a positive one: what was joined."""
        if number == WORKGROUP:
            return self.workgroup, self.workgroup.complete > 0
        if number == CLUSTER:
            return self.cluster, self.cluster.complete > 0
        flags = np.zeros(self.machine.waves, dtype=bool)
        for phases in self.named.values():
            flags |= (phases.complete > 0) & (phases.unit >= 0)
        return None, flags

    def ready(self, waves: Array, number: int) -> Array:
        """Which of these waves may pass a wait."""
        return np.asarray(self._kind(number)[1][waves])

    def wait(self, g: Group, number: int) -> Array:
        """Like ready, and those that may pass do: flags are consumed, knowledge is gained."""
        phases, flags = self._kind(number)
        ready: Array = flags[g.index]
        waves = g.index[ready]
        if len(waves):
            for one in [phases] if phases else list(self.named.values()):
                mine = waves
                if not phases:
                    mine = waves[(one.complete[waves] > 0) & (one.unit[waves] >= 0)]
                one.complete[mine] -= 1
                self.machine.clocks.acquire(mine, one.published[self.group[mine]])
        return ready

    def close(self) -> None:
        """Complete what is complete."""
        every = np.arange(len(self.live))
        done = self.workgroup.close(every)
        if done.any():
            self.signalled[done[self.group]] = False
            self.changes += 1
        over = self.cluster.close(self.cluster_of)
        if over.any():
            self.group_signalled[over[self.cluster_of]] = False
            self.changes += 1
        for phases in self.named.values():
            self.changes += bool(phases.close(every).any())

    def status(self, wave: int, number: int) -> str:
        """What a wave that waits waits for: the barrier, n of m arrived."""
        if number == WORKGROUP:
            unit, phases, name, whose = self.group[wave], self.workgroup, "workgroup", "waves"
        elif number == CLUSTER:
            unit, phases = self.cluster_of[self.group[wave]], self.cluster
            name, whose = "cluster", "workgroups"
        else:
            joined = int(self.joined[wave])
            if joined not in self.named:
                return "a named barrier without having joined one"
            unit, phases = self.group[wave], self.named[joined]
            name, whose = f"named ({joined})", "signals"
        return (
            f"the {name} barrier, {int(phases.arrived[unit])} of {int(phases.members[unit])} "
            f"{whose} arrived"
        )
