"""The clients that reach AWS: throttled, they wait and try again, and give up in the end."""

from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import botocore.client
import pytest
from botocore.awsrequest import AWSResponse
from botocore.model import ServiceModel

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


def test_clients_of_many_regions_are_of_one_class_and_ask_each_its_own_region(clients):
    """A class of EC2 has 830 methods: made for each region, they take longer than all the regions to answer."""
    regions = ("us-east-2", "us-west-2", "eu-north-1")
    asked = {}

    def answer(request, **_):
        asked[request.url] = request.headers["Authorization"].decode()
        return AWSResponse(request.url, 200, {}, Body(ANSWERED[1]))

    with mock.patch.object(
        ServiceModel, "operation_model", autospec=True, side_effect=ServiceModel.operation_model
    ) as model:
        made = [clients.get("ec2", regions[0])]
        operations = model.call_count
        made += [clients.get("ec2", region) for region in regions[1:]]
        assert model.call_count - operations < 0.1 * operations
    for client in made:
        client.meta.events.register_first("before-send.ec2.*", answer)
        client.describe_availability_zones()

    assert len({type(client) for client in made}) == 1
    assert [client.meta.region_name for client in made] == list(regions)
    assert list(asked) == [f"https://ec2.{region}.amazonaws.com/" for region in regions]
    for region, authorization in zip(regions, asked.values(), strict=True):
        assert f"/{region}/ec2/aws4_request" in authorization


def test_two_sessions_share_no_class(clients):
    assert type(clients.get("ec2", "us-east-2")) is not type(BotoClients(connections=1).get("ec2", "us-east-2"))


def test_sessions_of_many_threads_leave_botocore_as_it_was(clients):
    before, others = botocore.client.ClientCreator, [clients, *(BotoClients(connections=1) for _ in range(3))]
    with ThreadPoolExecutor(8) as threads:
        made = [
            threads.submit(each.get, "sts", f"us-{side}-{n}")
            for side in ("east", "west")
            for n in (1, 2)
            for each in others
        ]
        assert len({id(each.result()) for each in made}) == 16

    assert botocore.client.ClientCreator is before
