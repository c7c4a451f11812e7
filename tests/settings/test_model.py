"""What the typed settings guarantee to those who read them."""

import pytest
from pydantic import ValidationError

from eks_accelerators.settings.model.capacity_blocks import confirmation_sentence
from eks_accelerators.settings.model.node_groups import CapacityType
from tests.settings.example import PURCHASED, RESERVED, check


def test_settings_are_immutable():
    settings = check({}).settings

    with pytest.raises(ValidationError):
        settings.owner = "somebody else"


@pytest.mark.parametrize(
    ("patch", "bought_as", "reserved"),
    [
        pytest.param({}, CapacityType.ON_DEMAND, False, id="default"),
        pytest.param({"nodeGroups.gpu.capacityType": "spot"}, CapacityType.SPOT, False, id="spot"),
        pytest.param(RESERVED, CapacityType.CAPACITY_BLOCK, True, id="block-names-itself"),
        pytest.param(
            {"nodeGroups.gpu.capacityReservationId": "cr-0123456789abcdef0"},
            CapacityType.ON_DEMAND,
            True,
            id="reservation",
        ),
    ],
)
def test_how_nodes_are_bought(patch, bought_as, reserved):
    group = check(patch).settings.node_groups["gpu"]

    assert (group.bought_as, group.has_reserved_capacity) == (bought_as, reserved)


def test_zones_of_a_network_come_without_repetition():
    subnets = [{"id": f"subnet-0123456{n}", "zone": zone} for n, zone in enumerate(("us-east-2a", "us-east-2b") * 2)]
    patch = {"network": {"existing": {"vpcId": "vpc-01234567", "privateSubnets": subnets}}}

    assert check(patch).settings.network.zones == ("us-east-2a", "us-east-2b")


def test_the_api_is_closed_to_the_internet_by_default():
    endpoint = check({}).settings.cluster.endpoint

    assert endpoint.private_access
    assert not endpoint.public_access


def test_a_confirmation_names_offering_and_ceiling():
    purchase = check(PURCHASED).settings.capacity_blocks["block"].purchase

    assert confirmation_sentence(purchase) == purchase.confirmation
    assert purchase.offering_id in purchase.confirmation
    assert "9000 USD" in purchase.confirmation
