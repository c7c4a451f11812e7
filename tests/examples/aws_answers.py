"""What AWS answers to the look-ups of the examples: one cluster in two zones, one Capacity Block."""

from typing import Any

CLUSTER = "shared-services"
REGION = "us-east-2"
RESERVATION = "cr-0123456789abcdef0"

_SUBNETS = {
    # Two private ones in the first zone: an example must choose the same one at every run.
    "us-east-2a": ["subnet-0bbbbbbbbbbbbbbb2", "subnet-0aaaaaaaaaaaaaaa1"],
    "us-east-2c": ["subnet-0ccccccccccccccc3"],
}


def answer(token: str, args: dict[str, Any]) -> dict[str, Any]:
    """The provider's answer to the invoke ``token``, keys as on the wire."""
    return {
        "aws:eks/getCluster:getCluster": _cluster,
        "aws:ec2/getSubnets:getSubnets": _subnets,
        "aws:ec2/getCapacityBlockReservation:getCapacityBlockReservation": _reservation,
    }[token](args)


def _cluster(args: dict[str, Any]) -> dict[str, Any]:
    assert args["name"] == CLUSTER
    return {
        "id": CLUSTER,
        "name": CLUSTER,
        "region": REGION,
        "version": "1.35",
        "endpoint": "https://0123456789ABCDEF.gr7.us-east-2.eks.amazonaws.com",
        "certificateAuthorities": [{"data": "Y2VydGlmaWNhdGU="}],
        "vpcConfig": {
            "vpcId": "vpc-0123456789abcdef0",
            "subnetIds": ["subnet-0ddddddddddddddd4", *_SUBNETS["us-east-2a"], *_SUBNETS["us-east-2c"]],
            "clusterSecurityGroupId": "sg-0123456789abcdef0",
            "securityGroupIds": [],
            "publicAccessCidrs": [],
            "endpointPrivateAccess": True,
            "endpointPublicAccess": False,
        },
    }


def _subnets(args: dict[str, Any]) -> dict[str, Any]:
    wanted = {each["name"]: each["values"] for each in args["filters"]}
    assert set(wanted) == {"subnet-id", "availability-zone", "map-public-ip-on-launch"}, "filters of DescribeSubnets"
    assert wanted["map-public-ip-on-launch"] == ["false"]
    assert len(wanted["subnet-id"]) == 4, "the subnets of the cluster, not of the whole VPC"
    (zone,) = wanted["availability-zone"]
    return {"id": REGION, "region": REGION, "ids": _SUBNETS.get(zone, [])}


def _reservation(args: dict[str, Any]) -> dict[str, Any]:
    assert args["id"] == RESERVATION
    return {
        "id": RESERVATION,
        "region": REGION,
        "availabilityZone": "us-east-2a",
        "availabilityZoneId": "use2-az1",
        "instanceType": "p5.48xlarge",
        "instanceCount": 4,
        "reservationType": "capacity-block",
        "state": "scheduled",
        # Far enough away that no test run ever finds it begun.
        "startDate": "2099-01-01T11:30:00Z",
        "endDate": "2099-01-08T11:30:00Z",
        "tags": {},
    }
