"""The engine is killed when an operation is done and written down: the next run goes on from there."""

import pytest

from tests.simulator.crashes.chains import killed_when_recorded
from tests.simulator.crashes.contents import contents, differences, pending
from tests.simulator.crashes.how_much import ALL
from tests.simulator.crashes.stacks import life
from tests.simulator.worlds import simulation

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600)]

AT_ONCE = 8 if ALL else 36
"""How many operations are done between two kills. The engine has eight at work."""


def test_the_engine_is_killed_after_every_operation(engines, folder, undisturbed, report):
    stack, stages = life(folder)
    with simulation(folder, engines, stack) as sim:
        for stage in stages:
            operations, there = undisturbed[stage.name]

            chain = killed_when_recorded(sim, stage.action, stage.program, at_once=AT_ONCE, operations=len(operations))

            report(stage.name, chain)
            assert set(chain.struck) <= set(operations)
            # The last operation, and the one that had to wait for it where there is such a one.
            assert len(set(operations) - set(chain.struck)) <= 2
            assert chain.twice == {}
            assert differences(there, contents(sim)) == []

            # What was about to begin when the engine was killed stays in its state until a refresh takes it out.
            assert {kind for kind, _ in pending(sim)} <= {"creating"}
            refreshed = sim.run("refresh", stage.program, flags=("--clear-pending-creates",))
            assert (refreshed.ok, refreshed.changes, pending(sim)) == (True, {}, []), refreshed.errors
