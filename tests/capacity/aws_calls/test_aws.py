"""Calls are made once, all at the same time, and a call that fails says why."""

import threading

import botocore.exceptions
import pytest

from eks_accelerators.capacity.aws_calls import Aws, Call, Reason, UnansweredError
from eks_accelerators.capacity.aws_calls.call import PascalCase
from tests.capacity.fakes import WireClients, asking, error_body
from tests.polls import PATIENCE_SECONDS


class Zone(PascalCase):
    zone_name: str


def zones(region="us-east-2"):
    return Call("ec2", "describe_availability_zones", region, "AvailabilityZones", list[Zone])


def quota(code="L-417A185B"):
    return Call(
        "service-quotas", "get_service_quota", "us-east-2", "Quota", dict, {"ServiceCode": "ec2", "QuotaCode": code}
    )


ZONES = {"ec2.describe_availability_zones": {"AvailabilityZones": [{"ZoneName": "us-east-2a"}]}}


def test_the_same_question_is_asked_once():
    with asking(ZONES) as (aws, fake):
        first, second, elsewhere = aws.ask_all([zones(), zones(), zones("us-west-2")])

        assert first is second
        assert [zone.zone_name for zone in first.value] == ["us-east-2a"]
        assert sorted(region for region, _, _ in fake.made) == ["us-east-2", "us-west-2"]
        assert aws.calls == [zones(), zones("us-west-2")]
        assert elsewhere.call.region == "us-west-2"


def test_questions_are_asked_at_the_same_time():
    """Each is answered only when all of them are there."""
    together = threading.Barrier(5, timeout=PATIENCE_SECONDS)

    def reply(_):
        together.wait()
        return {"Quota": {"Value": 1.0}}

    with asking({"service-quotas.get_service_quota": reply}) as (aws, _):
        answers = aws.ask_all(quota(f"L-{number}") for number in range(5))

        assert [answer.value["Value"] for answer in answers] == [1.0] * 5


def test_no_more_are_in_flight_than_allowed():
    now, most, lock = 0, 0, threading.Lock()

    def reply(_):
        nonlocal now, most
        with lock:
            now, most = now + 1, max(most, now + 1)
        with lock:
            now -= 1
        return {"Quota": {"Value": 1.0}}

    with asking({"service-quotas.get_service_quota": reply}, at_once=3) as (aws, _):
        aws.ask_all(quota(f"L-{number}") for number in range(50))

    assert 1 <= most <= 3


def test_progress_is_told():
    told = []
    with asking(ZONES, listen=lambda done, asked: told.append((done, asked))) as (aws, _):
        aws.ask(zones())

    assert told == [(0, 1), (1, 1)]


@pytest.mark.parametrize(
    ("respond", "reason", "line"),
    [
        pytest.param(
            (400, error_body("ec2", "RequestLimitExceeded")),
            Reason.THROTTLED,
            "ec2:DescribeAvailabilityZones: AWS throttles (RequestLimitExceeded); try again in a minute",
            id="throttled",
        ),
        pytest.param(
            (403, error_body("ec2", "UnauthorizedOperation")),
            Reason.DENIED,
            "ec2:DescribeAvailabilityZones: the caller may not ask this (UnauthorizedOperation)",
            id="denied",
        ),
        pytest.param(
            (400, error_body("ec2", "RequestExpired")),
            Reason.EXPIRED,
            "ec2:DescribeAvailabilityZones: RequestExpired: sign in again",
            id="expired",
        ),
        pytest.param(
            (401, error_body("ec2", "AuthFailure")),
            Reason.NO_CREDENTIALS,
            "ec2:DescribeAvailabilityZones: AuthFailure: check the AWS credentials",
            id="credentials",
        ),
        pytest.param(
            (503, error_body("ec2", "Unavailable")),
            Reason.SERVER,
            "ec2:DescribeAvailabilityZones: AWS failed (503 Unavailable); try again",
            id="server",
        ),
        pytest.param(
            (200, b"<html>Welcome to the hotel"),
            Reason.MALFORMED,
            "ec2:DescribeAvailabilityZones: the answer is not one of AWS",
            id="garbage",
        ),
        pytest.param(
            (200, b"<R><availabilityZoneInfo><item><zoneId>use2-az1</zoneId></item></availabilityZoneInfo></R>"),
            Reason.MALFORMED,
            "ec2:DescribeAvailabilityZones: the answer lacks what it should have",
            id="a-member-is-missing",
        ),
        pytest.param(
            (200, b"<R></R>"),
            Reason.MALFORMED,
            "ec2:DescribeAvailabilityZones: the answer lacks what it should have",
            id="empty",
        ),
        pytest.param(
            (400, error_body("ec2", "InvalidParameterValue", "no such filter\nat all")),
            Reason.REFUSED,
            "ec2:DescribeAvailabilityZones: InvalidParameterValue: no such filter",
            id="refused",
        ),
        pytest.param(
            botocore.exceptions.ReadTimeoutError(endpoint_url="https://ec2"),
            Reason.TIME_OUT,
            "ec2:DescribeAvailabilityZones: no answer in time",
            id="time-out",
        ),
        pytest.param(
            botocore.exceptions.EndpointConnectionError(endpoint_url="https://ec2"),
            Reason.NO_NETWORK,
            "ec2:DescribeAvailabilityZones: AWS cannot be reached: no network, a proxy, or DNS",
            id="no-network",
        ),
        pytest.param(
            botocore.exceptions.NoCredentialsError(),
            Reason.NO_CREDENTIALS,
            "ec2:DescribeAvailabilityZones: no AWS credentials: sign in, or set AWS_PROFILE",
            id="no-credentials",
        ),
        pytest.param(
            botocore.exceptions.UnauthorizedSSOTokenError(),
            Reason.EXPIRED,
            "ec2:DescribeAvailabilityZones: the AWS session has expired: sign in again (`aws sso login`)",
            id="sso-expired",
        ),
    ],
)
def test_a_failure_is_one_line(respond, reason, line):
    with Aws(WireClients(lambda _: respond)) as aws:
        answer = aws.ask(zones())

    assert (answer.failure.reason, answer.failure.line) == (reason, line)
    with pytest.raises(UnansweredError, match="ec2:DescribeAvailabilityZones"):
        _ = answer.value


def test_garbage_of_a_json_service_is_no_answer_either():
    with Aws(WireClients(lambda _: (200, b"<html>Welcome"))) as aws:
        assert aws.ask(quota()).failure.reason is Reason.MALFORMED


def test_a_mistake_of_ours_is_not_hidden():
    with asking({"ec2.describe_availability_zones": ZeroDivisionError()}) as (aws, _), pytest.raises(ZeroDivisionError):
        aws.ask(zones())


def test_all_pages_are_read():
    pages = iter(
        [
            b"<R><availabilityZoneInfo/><subnetSet><item><subnetId>a</subnetId></item></subnetSet><nextToken>n</nextToken></R>",
            b"<R><subnetSet/><nextToken>n2</nextToken></R>",
            b"<R><subnetSet><item><subnetId>b</subnetId></item></subnetSet></R>",
        ]
    )

    class Subnet(PascalCase):
        subnet_id: str

    with Aws(WireClients(lambda _: (200, next(pages)))) as aws:
        found = aws.ask(Call("ec2", "describe_subnets", "us-east-2", "Subnets", list[Subnet])).value

    assert [subnet.subnet_id for subnet in found] == ["a", "b"]
