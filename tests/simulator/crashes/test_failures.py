"""Every operation of a stack's life fails once: the next run makes good for it, and nothing is made twice."""

import pytest

from tests.simulator.crashes.chains import each_fails_once
from tests.simulator.crashes.contents import contents, differences, pending
from tests.simulator.crashes.how_much import ALL, in_the_sample
from tests.simulator.crashes.stacks import life
from tests.simulator.worlds import simulation

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600)]


def test_every_operation_fails_once(engines, folder, undisturbed, report):
    stack, stages = life(folder)
    with simulation(folder, engines, stack) as sim:
        for stage in stages:
            operations, there = undisturbed[stage.name]

            # As it is used the engine begins nothing more after a failure; a sample takes all that it finds in one run.
            chain = each_fails_once(sim, stage.action, stage.program, wanted=in_the_sample, keep_going=not ALL)

            report(stage.name, chain)
            assert set(chain.struck) == set(filter(in_the_sample, operations))
            assert chain.twice == {}
            assert pending(sim) == []
            assert differences(there, contents(sim)) == []
