"""A simulated account in place of boto3's clients: the same answers, and refusals that asking understands."""

import pytest

from eks_accelerators.capacity.aws_calls import Aws, Call
from eks_accelerators.simulator.aws.clients import simulated_clients
from tests.simulator.aws.accounts import RESERVATION, offering, opened, reservation

WANTED = {"InstanceType": "p5.48xlarge", "InstanceCount": 4, "CapacityDurationHours": 48}


@pytest.fixture
def aws(tmp_path):
    world = {"capacityReservations": [reservation()], "capacityBlockOfferings": [offering()], "quotas": {"L-1": 96}}
    with opened(tmp_path, world) as account, Aws(simulated_clients(account)) as asked:
        yield asked


def reservations(region="us-east-2", **parameters):
    return Call("ec2", "describe_capacity_reservations", region, "CapacityReservations", list, parameters)


def offerings(region="us-east-2"):
    return Call("ec2", "describe_capacity_block_offerings", region, "CapacityBlockOfferings", list, WANTED)


def test_the_account_answers(aws):
    (found,) = aws.ask(reservations()).value
    (offered,) = aws.ask(offerings()).value

    assert (found["CapacityReservationId"], found["State"]) == (RESERVATION, "scheduled")
    assert (offered["UpfrontFee"], offered["CurrencyCode"]) == ("8000.50", "USD")


def test_a_quota_that_is_set_and_one_that_is_not(aws):
    def quota(code):
        return Call(
            "service-quotas", "get_service_quota", "us-east-2", "Quota", dict, {"ServiceCode": "ec2", "QuotaCode": code}
        )

    limited, free = (aws.ask(quota(code)).value["Value"] for code in ("L-1", "L-2"))

    assert limited == 96
    assert free > 100_000


def test_nothing_is_in_other_regions(aws):
    assert [aws.ask(call("eu-west-1")).value for call in (reservations, offerings)] == [[], []]


def test_moto_answers_what_is_its_own(aws):
    regions = aws.ask(Call("ec2", "describe_regions", "eu-west-1", "Regions", list)).value
    caller = aws.ask(Call("sts", "get_caller_identity", "eu-west-1", "Account", str)).value

    assert "us-east-2" in {region["RegionName"] for region in regions}
    assert caller == "111122223333"


@pytest.mark.parametrize(
    ("call", "line"),
    [
        pytest.param(
            reservations(CapacityReservationIds=["cr-0fffffffffffffff0"]),
            "ec2:DescribeCapacityReservations: InvalidCapacityReservationId.NotFound: "
            "The capacity reservation 'cr-0fffffffffffffff0' does not exist.",
            id="refused",
        ),
        pytest.param(
            Call("ec2", "describe_mac_hosts", "us-east-2", "MacHosts", list),
            "ec2:DescribeMacHosts is not simulated",
            id="not-simulated",
        ),
        pytest.param(
            Call("ec2", "describe_subnets", "eu-west-1", "Subnets", list),
            "ec2:DescribeSubnets is not simulated",
            id="another-region",
        ),
    ],
)
def test_what_cannot_be_answered_is_a_line(aws, call, line):
    assert aws.ask(call).failure.line == line
