"""What is on sale: every region answers for itself, and none is told apart from could not ask."""

from datetime import timedelta

import pytest
from botocore.exceptions import ReadTimeoutError

from eks_accelerators.capacity.aws_calls import Aws, Reason
from eks_accelerators.capacity.blocks.search import BlockRequirements, known_regions, search, search_everywhere
from tests.capacity.blocks.offers import NOW, START, answer, offering
from tests.capacity.fakes import FakeAws, WireClients, error_body, refusal

H100S = BlockRequirements("p5.48xlarge", 4, 72)


class Regions:
    """Clients of regions that answer differently: offerings, or an error; those not named have none."""

    def __init__(self, offers, enabled=()):
        self.offers, self.enabled, self.asked = offers, enabled, []

    def get(self, service, region):
        def reply(_):
            self.asked.append(region)
            own = self.offers.get(region, [])
            return own if isinstance(own, Exception) else {"CapacityBlockOfferings": own}

        enabled = self.enabled
        known = enabled if isinstance(enabled, Exception) else {"Regions": [{"RegionName": each} for each in enabled]}
        fake = FakeAws({"ec2.describe_capacity_block_offerings": reply, "ec2.describe_regions": known})
        return fake.get(service, region)


def ids(found):
    return [each.id for each in found.offerings]


def test_regions_are_asked_together_and_offerings_come_by_their_start():
    later = answer(
        "cb-0000000000000000a",
        StartDate=START + timedelta(days=1),
        EndDate=START + timedelta(days=4),
        UpfrontFee="9000",
    )
    dearer = answer("cb-0000000000000000b", UpfrontFee="20000")
    regions = Regions(
        {"us-east-2": [later, answer()], "us-west-2": [dearer], "eu-north-1": refusal("Unavailable", status=503)}
    )

    with Aws(regions) as aws:
        found = search(aws, H100S, ["us-west-2", "us-east-2", "eu-north-1", "ap-south-1"])

    assert ids(found) == ["cb-0123456789abcdef0", "cb-0000000000000000b", "cb-0000000000000000a"]
    assert found.offerings[0] == offering()
    assert (found.earliest.id, found.cheapest.id) == ("cb-0123456789abcdef0", "cb-0000000000000000a")
    assert found.without == ("ap-south-1",)
    assert [(region, failure.reason) for region, failure in found.unasked] == [("eu-north-1", Reason.SERVER)]


def test_every_enabled_region_is_asked_and_no_other_counts():
    off, new = "me-south-1", "xx-new-1"
    regions = Regions(
        {off: refusal("AuthFailure", status=401), "us-west-2": [answer()], new: [answer("cb-0000000000000000a")]},
        enabled=["us-east-1", "us-west-2", new],
    )

    with Aws(regions) as aws:
        found = search_everywhere(aws, H100S, "us-east-1")

    assert sorted(regions.asked) == sorted([*known_regions("us-east-1"), new])
    assert ids(found) == ["cb-0000000000000000a", "cb-0123456789abcdef0"]
    assert (found.without, found.unasked) == (("us-east-1",), ())


def test_where_nobody_says_which_are_enabled_a_refusal_counts():
    regions = Regions(
        {"me-south-1": refusal("AuthFailure", status=401)}, enabled=refusal("UnauthorizedOperation", status=403)
    )

    with Aws(regions) as aws:
        found = search_everywhere(aws, H100S, "us-east-1")

    assert [region for region, _ in found.unasked] == ["me-south-1"]
    assert len(found.without) == len(known_regions("us-east-1")) - 1


def test_another_currency_is_never_the_cheapest():
    cheap = answer("cb-0000000000000000a", UpfrontFee="1", CurrencyCode="CNY")
    with Aws(Regions({"us-east-2": [cheap, answer()]})) as aws:
        found = search(aws, H100S, ["us-east-2"])

    assert found.cheapest.id == "cb-0123456789abcdef0"
    assert found.earliest.currency == "CNY"


