"""A stack on a Capacity Block, day by day: what an edit does before the block begins, during it and after its end."""

from datetime import UTC, datetime

import pytest

from tests.simulator.lives import BLOCK, NEXT_BLOCK, every, instances, scale, sizes, to, without, words

pytestmark = pytest.mark.thorough

DURING, NEXT_BEGUN, BETWEEN = (datetime(2026, 11, day, 12, 0, tzinfo=UTC) for day in (24, 27, 26))
"""Half an hour after the first block's start, after the next one's, and after the first one's end."""
DRAINED = datetime(2026, 11, 26, 10, 51, tzinfo=UTC)
"""A minute after EKS has taken the nodes of the first block away, and before its end."""

three = to("nodeGroups.h100.size.max", 3)
newer = to("cluster.kubernetesVersion", "1.36")
next_block = to("capacityBlocks.training.reservationId", NEXT_BLOCK)
rotated = every(
    to("capacityBlocks.december.reservationId", NEXT_BLOCK), to("nodeGroups.h100.nextCapacityBlocks", ["december"])
)
"""The next block takes over on the same node group."""
beside = every(
    to("capacityBlocks.december", {"reservationId": NEXT_BLOCK}),
    to(
        "nodeGroups.h100-december",
        {"instanceType": "p5.48xlarge", "capacityBlock": "december", "size": {"max": 4}, "efa": {"enabled": True}},
    ),
)
"""A block and a group of their own, beside the old ones."""


def blocks_in_use(deployed):
    """Reservations, by how many instances run in them."""
    found = [i.reservation_id for group in deployed.account.state.scaling_groups() for i in group.instances]
    return {block: found.count(block) for block in (BLOCK, NEXT_BLOCK) if block in found}


def test_fewer_nodes_before_the_start(deployments, tmp_path):
    """The start action asks for the new number: for the old one it would fail, and no node ever come."""
    with deployments.copied("prod", tmp_path) as deployed:
        planned, done = deployed.run("preview", three), deployed.run("up", three)
        assert words(planned) == words(done) == {"update NodeGroup h100", "recreate Schedule h100-capacity-block-start"}
        assert deployed.run("up", three).changes == {}

        deployed.simulation.set_clock(DURING)

        assert (sizes(deployed.account, "h100"), blocks_in_use(deployed)) == ((0, 3, 3), {BLOCK: 3})


def test_fewer_nodes_during_a_block(deployments, tmp_path):
    """The others stay: with a size EKS is told the number of nodes, which was 0 at creation."""
    with deployments.copied("prod", tmp_path) as deployed:
        deployed.simulation.set_clock(DURING)
        ((_, before),) = instances(deployed.account)["h100"].items()

        planned, done = deployed.run("preview", three), deployed.run("up", three)

        assert words(planned) == words(done) == {"update NodeGroup h100", "recreate Schedule h100-capacity-block-start"}
        ((_, after),) = instances(deployed.account)["h100"].items()
        assert (len(after), set(after) < set(before)) == (3, True)
        assert deployed.run("up", three).changes == {}


def test_an_upgrade_during_a_block(deployments, tmp_path):
    """Refused while nodes run. Without nodes it is done, and they come back by themselves."""
    with deployments.copied("prod", tmp_path) as deployed:
        deployed.simulation.set_clock(DURING)

        refused = deployed.run("up", newer)
        assert [step.name for step in refused.failed] == ["h100"]
        assert "is updated at a desired size of 0 only, not of 4" in refused.errors[0]
        assert blocks_in_use(deployed) == {BLOCK: 4}

        scale(deployed.account, "h100", desiredSize=0)
        assert deployed.run("up", newer).ok
        assert (sizes(deployed.account, "h100"), blocks_in_use(deployed)) == ((0, 4, 4), {BLOCK: 4})
        assert deployed.run("up", newer).changes == {}


def test_the_next_block_for_the_same_group(deployments, tmp_path):
    """After the end of the old one, which every deployment refuses from then on."""
    with deployments.copied("prod", tmp_path) as deployed:
        deployed.simulation.set_clock(BETWEEN)
        assert f"{BLOCK} is expired" in deployed.run("preview").errors[0]

        planned, done = deployed.run("preview", next_block), deployed.run("up", next_block)

        assert (
            words(planned)
            == words(done)
            == {
                "update EventRule training-capacity-block",
                "update LaunchTemplate h100",
                "update MetricAlarm training-capacity-block-idle",
                "update NodeGroup h100",
                "recreate Schedule h100-capacity-block-start",
                "update PrometheusRule monitoring-rules",  # an alert counts down to the end of the block
            }
        )
        assert deployed.run("up", next_block).changes == {}
        deployed.simulation.set_clock(NEXT_BEGUN)
        assert (sizes(deployed.account, "h100"), blocks_in_use(deployed)) == ((0, 4, 4), {NEXT_BLOCK: 4})


def test_blocks_that_follow_each_other(deployments, tmp_path):
    """Named beforehand, the next block takes over at the first deployment after the drain: the node group stays."""
    with deployments.copied("prod", tmp_path) as deployed:
        assert {word for word in words(deployed.run("up", rotated)) if "december" not in word} == {
            "update PrometheusRule monitoring-rules"  # alerts count down to the end of each block
        }
        ((group, _),) = instances(deployed.account)["h100"].items()
        deployed.simulation.set_clock(DRAINED)
        assert blocks_in_use(deployed) == {}

        planned, done = deployed.run("preview", rotated), deployed.run("up", rotated)

        assert (
            words(planned)
            == words(done)
            == {
                "update LaunchTemplate h100",
                "update NodeGroup h100",
                "recreate Schedule h100-capacity-block-start",
            }
        )
        assert deployed.run("up", rotated).changes == {}
        deployed.simulation.set_clock(NEXT_BEGUN)
        assert (blocks_in_use(deployed), list(instances(deployed.account)["h100"])) == ({NEXT_BLOCK: 4}, [group])


def test_a_group_of_its_own_for_the_next_block(deployments, tmp_path):
    """It waits for its start while the old one works, which goes after its end."""
    with deployments.copied("prod", tmp_path) as deployed:
        assert sizes(deployed.account, "h100") == (0, 0, 4)
        deployed.simulation.set_clock(DURING)
        assert (sizes(deployed.account, "h100"), blocks_in_use(deployed)) == ((0, 4, 4), {BLOCK: 4})
        # From now on the program knows how many there are, and says so once.
        assert words(deployed.run("up")) == {"update NodeGroup h100"}
        assert (deployed.run("up").changes, blocks_in_use(deployed)) == ({}, {BLOCK: 4})

        done = deployed.run("up", beside)

        changes = {word.partition(" ")[0] for word in words(done) if "december" in word}
        assert (done.errors, changes, blocks_in_use(deployed)) == ([], {"create"}, {BLOCK: 4})
        deployed.simulation.set_clock(NEXT_BEGUN)
        assert blocks_in_use(deployed) == {NEXT_BLOCK: 4}
        alone = every(beside, without("capacityBlocks.training", "nodeGroups.h100"))
        gone = {word for word in words(deployed.run("up", alone)) if "december" not in word}
        assert {word for word in gone if not word.startswith("delete ")} == {"update PrometheusRule monitoring-rules"}
        assert blocks_in_use(deployed) == {NEXT_BLOCK: 4}
