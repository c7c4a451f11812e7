"""The clients that reach AWS: throttled, they wait and try again, and give up in the end."""

from unittest import mock

import pytest
from botocore.awsrequest import AWSResponse

from eks_accelerators.capacity.aws_calls import Aws, Call, Reason
from eks_accelerators.capacity.aws_calls.clients import ATTEMPTS, BotoClients
from tests.capacity.fakes import Body, error_body

ZONES = Call("ec2", "describe_availability_zones", "us-east-2", "AvailabilityZones", list)
THROTTLED = (503, error_body("ec2", "RequestLimitExceeded"))
ANSWERED = (200, b"<R><availabilityZoneInfo/></R>")


@pytest.fixture
def clients(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "nobody")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    made = BotoClients(connections=1)
    with mock.patch("botocore.endpoint.time.sleep"):
        yield made


def answers(clients, replies):
    """The client of EC2, whose requests are answered in turn, and how many there were."""
    sent = []

    def answer(request, **_):
        sent.append(request)
        status, body = replies[len(sent) - 1]
        return AWSResponse(request.url, status, {}, Body(body))

    clients.get("ec2", "us-east-2").meta.events.register_first("before-send.ec2.*", answer)
    return sent


def test_a_call_that_is_throttled_is_tried_again(clients):
    sent = answers(clients, [THROTTLED, ANSWERED])

    with Aws(clients) as aws:
        assert aws.ask(ZONES).value == []
    assert len(sent) == 2


def test_after_some_attempts_it_stays_unknown(clients):
    sent = answers(clients, [THROTTLED] * 9)

    with Aws(clients) as aws:
        assert aws.ask(ZONES).failure.reason is Reason.THROTTLED
    assert len(sent) == ATTEMPTS


def test_one_client_serves_one_service_and_region(clients):
    assert clients.get("ec2", "us-east-2") is clients.get("ec2", "us-east-2")
    assert clients.get("ec2", "us-east-2") is not clients.get("ec2", "us-west-2")
