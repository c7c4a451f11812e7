"""Node groups that EKS takes, and that come to nothing: no capacity, no quota, no network, a block that has not begun."""

import re
from datetime import timedelta

import botocore.session
import pytest

from eks_accelerators.simulator.aws.errors import AwsError
from tests.simulator.aws.accounts import CLUSTER, RESERVATION, START, furnish, opened, reservation
from tests.simulator.aws.test_node_group_refusals import BLOCK_TEMPLATE, BY_BLOCK, A, B, C

G_VCPUS, G_SPOT_VCPUS = "L-DB2E81BA", "L-3819A6DF"


def short(*zones, kind="g6.2xlarge"):
    return {"insufficientCapacity": [{"instanceType": kind, "zone": zone} for zone in zones]}


@pytest.fixture(scope="module")
def furnished(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("account")) as aws:
        yield furnish(aws)


@pytest.fixture
def account(furnished):
    """One account for all tests, in which there is afterwards what was there before: each has a world of its own."""
    state = furnished.aws.state
    cluster, addons, began = state.clusters[CLUSTER], dict(state.clusters[CLUSTER].addons), len(state.happened)

    def make(world=None, addons=("vpc-cni", "kube-proxy")):
        furnished.aws.set_up(world or {})
        cluster.addons = {name: addon for name, addon in cluster.addons.items() if name in addons}
        return furnished

    yield make
    for name in list(cluster.node_groups):
        furnished.delete(name)
    cluster.addons = addons
    for held in (state.quotas, state.without_capacity, state.blocks):
        held.clear()
    del state.happened[began:]


def nodes(place, desired, zones=(A,), **changes):
    """Status, issues and zones of a new node group of that many nodes."""
    sizes = {"minSize": 0, "desiredSize": desired, "maxSize": max(desired, 1)}
    made = place.create(subnets=[place.subnets[zone] for zone in zones], scalingConfig=sizes, **changes)
    issues = [(issue["code"], issue["message"]) for issue in made["health"]["issues"]]
    return made["status"], issues, place.zones()


def test_nodes_are_spread_over_the_zones(account):
    assert nodes(account(), 4, (A, B, C)) == ("ACTIVE", [], [A, B, C, A])


def test_a_zone_without_capacity_is_passed_over(account):
    """And told: nothing else shows why a zone has no node."""
    place = account(short(A))

    assert nodes(place, 3, (A, B, C)) == ("ACTIVE", [], [B, B, C])
    (told,) = [what for _, what in place.aws.state.happened if "Launched in" in what]
    assert told == (
        "node group gpu: InsufficientInstanceCapacity: We currently do not have sufficient g6.2xlarge capacity in the "
        "Availability Zone you requested (us-east-2a). Launched in us-east-2b."
    )


def test_another_zone_is_what_auto_scaling_tries_by_default():
    """As the model of its API says."""
    model = botocore.session.get_session().get_service_model("autoscaling")
    strategy = model.shape_for("AvailabilityZoneDistribution").members["CapacityDistributionStrategy"]
    said = re.sub(r"<[^>]+>|\s+", " ", strategy.documentation)

    assert "The default is balanced-best-effort" in " ".join(said.split())
    assert "attempt to launch in another healthy Availability Zone instead" in " ".join(said.split())


@pytest.mark.parametrize("zones", [pytest.param((A, B), id="each-zone"), pytest.param((None,), id="everywhere")])
def test_no_zone_has_capacity(account, zones):
    reason = (
        "Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not have sufficient "
        "g6.2xlarge capacity in the Availability Zone you requested (us-east-2a). Launching EC2 instance failed."
    )

    assert nodes(account(short(*zones)), 1, (A, B)) == ("CREATE_FAILED", [("AsgInstanceLaunchFailures", reason)], [])


def test_the_next_type_is_tried_where_the_first_is_short(account):
    place = account(short(None))
    nodes(place, 1, instanceTypes=["g6.2xlarge", "g5.2xlarge"])

    (instance,) = place.aws.state.clusters[CLUSTER].node_groups["gpu"].scaling.instances
    assert instance.instance_type == "g5.2xlarge"


@pytest.mark.parametrize(
    ("quotas", "changes", "words"),
    [
        pytest.param(
            {G_VCPUS: 8},
            {},
            "On-Demand Instances. VcpuLimitExceeded - You have requested more vCPU capacity than your current vCPU "
            "limit of 8 allows for the instance bucket that the specified instance type belongs to (L-DB2E81BA; 8 in "
            "use, g6.2xlarge needs 8).",
            id="facts-20-on-demand",
        ),
        pytest.param(
            {G_SPOT_VCPUS: 0}, {"capacityType": "SPOT"}, "Spot Instances. VcpuLimitExceeded", id="facts-21-spot"
        ),
        pytest.param(
            {"L-1216C47A": 2},
            {"instanceTypes": ["m7i.large"], "amiType": "AL2023_x86_64_STANDARD"},
            "(L-1216C47A; 2 in use, m7i.large needs 2)",
            id="ordinary-nodes",
        ),
    ],
)
def test_a_quota_that_is_too_small(account, quotas, changes, words):
    status, ((code, message),), _ = nodes(account({"quotas": quotas}), 2, **changes)

    assert (status, code) == ("CREATE_FAILED", "AsgInstanceLaunchFailures")
    assert words in message


