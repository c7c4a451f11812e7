"""What a stack costs: unknown stays unknown, and is never taken for nothing."""

from datetime import date
from decimal import Decimal

import pytest

from eks_accelerators.settings import cost
from eks_accelerators.settings.cost import CostLine
from tests.settings.example import RESERVED, check

TODAY = date(2026, 11, 20)
GROUP = "nodeGroups.gpu"


def estimate(patch):
    return cost.estimate(check(patch).settings, TODAY)


def line(patch, name):
    return next(line for line in estimate(patch).lines if line.name == name)


def test_the_lines_of_a_small_stack():
    assert [(line.name, line.at_desired, line.at_max) for line in estimate({}).lines] == [
        ("EKS control plane", 1, 1),
        ("NAT gateways", 1, 1),
        ("public IPv4 addresses", 1, 1),
        ("system node group: m7i.large", 2, 3),
        ("system node group: disks", 2, 3),
        ("node group gpu: g6.2xlarge", 1, 2),
        ("node group gpu: disks", 1, 2),
    ]


def test_the_total_is_the_sum_of_its_lines():
    found = estimate({})

    by_hand = Decimal("0.1") + Decimal("0.045") + Decimal("0.005") + 2 * Decimal("0.1008") + Decimal("0.9776")
    disks = (2 * 50 + 200) * Decimal("0.08") / 730
    assert found.per_hour() == pytest.approx(by_hand + disks)
    assert found.per_month() == pytest.approx((by_hand + disks) * 730)
    assert found.unknown() == ()


@pytest.mark.parametrize(
    ("patch", "note"),
    [
        pytest.param({f"{GROUP}.capacityType": "spot"}, "Spot price moves; on demand it is 0.9776", id="spot"),
        pytest.param({f"{GROUP}.instanceType": "p5e.48xlarge"}, "no public price", id="no-price"),
        pytest.param(
            {**RESERVED, f"{GROUP}.size": {"desired": 1, "max": 1}}, "paid up front with the Capacity Block", id="block"
        ),
    ],
)
def test_what_is_not_known(patch, note):
    found = estimate(patch)
    unknown = next(line for line in found.unknown() if line.name.startswith("node group gpu: "))

    assert unknown.usd is None
    assert unknown.note == note
    assert cost.group_per_hour(found, "gpu") is None


def test_nothing_of_an_unknown_price_costs_nothing():
    nothing = CostLine("nodes", None, at_desired=0, at_max=1)

    assert nothing.total() == 0
    assert nothing.total(at_max=True) is None


def test_a_region_without_prices_is_unknown_throughout():
    patch = {"region": "eu-west-1", "network.create.zones": ["eu-west-1a", "eu-west-1b"]}
    found = estimate(patch)

    assert found.per_hour() == 0
    assert found.unknown() == found.lines


def test_a_reservation_is_paid_for_whether_used_or_not():
    assert (
        "used or not"
        in line({f"{GROUP}.capacityReservationId": "cr-0123456789abcdef0"}, "node group gpu: g6.2xlarge").note
    )


def test_an_io2_volume_has_no_known_price():
    patch = {f"{GROUP}.disk": {"type": "io2", "iops": 5000}}

    assert line(patch, "node group gpu: disks").usd is None


@pytest.mark.parametrize(("version", "usd"), [("1.35", Decimal("0.1")), ("1.33", Decimal("0.6"))])
def test_extended_support_costs_more(version, usd):
    assert line({"cluster.kubernetesVersion": version}, "EKS control plane").usd == usd


@pytest.mark.parametrize(("gateways", "count"), [("none", 0), ("single", 1), ("onePerZone", 2)])
def test_nat_gateways(gateways, count):
    lines = [line for line in estimate({"network.create.natGateways": gateways}).lines if line.name == "NAT gateways"]

    assert sum(line.at_desired for line in lines) == count


def test_interface_endpoints_cost_by_zone_and_once_each():
    patch = {"network.create.interfaceEndpoints": ["sts", "ec2", "sts"]}

    assert line(patch, "interface endpoints").at_desired == 4


def test_an_existing_network_costs_nothing_here():
    subnets = [{"id": f"subnet-0123456{n}", "zone": f"us-east-2{n}"} for n in "ab"]
    patch = {"network": {"existing": {"vpcId": "vpc-01234567", "privateSubnets": subnets}}}

    assert not any("NAT" in line.name for line in estimate(patch).lines)


def test_the_cost_of_one_group_has_its_disks():
    found = estimate({})

    assert cost.group_per_hour(found, "gpu") == pytest.approx(Decimal("0.9776") + 200 * Decimal("0.08") / 730)
    assert cost.group_per_hour(found, "gpu", at_max=True) == 2 * cost.group_per_hour(found, "gpu")


def test_of_several_types_the_dearest_counts():
    pool = {"nodeGroups.gpu.autoscaler": "karpenter", "nodeGroups.gpu.size": {"max": 2}}
    more = {"nodeGroups.gpu.karpenter": {"alsoInstanceTypes": ["g6.4xlarge"]}}

    def each(patch):
        lines = cost.estimate(check(patch).settings, date(2026, 11, 20)).by_subject["node group gpu"]
        return next(line for line in lines if "disks" not in line.name)

    assert each(pool | more).usd > each(pool).usd
    assert each(pool | more).note == "the dearest of 2 types"
