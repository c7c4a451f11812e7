"""What the table of fates says of a second of a kind, as the simulated account answers it: no engine is needed."""

import pytest

from eks_accelerators.simulator.providers.aws import KINDS
from tests.simulator.aws.accounts import furnish, opened
from tests.simulator.crashes.fates import LEFT_OVER, REFUSED
from tests.simulator.providers.calls import AbortedError, Calls
from tests.simulator.providers.kinds import EXAMPLES, surround

OF_THE_STACK = {
    "aws:ec2/vpcEndpoint:VpcEndpoint": lambda here: {
        "vpcId": here["vpc"],
        "serviceName": "com.amazonaws.us-east-2.s3",
        "vpcEndpointType": "Gateway",
        "routeTableIds": [here["route table"]],
    }
}
"""Inputs as the stack has them, where the example is of another sort: an interface endpoint has no routes."""


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("account")) as aws:
        yield surround(furnish(aws))


@pytest.fixture
def calls(here):
    calls = Calls(here.place.aws)
    yield calls
    for token, made in reversed(calls.made):
        calls.delete(token, made)


@pytest.mark.parametrize("token", sorted(REFUSED.keys() & KINDS.keys()))
def test_a_second_is_refused_in_these_words(calls, here, token):
    inputs = OF_THE_STACK.get(token, EXAMPLES[token].inputs)(here)
    calls.made.append((token, calls.create(token, inputs)))

    with pytest.raises(AbortedError, match=REFUSED[token]):
        calls.create(token, inputs)


@pytest.mark.parametrize("token", sorted(LEFT_OVER & KINDS.keys()))
def test_what_is_left_over_has_a_name_of_its_own_or_none(token):
    """Where it has a name, that is made anew for each creation."""
    kind = KINDS[token]

    assert kind.name_property or "name" not in kind.properties
