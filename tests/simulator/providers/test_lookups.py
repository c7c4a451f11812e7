"""What programs look up in the account, and what they cannot."""

import botocore.session
import pytest
from pulumi import _types

from eks_accelerators.simulator.providers.aws.lookups import LOOKUPS
from tests.simulator.aws.accounts import CLUSTER, RESERVATION, furnish, opened, reservation
from tests.simulator.providers.calls import AbortedError, Calls
from tests.simulator.providers.sdk import of_token

GET_CLUSTER, GET_SUBNETS, GET_BLOCK, GET_PARTITION, GET_CALLER = LOOKUPS


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    world = {"capacityReservations": [reservation()]}
    with opened(tmp_path_factory.mktemp("account"), world) as aws:
        yield furnish(aws)


@pytest.fixture
def found(place):
    subnets = {"filters": [{"name": "vpc-id", "values": [place.vpc]}]}
    arguments = {GET_CLUSTER: {"name": CLUSTER}, GET_SUBNETS: subnets, GET_BLOCK: {"id": RESERVATION}}
    return {token: Calls(place.aws).invoke(token, **arguments.get(token, {})) for token in LOOKUPS}


def test_a_cluster(found, place):
    cluster = found[GET_CLUSTER]

    assert (cluster["id"], cluster["version"], cluster["status"]) == (CLUSTER, "1.35", "ACTIVE")
    assert cluster["endpoint"].startswith("https://")
    assert cluster["certificateAuthorities"][0]["data"]
    assert cluster["accessConfigs"] == [{"authenticationMode": "API"}]
    assert cluster["vpcConfig"]["vpcId"] == place.vpc


def test_subnets(found, place):
    assert sorted(found[GET_SUBNETS]["ids"]) == sorted(place.subnets.values())


def test_a_capacity_block(found):
    block = found[GET_BLOCK]

    shown = ("id", "instanceType", "instanceCount", "availabilityZone", "startDate", "endDate", "state", "tenancy")
    assert [block[name] for name in shown] == [
        RESERVATION,
        "p5.48xlarge",
        0,  # none before it starts
        "us-east-2a",
        "2026-12-01T11:30:00Z",
        "2026-12-02T11:30:00Z",
        "scheduled",
        "default",
    ]


def test_who_asks(found):
    assert found[GET_CALLER]["accountId"] == "111122223333"


@pytest.mark.parametrize(
    ("region", "partition", "suffix"),
    [
        pytest.param("us-east-2", "aws", "amazonaws.com", id="commercial"),
        pytest.param("cn-north-1", "aws-cn", "amazonaws.com.cn", id="china"),
        pytest.param("us-gov-west-1", "aws-us-gov", "amazonaws.com", id="government"),
    ],
)
def test_the_partition_is_that_of_the_region(place, monkeypatch, region, partition, suffix):
    monkeypatch.setattr(place.aws.state, "region", region)

    assert Calls(place.aws).invoke(GET_PARTITION) == {
        "id": partition,
        "partition": partition,
        "dnsSuffix": suffix,
        "reverseDnsPrefix": ".".join(reversed(suffix.split("."))),
    }
    assert botocore.session.get_session().get_partition_for_region(region) == partition


@pytest.mark.parametrize("token", LOOKUPS)
def test_the_sdk_has_everything_that_is_found(found, token):
    name = token.rpartition(":")[2]
    result = getattr(of_token(token), f"{name[0].upper()}{name[1:]}Result")

    assert set(found[token]) - set(_types.output_type_types(result)) == set()


REFUSED = [
    ("aws:s3/getBucket:getBucket", {"bucket": "b"}, "does not know the look-up aws:s3/getBucket:getBucket"),
    (GET_SUBNETS, {"tags": {"a": "b"}}, f"does not know tags of {GET_SUBNETS}"),
    (GET_SUBNETS, {"filters": [{"name": "moon-phase", "values": ["full"]}]}, "describe_subnets is not simulated"),
    (GET_CLUSTER, {"name": "none", "region": "us-west-2"}, f"does not know region of {GET_CLUSTER}"),
    (GET_CLUSTER, {"name": "none"}, "ResourceNotFoundException.*No cluster found for name: none"),
    (GET_BLOCK, {"id": "cr-0123456789abcdeff"}, "InvalidCapacityReservationId.NotFound"),
    (GET_PARTITION, {"region": "us-west-2"}, f"does not know region of {GET_PARTITION}"),
    (GET_CALLER, {"id": "me"}, f"does not know id of {GET_CALLER}"),
]


@pytest.mark.parametrize(("token", "arguments", "words"), REFUSED)
def test_a_look_up_that_is_refused(place, token, arguments, words):
    with pytest.raises(AbortedError, match=words):
        Calls(place.aws).invoke(token, **arguments)