@pytest.mark.parametrize(
    "wrong",
    [{"UpfrontFee": "NaN"}, {"UpfrontFee": "-1"}, {"UpfrontFee": "many"}, {"CurrencyCode": None}, {"StartDate": None}],
    ids=lambda wrong: "-".join(map(str, *wrong.items())),
)
def test_half_an_offering_is_no_answer(wrong):
    with Aws(Regions({"us-east-2": [{k: v for k, v in answer(**wrong).items() if v is not None}]})) as aws:
        found = search(aws, H100S, ["us-east-2"])

    assert [failure.reason for _, failure in found.unasked] == [Reason.MALFORMED]
    assert found.offerings == ()


@pytest.mark.parametrize(
    ("respond", "reason"),
    [
        pytest.param((400, error_body("ec2", "RequestLimitExceeded")), Reason.THROTTLED, id="throttled"),
        pytest.param((500, error_body("ec2", "InternalError")), Reason.SERVER, id="500"),
        pytest.param(ReadTimeoutError(endpoint_url="https://ec2"), Reason.TIME_OUT, id="time-out"),
        pytest.param((400, error_body("ec2", "RequestExpired")), Reason.EXPIRED, id="expired"),
        pytest.param((200, b"<html>hello"), Reason.MALFORMED, id="garbage"),
        pytest.param((403, error_body("ec2", "UnauthorizedOperation")), Reason.DENIED, id="denied"),
    ],
)
def test_an_answer_off_the_wire(respond, reason):
    with Aws(WireClients(lambda _: respond)) as aws:
        found = search(aws, H100S, ["us-east-2"])

    assert [failure.reason for _, failure in found.unasked] == [reason]
    assert found.without == ()


def test_an_offering_off_the_wire():
    body = b"""<R><capacityBlockOfferingSet><item>
      <capacityBlockOfferingId>cb-0123456789abcdef0</capacityBlockOfferingId><instanceType>p5.48xlarge</instanceType>
      <availabilityZone>us-east-2a</availabilityZone><instanceCount>4</instanceCount>
      <startDate>2026-12-01T11:30:00.000Z</startDate><endDate>2026-12-04T11:30:00.000Z</endDate>
      <capacityBlockDurationHours>72</capacityBlockDurationHours><upfrontFee>10620.52</upfrontFee>
      <currencyCode>USD</currencyCode><tenancy>default</tenancy></item></capacityBlockOfferingSet></R>"""

    with Aws(WireClients(lambda _: (200, body))) as aws:
        assert search(aws, H100S, ["us-east-2"]).offerings == (offering(),)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        pytest.param({"instance_type": "p5.48large"}, "Did you mean p5.48xlarge?", id="no-such-type"),
        pytest.param(
            {"instance_type": "g6.xlarge"}, "g6.xlarge is not sold as Capacity Blocks; p4d.24xlarge", id="not-sold"
        ),
        pytest.param({"instance_count": 65}, "holds 1 to 64 instances, not 65", id="too-many"),
        pytest.param({"instance_count": 0}, "holds 1 to 64 instances, not 0", id="none"),
        pytest.param({"hours": 15 * 24}, "Ask for days: 14 (336 hours) or 21 (504 hours)", id="fifteen-days"),
        pytest.param({"hours": 190 * 24}, "Ask for days: 182 (4368 hours)", id="too-long"),
        pytest.param({"earliest": NOW + timedelta(weeks=9)}, "at most 8 weeks ahead, by 2027-01-15", id="too-far"),
        pytest.param(
            {"latest": NOW - timedelta(days=1)}, "the window ends in the past: 2026-11-19 12:00 UTC", id="past"
        ),
        pytest.param(
            {"earliest": START, "latest": START}, "before it begins (2026-12-01 11:30 UTC)", id="empty-window"
        ),
    ],
)
def test_what_aws_never_sells(changes, problem):
    values = {"instance_type": "p5.48xlarge", "instance_count": 4, "hours": 72}

    (said,) = BlockRequirements(**{**values, **changes}).problems(NOW)

    assert problem in said


def test_a_window_is_part_of_the_question():
    call = BlockRequirements("p5.48xlarge", 4, 72, START, START + timedelta(days=7)).call("us-east-2")

    assert call.command == (
        "aws ec2 describe-capacity-block-offerings --region us-east-2 --instance-type p5.48xlarge --instance-count 4 "
        "--capacity-duration-hours 72 --start-date-range 2026-12-01T11:30:00+00:00 --end-date-range 2026-12-08T11:30:00+00:00"
    )
    assert H100S.problems(NOW) == []
