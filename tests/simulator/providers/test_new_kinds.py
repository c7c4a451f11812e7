"""A simulated resource is one file: its kind, with what is known of its type; what a new one lacks is named."""

from collections.abc import Iterator, Mapping

import pytest

from eks_accelerators.simulator.providers.aws import KINDS
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import Permissions, ResourceFacts, UsualTime
from eks_accelerators.simulator.resource_types_file import row
from tests.simulator.providers.kinds import EXAMPLES


def lacks(kind: Kind) -> Iterator[str]:
    """What is still to be written for a kind of resource, by name."""
    if kind.token not in EXAMPLES:
        yield "an example in tests/simulator/providers/kinds.py"
    facts = getattr(kind, "facts", None)
    if facts is None:
        yield "`facts`: what is known of its type"
        return
    if facts.called is None:
        yield "`called`: what people call it"
    if (fixed := sorted(kind.properties - kind.changeable)) and not facts.replacing:
        yield f"`replacing`: the kind cannot change {', '.join(fixed)} in place"
    for step in ("create", "delete", *(["update"] if kind.changeable else [])):
        if not all(step in each for each in _figures(facts, step)):
            yield f"`durations`: how long it takes to {step} it"


def _figures(facts: ResourceFacts, step: str) -> list[Mapping[str, UsualTime]]:
    """Those of the type, or of everything that it covers where it has none itself."""
    return [facts.durations] if step in facts.durations else list(facts.details.values()) or [{}]


@pytest.mark.parametrize("token", KINDS)
def test_a_kind_lacks_nothing(token):
    assert list(lacks(KINDS[token])) == []


@pytest.mark.parametrize("token", KINDS)
def test_every_exception_is_needed(token):
    """What the provider does not call is called here, and every figure is of an action that there is."""
    facts = KINDS[token].facts

    assert set(facts.only_here) <= KINDS[token].calls
    assert {step for each in (facts.durations, *facts.details.values()) for step in each} <= {
        "create",
        "update",
        "delete",
    }


class Shelf(Kind):
    """`aws.lib.Shelf`."""

    token = "aws:lib/shelf:Shelf"
    properties = frozenset({"height", "label"})
    changeable = frozenset({"label"})
    calls = frozenset({"ec2.create_vpc", "ec2.describe_tags", "efs.describe_file_systems"})

    def create(self, aws, inputs):
        return Created(aws.call("ec2", "create_vpc", CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"])


class ShelfWithFacts(Shelf):
    facts = ResourceFacts(durations={"create": UsualTime(1, "us")}, sources={"us": "a clock"})


def test_what_a_new_kind_lacks_is_named():
    assert list(lacks(Shelf())) == [
        "an example in tests/simulator/providers/kinds.py",
        "`facts`: what is known of its type",
    ]


def test_what_its_facts_lack_is_named():
    assert list(lacks(ShelfWithFacts())) == [
        "an example in tests/simulator/providers/kinds.py",
        "`called`: what people call it",
        "`replacing`: the kind cannot change height in place",
        "`durations`: how long it takes to delete it",
        "`durations`: how long it takes to update it",
    ]


def test_iam_actions_follow_from_the_calls():
    facts = ResourceFacts(
        scope="elastic",
        permissions=(Permissions("any", ("ec2:CreateVpc",)), Permissions("roles", ("iam:GetRole",), where="role")),
        only_here={"ec2.describe_tags": "the provider reads them otherwise"},
    )

    assert row(Shelf.token, facts, Shelf.calls)["iam"] == [
        {"scope": "elastic", "actions": ["elasticfilesystem:DescribeFileSystems"]},
        {"scope": "any", "actions": ["ec2:CreateVpc"]},
        {"scope": "roles", "actions": ["iam:GetRole"], "where": "role"},
    ]
