"""The engine is killed when AWS has done something and the answer is on its way: what becomes of what was made.

Only the user can know of it: docs/after-a-crash.md says what to do.
"""

import pytest

from tests.simulator.crashes.chains import killed_when_unrecorded, remove_by_hand
from tests.simulator.crashes.contents import but_for_versions, contents, differences, pending
from tests.simulator.crashes.fates import CHANGES_REFUSED, expected
from tests.simulator.crashes.how_much import ALL
from tests.simulator.crashes.stacks import life
from tests.simulator.worlds import changed, simulation

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600)]

AT_ONCE = 16
SAMPLE = {
    "create aws:sns/topicSubscription:TopicSubscription training-capacity-block",
    "create aws:ec2/vpc:Vpc eks-accelerators-prod",
    "create aws:ec2/subnet:Subnet eks-accelerators-prod-public-us-east-2a",
    "create aws:eks/cluster:Cluster eks-accelerators-prod-eksCluster",
}


def test_what_becomes_of_orphans(engines, folder, undisturbed, report):
    stack, stages = life(folder)
    with simulation(folder, engines, stack) as sim:
        for stage in stages if ALL else stages[:1]:
            operations, there = undisturbed[stage.name]

            chain = killed_when_unrecorded(sim, stage.action, stage.program, at_once=AT_ONCE, wanted=_wanted)

            report(stage.name, chain)
            # More than those: what was half made when it was refused is updated in the end.
            assert set(filter(_wanted, operations)) <= set(chain.struck)
            for orphan in chain.orphans:
                fate, words = expected(orphan.token, orphan.name)
                assert (orphan.fate, words in (orphan.refusal or "")) == (fate, True), orphan
            for urn, refusal in chain.refused.items():
                assert CHANGES_REFUSED[urn.split("::")[2].rpartition("$")[2]] in refusal

            left_over = [orphan for orphan in chain.orphans if orphan.fate == "left over"]
            # A change that is made twice is one more version of a launch template and of a release, alike.
            assert bool(differences(but_for_versions(there), but_for_versions(contents(sim)))) == bool(left_over)

            for orphan in reversed(left_over):
                remove_by_hand(sim, orphan)
            refreshed = sim.run("refresh", stage.program, flags=("--clear-pending-creates",))
            assert (refreshed.errors, changed(refreshed), pending(sim)) == ([], set(), [])
            assert differences(but_for_versions(there), but_for_versions(contents(sim))) == []


def _wanted(operation):
    return ALL or " ".join(operation) in SAMPLE
