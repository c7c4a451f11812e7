"""What the cost counts is what the program registers: both are told apart, so neither checks itself."""

from decimal import Decimal

import pytest

from eks_accelerators.accelerators import prices
from tests.accel.plans import STACKS, of_kind, planned, shipped
from tests.accel.variations import VARIATIONS

CASES = [*STACKS, *VARIATIONS]


@pytest.fixture(scope="module", params=CASES)
def data(request, tmp_path_factory):
    """The plan of a stack that is shipped, or of a variation of the example; none has an error."""
    if request.param in STACKS:
        return shipped(request.param).report.as_data()
    made = planned(tmp_path_factory.mktemp("stack"), VARIATIONS[request.param])
    assert not made.failed, made.report.problems
    return made.report.as_data()


def pieces(data, name):
    """How many of something the cost counts, now and at most."""
    found = [line for line in data["cost"]["lines"] if line["name"] == name]
    return (found[0]["atDesired"], found[0]["atMax"]) if found else (0, 0)


def test_the_network(data):
    gateways, addresses = (of_kind(data, kind) for kind in ("aws:ec2/natGateway:NatGateway", "aws:ec2/eip:Eip"))
    interfaces = sum(
        len(endpoint["inputs"]["subnetIds"])
        for endpoint in of_kind(data, "aws:ec2/vpcEndpoint:VpcEndpoint")
        if endpoint["inputs"]["vpcEndpointType"] == "Interface"
    )

    assert pieces(data, "NAT gateways") == (len(gateways),) * 2
    assert pieces(data, "public IPv4 addresses") == (len(addresses),) * 2
    assert pieces(data, "interface endpoints") == (interfaces,) * 2


def test_the_control_plane(data):
    assert pieces(data, "EKS control plane") == (len(of_kind(data, "aws:eks/cluster:Cluster")),) * 2


def test_nodes_and_their_disks(data):
    templates = {
        template["urn"]: template["inputs"] for template in of_kind(data, "aws:ec2/launchTemplate:LaunchTemplate")
    }
    counted = {line["name"] for line in data["cost"]["lines"] if "node group" in line["name"]}

    for group in of_kind(data, "aws:eks/nodeGroup:NodeGroup"):
        (template,) = (templates[urn] for urn in group["propertyDependencies"]["launchTemplate"])
        (kind,) = group["inputs"].get("instanceTypes") or [template["instanceType"]]
        head = "system node group" if group["name"].endswith("-system") else f"node group {group['name']}"
        scaling = group["inputs"]["scalingConfig"]
        for line in (f"{head}: {kind}", f"{head}: disks"):
            now, most = pieces(data, line)
            assert most == scaling["maxSize"]
            # Of a Capacity Block the engine alone knows whether it has begun.
            assert now == scaling["desiredSize"] or group["inputs"].get("capacityType") == "CAPACITY_BLOCK"
            counted.remove(line)

        volumes = [mapping["ebs"] for mapping in template["blockDeviceMappings"] if "volumeSize" in mapping["ebs"]]
        (disks,) = (line for line in data["cost"]["lines"] if line["name"] == f"{head}: disks")
        if all(volume["volumeType"] == "gp3" for volume in volumes):
            assert Decimal(disks["usdPerHour"]) == hourly(data["region"], volumes)
        else:
            assert disks["usdPerHour"] is None
    assert counted == set()


def hourly(region, volumes):
    usd = sum(prices.gp3_volume(region, v["volumeSize"], v.get("iops"), v.get("throughput")) for v in volumes)
    return usd.quantize(Decimal("0.0001"))


def test_the_whole_is_the_sum_of_its_parts(data):
    for key in ("usdPerHourAtDesired", "usdPerHourAtMax"):
        known = sum(Decimal(line[key]) for line in data["cost"]["lines"] if line[key])
        assert Decimal(data["cost"][key]) == pytest.approx(known, abs=Decimal("0.002"))
