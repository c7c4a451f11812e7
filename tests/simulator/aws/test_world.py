"""What an account has from the beginning, and what comes of it."""

from datetime import UTC, datetime, timedelta

import pytest

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.existing_cluster import make_cluster
from eks_accelerators.simulator.aws.model import CapacityBlockRecord, OfferingRecord
from eks_accelerators.simulator.aws.world import ExistingCluster, next_usual_start
from tests.simulator.aws.accounts import NOW, START, offering, opened, reservation

CLUSTER = {"name": "shared", "kubernetesVersion": "1.35", "zones": ["us-east-2a", "us-east-2b"]}
WORLD = {
    "now": "2026-11-23T09:00:00Z",
    "quotas": {"L-DB2E81BA": 64},
    "capacityReservations": [reservation("cr-0123456789abcdef0")],
    "capacityBlockOfferings": [offering("cb-0123456789abcdef0")],
    "insufficientCapacity": [{"instanceType": "g6.xlarge", "zone": "us-east-2a"}, {"instanceType": "p5.48xlarge"}],
    "cluster": CLUSTER,
    "kubeContexts": ["kind-gpu"],
}


def test_what_it_puts_into_the_account(tmp_path):
    with opened(tmp_path, WORLD) as aws:
        state = aws.state
        assert (state.quotas, state.contexts) == ({"L-DB2E81BA": 64}, ["kind-gpu"])
        assert state.without_capacity == [("g6.xlarge", "us-east-2a"), ("p5.48xlarge", None)]
        assert state.blocks == {
            "cr-0123456789abcdef0": CapacityBlockRecord(
                id="cr-0123456789abcdef0",
                instance_type="p5.48xlarge",
                instance_count=4,
                zone="us-east-2a",
                zone_id="use2-az1",
                start=START,
                end=START + timedelta(days=1),
            )
        }
        assert state.offerings == {
            "cb-0123456789abcdef0": OfferingRecord(
                id="cb-0123456789abcdef0",
                instance_type="p5.48xlarge",
                instance_count=4,
                zone="us-east-2a",
                start=START,
                duration_hours=48,
                upfront_fee_usd="8000.50",
            )
        }


@pytest.mark.parametrize("kind", ["capacityReservations", "capacityBlockOfferings"])
def test_a_zone_may_be_told_by_its_id(tmp_path, kind):
    make = {"capacityReservations": reservation, "capacityBlockOfferings": offering}[kind]

    with opened(tmp_path, {kind: [make(zone="use2-az1")]}) as aws:
        (found,) = {**aws.state.blocks, **aws.state.offerings}.values()
        assert found.zone == "us-east-2a"


def test_of_two_shortages_alike_each_has_its_own_end(tmp_path):
    short, elsewhere = {"instanceType": "g6.xlarge"}, {"instanceType": "g6.xlarge", "zone": "us-east-2a"}
    with opened(tmp_path, {"insufficientCapacity": [short, elsewhere, short]}) as aws:
        left = []
        for _ in range(3):
            aws.set_up({"sufficientCapacity": [short]})
            left.append(list(aws.state.without_capacity))

    assert left == [
        [("g6.xlarge", "us-east-2a"), ("g6.xlarge", None)],
        [("g6.xlarge", "us-east-2a")],
        [("g6.xlarge", "us-east-2a")],
    ]


def test_times_of_other_zones_are_the_same_moments(tmp_path):
    with opened(tmp_path, {"capacityReservations": [reservation(start="2026-12-01T13:30:00+02:00")]}) as aws:
        (block,) = aws.state.blocks.values()
        assert (block.start, block.start.tzinfo) == (START, UTC)


@pytest.mark.parametrize("kind", ["capacityReservations", "capacityBlockOfferings"])
def test_a_zone_that_the_region_does_not_have(tmp_path, kind):
    make = {"capacityReservations": reservation, "capacityBlockOfferings": offering}[kind]

    with opened(tmp_path) as aws:
        before = repr(aws.state)
        with pytest.raises(AwsError, match=r"Invalid availability zone: \[us-west-2a\]"):
            aws.set_up({"quotas": {"L-DB2E81BA": 1}, kind: [make(zone="us-west-2a")]})
        assert (repr(aws.state), aws.is_new) == (before, True)


@pytest.mark.parametrize(
    ("now", "start"),
    [
        pytest.param("2026-11-23T09:00", "2026-11-24T11:30", id="morning"),
        pytest.param("2026-11-23T11:30", "2026-11-24T11:30", id="exactly-a-day"),
        pytest.param("2026-11-23T11:31", "2026-11-25T11:30", id="less-than-a-day-to-the-next"),
        pytest.param("2026-12-31T23:00", "2027-01-02T11:30", id="new-year"),
    ],
)
def test_when_blocks_usually_start(now, start):
    def moment(text):
        return datetime.fromisoformat(text).replace(tzinfo=UTC)

    assert next_usual_start(moment(now)) == moment(start)


def test_a_cluster_that_is_there_before(tmp_path):
    with opened(tmp_path) as aws:
        make_cluster(aws, ExistingCluster.model_validate(CLUSTER))
        found = aws.call("eks", "describe_cluster", name="shared")["cluster"]
        subnets = aws.call("ec2", "describe_subnets", SubnetIds=found["resourcesVpcConfig"]["subnetIds"])["Subnets"]
        nodes = aws.call("eks", "describe_nodegroup", clusterName="shared", nodegroupName="system")["nodegroup"]
        (scaling,) = aws.state.scaling_groups()

        assert (found["version"], found["accessConfig"]) == ("1.35", {"authenticationMode": "API"})
        assert sorted((subnet["AvailabilityZone"], subnet["MapPublicIpOnLaunch"]) for subnet in subnets) == [
            ("us-east-2a", False),
            ("us-east-2a", True),
            ("us-east-2b", False),
            ("us-east-2b", True),
        ]
        assert set(aws.state.clusters["shared"].addons) == {
            "vpc-cni",
            "kube-proxy",
            "eks-pod-identity-agent",
            "coredns",
        }
        assert (nodes["status"], nodes["instanceTypes"]) == ("ACTIVE", ["m7i.large"])
        assert [instance.zone for instance in scaling.instances] == ["us-east-2a", "us-east-2b"]
        health = aws.call("eks", "describe_addon", clusterName="shared", addonName="coredns")["addon"]["status"]
        assert health == "ACTIVE"


def test_the_existing_cluster_comes_back_with_the_account(tmp_path):
    with opened(tmp_path, now=NOW) as aws:
        make_cluster(aws, ExistingCluster.model_validate(CLUSTER))
        before = repr(aws.state)
    with opened(tmp_path) as aws:
        assert repr(aws.state) == before
