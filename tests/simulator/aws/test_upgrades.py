"""Kubernetes versions and AMI releases: the control plane goes first, nodes follow, and nothing goes back."""

from datetime import UTC, datetime

import pytest

from eks_accelerators.simulator.aws.errors import AwsError
from tests.simulator.aws.accounts import CLUSTER, RESERVATION, furnish, opened, refused, reservation

PARAMETER = "InvalidParameterException"
GROUP = {"clusterName": CLUSTER, "nodegroupName": "gpu"}


@pytest.fixture
def old(tmp_path):
    """A cluster of 1.33 with a node group of one node."""
    with opened(tmp_path) as aws:
        place = furnish(aws, version="1.33")
        place.create(releaseVersion="1.33.5-20260801")
        yield place


def upgrade(place, version):
    place.aws.call("eks", "update_cluster_version", name=CLUSTER, version=version)


def upgrade_nodes(place, **changes):
    place.aws.call("eks", "update_nodegroup_version", **GROUP, **changes)
    return place.group()["version"], place.group()["releaseVersion"]


def test_nodes_follow_the_control_plane_three_versions_behind_at_most(old):
    for version in ("1.34", "1.35", "1.36"):
        upgrade(old, version)
    with pytest.raises(
        AwsError, match=r"Nodegroups gpu must be updated to match cluster version 1\.36 before updating"
    ):
        upgrade(old, "1.37")

    assert upgrade_nodes(old, version="1.34", releaseVersion="1.34.2-20261012") == ("1.34", "1.34.2-20261012")
    upgrade(old, "1.37")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param(
            {"version": "1.35"}, "Requested Nodegroup version 1.35 is newer than cluster 1.34", id="facts-29-ahead"
        ),
        pytest.param({"version": "1.32"}, "You cannot roll back a node group from 1.33 to 1.32", id="back"),
        pytest.param(
            {"releaseVersion": "1.33.4-20260701"},
            "You cannot roll back a node group from 1.33.5-20260801 to 1.33.4-20260701",
            id="release-back",
        ),
        pytest.param(
            {"version": "1.34", "releaseVersion": "1.33.6-20261012"},
            "Requested release version 1.33.6-20261012 is not valid for kubernetes version 1.34.",
            id="release-of-the-version-before",
        ),
        pytest.param(
            {"launchTemplate": {"id": "lt-0", "version": "1"}},
            "A node group's launch template cannot be exchanged",
            id="other-template",
        ),
    ],
)
def test_updates_of_nodes_that_eks_refuses(old, changes, words):
    upgrade(old, "1.34")

    assert refused(old, "update_nodegroup_version", {**GROUP, **changes}) == (PARAMETER, words)


def test_an_update_replaces_every_node(old):
    upgrade(old, "1.34")
    before = {instance.id for instance in old.aws.state.clusters[CLUSTER].node_groups["gpu"].scaling.instances}

    assert upgrade_nodes(old, version="1.34") == ("1.34", "1.34-simulated-latest")
    after = {instance.id for instance in old.aws.state.clusters[CLUSTER].node_groups["gpu"].scaling.instances}
    assert len(after) == len(before) == 1
    assert not after & before


def test_nodes_of_a_capacity_block_are_updated_at_a_desired_size_of_0(tmp_path):
    with opened(tmp_path, {"capacityReservations": [reservation()]}) as aws:
        place = furnish(aws, version="1.34")
        block = place.template(
            {
                "InstanceType": "p5.48xlarge",
                "InstanceMarketOptions": {"MarketType": "capacity-block"},
                "CapacityReservationSpecification": {
                    "CapacityReservationTarget": {"CapacityReservationId": RESERVATION}
                },
            }
        )
        place.create(
            instanceTypes=None, capacityType="CAPACITY_BLOCK", launchTemplate=block, scalingConfig=sizes(desired=1)
        )
        upgrade(place, "1.35")

        assert refused(place, "update_nodegroup_version", {**GROUP, "version": "1.35"}) == (
            PARAMETER,
            "A node group of capacity type CAPACITY_BLOCK is updated at a desired size of 0 only, not of 1",
        )
        aws.call("eks", "update_nodegroup_config", **GROUP, scalingConfig=sizes(desired=0))
        assert upgrade_nodes(place, version="1.35") == ("1.35", "1.35-simulated-latest")


def sizes(desired):
    return {"minSize": 0, "desiredSize": desired, "maxSize": 4}


def test_new_nodes_of_a_version_that_ended_are_refused(old):
    """A cluster whose version ended: facts row 29, with the clock."""
    old.aws.set_clock(datetime(2028, 3, 27, tzinfo=UTC))
    code_and_words = refused(old, "create_nodegroup", old.request(nodegroupName="more"))

    assert code_and_words == (PARAMETER, "Requested Nodegroup version 1.33 is not supported")


@pytest.mark.parametrize(("day", "ended"), [pytest.param(27, False, id="last-day"), pytest.param(28, True, id="after")])
def test_a_version_ends_with_its_extended_support(tmp_path, day, ended):
    with opened(tmp_path, now=datetime(2028, 3, day, 12, 0, tzinfo=UTC)) as aws:
        if ended:
            with pytest.raises(AwsError, match=r"unsupported Kubernetes version 1\.35"):
                furnish(aws)
        else:
            assert furnish(aws).create()["version"] == "1.35"