@pytest.mark.parametrize(
    ("quotas", "changes"),
    [
        pytest.param({G_VCPUS: 16}, {}, id="just-enough"),
        pytest.param({G_VCPUS: 0}, {"capacityType": "SPOT"}, id="spot-has-its-own"),
        pytest.param({"L-417A185B": 0}, {}, id="another-family"),
        pytest.param({}, {}, id="not-limited"),
    ],
)
def test_a_quota_that_suffices(account, quotas, changes):
    assert nodes(account({"quotas": quotas}), 2, **changes) == ("ACTIVE", [], [A, A])


@pytest.mark.parametrize(
    ("addons", "labels", "message"),
    [
        pytest.param(
            ("kube-proxy",), {}, "Unhealthy nodes in the kubernetes cluster (no vpc-cni)", id="no-network-plugin"
        ),
        pytest.param((), {}, "Unhealthy nodes in the kubernetes cluster (no vpc-cni and no kube-proxy)", id="no-addon"),
        pytest.param(
            ("vpc-cni", "kube-proxy"),
            {"node-role.kubernetes.io/gpu": "true", "k8s.io/team": "ml"},
            "Instances failed to join the kubernetes cluster (no kubelet starts with k8s.io/team, "
            "node-role.kubernetes.io/gpu)",
            id="facts-70-labels-of-kubernetes",
        ),
    ],
)
def test_nodes_that_do_not_join(account, addons, labels, message):
    place = account(addons=addons)

    assert nodes(place, 1, labels=labels) == ("CREATE_FAILED", [("NodeCreationFailure", message)], [A])


def test_without_nodes_nothing_fails_to_join(account):
    assert nodes(account(addons=()), 0, labels={"node-role.kubernetes.io/gpu": "true"}) == ("ACTIVE", [], [])


@pytest.mark.parametrize(
    "kind",
    [pytest.param("g6.2xlargo", id="facts-19-misspelt"), pytest.param("p4de.24xlarge", id="facts-17-not-in-region")],
)
def test_a_type_that_the_region_does_not_have(account, kind):
    invalid = [("Ec2LaunchTemplateInvalidConfiguration", f"The specified instance type {kind} is not valid")]

    assert nodes(account(), 1, instanceTypes=[kind]) == ("CREATE_FAILED", invalid, [])


def let_ec2_have_more(place):
    """Capacity comes back, and a minute passes."""
    place.aws.state.without_capacity.clear()
    place.aws.set_clock(place.aws.state.now + timedelta(minutes=1))


def test_one_that_failed_stays_so_and_can_only_be_deleted(account):
    place = account(short(A))
    nodes(place, 1)
    let_ec2_have_more(place)

    assert (place.group()["status"], place.zones()) == ("CREATE_FAILED", [A])
    for operation in ("update_nodegroup_config", "update_nodegroup_version"):
        with pytest.raises(AwsError) as refused:
            place.aws.call("eks", operation, clusterName=CLUSTER, nodegroupName="gpu")
        assert (refused.value.code, refused.value.message) == (
            "ResourceInUseException",
            "Nodegroup cannot be updated as it is currently not in Active State",
        )
    place.delete()
    assert nodes(place, 1) == ("ACTIVE", [], [A])


def test_more_capacity_later_is_used_later(account):
    place = account(short(A))
    place.create(scalingConfig={"minSize": 0, "desiredSize": 0, "maxSize": 2})
    place.aws.call(
        "eks", "update_nodegroup_config", clusterName=CLUSTER, nodegroupName="gpu", scalingConfig={"desiredSize": 1}
    )
    assert (place.group()["status"], place.zones()) == ("ACTIVE", [])

    let_ec2_have_more(place)
    assert place.zones() == [A]


def blocked(place, desired):
    return nodes(place, desired, **BY_BLOCK, launchTemplate=place.template(BLOCK_TEMPLATE))


def happened(place):
    return [what for _, what in place.aws.state.happened]


def test_facts_8_a_block_that_has_not_begun(account):
    """EKS does not ask whether nodes of a Capacity Block join: the group is active without them."""
    place = account({"capacityReservations": [reservation()]})

    assert blocked(place, 2) == ("ACTIVE", [], [])
    assert happened(place) == [
        f"node group gpu: InvalidCapacityReservationState: The Capacity Block {RESERVATION} is scheduled "
        "(starts 2026-12-01 11:30 UTC)."
    ]


def test_facts_7_more_than_the_block_has(account):
    begun = reservation(start=(START - timedelta(days=9)).isoformat())
    place = account({"capacityReservations": [begun]})

    assert blocked(place, 6) == ("ACTIVE", [], [A, A, A, A])
    assert happened(place)[-1:] == [
        f"node group gpu: ReservationCapacityExceeded: All 4 instances of {RESERVATION} are in use."
    ]
    assert (
        place.aws.call("ec2", "describe_capacity_reservations", CapacityReservationIds=[RESERVATION])[
            "CapacityReservations"
        ][0]["AvailableInstanceCount"]
        == 0
    )


def test_what_a_block_holds_counts_against_no_quota_for_on_demand(account):
    begun = reservation(start=(START - timedelta(days=9)).isoformat())
    place = account({"capacityReservations": [begun], "quotas": {"L-417A185B": 0}, **short(None, kind="p5.48xlarge")})

    assert blocked(place, 1) == ("ACTIVE", [], [A])
