"""A simulated resource is two files: its kind, and what is known of its type; what a new one lacks is named."""

from collections.abc import Iterator
from functools import cache

import botocore.session
import pytest
from botocore import xform_name

from eks_accelerators.accelerators import resource_types
from eks_accelerators.simulator.providers.aws import KINDS
from eks_accelerators.simulator.providers.kind import Created, Kind
from tests.simulator.providers.kinds import EXAMPLES

ASKED_OTHERWISE = {
    "ec2:DescribeTags": "the Terraform AWS provider reads the tags of a launch template with it, where moto forgets them",
    "sns:ListSubscriptionsByTopic": "the provider asks with GetSubscriptionAttributes",
    "autoscaling:DescribeAutoScalingGroups": "the provider asks with DescribeTags",
}
"""Actions that the simulation takes in place of others, which the provider takes."""


IAM_PREFIXES = {"amp": "aps", "efs": "elasticfilesystem"}
"""What IAM calls a service, where boto3 has another name for it."""


def action(call: str) -> str:
    """`ec2.create_vpc` as IAM calls it, by botocore's models."""
    service, _, name = call.partition(".")
    return f"{IAM_PREFIXES.get(service, service)}:{_operations(service)[name]}"


@cache
def _operations(service: str) -> dict[str, str]:
    names = botocore.session.get_session().get_service_model(service).operation_names
    return {xform_name(name): name for name in names}


def lacks(kind: Kind) -> Iterator[str]:
    """What is still to be written for a kind of resource, by name."""
    known = resource_types.every().get(kind.token)
    if kind.token not in EXAMPLES:
        yield "an example in tests/simulator/providers/kinds.py"
    if known is None:
        yield f"a file in eks_accelerators/accelerators/data/resource_types/ of the type {kind.token}"
        return
    if known.name is None:
        yield "`name`: what people call it"
    if (fixed := sorted(kind.properties - kind.changeable)) and not known.replacing:
        yield f"`replacement`: the kind cannot change {', '.join(fixed)} in place"
    for step in ("create", "delete", *(["update"] if kind.changeable else [])):
        if not all(step in each for each in ([known.durations] if step in known.durations else details(known))):
            yield f"`durations`: how long it takes to {step} it"
    for needed in sorted({action(call) for call in kind.calls} - actions(known) - set(ASKED_OTHERWISE)):
        yield f"`iam`: {needed}"


def details(known: resource_types.ResourceType) -> list[dict[str, object]]:
    """The durations of what the type covers; at least one, which may be empty."""
    return list(known.durations.get("details", {}).values()) or [{}]


def actions(known: resource_types.ResourceType) -> set[str]:
    """Every action that is written down for the type."""
    return {action for entry in known.iam or () for action in entry["actions"]}


@pytest.mark.parametrize("token", KINDS)
def test_a_kind_lacks_nothing(token):
    assert list(lacks(KINDS[token])) == []


def test_every_exception_is_needed():
    asked = {action(call) for kind in KINDS.values() for call in kind.calls}
    missing = {each for kind in KINDS.values() for each in asked - actions(resource_types.every()[kind.token])}

    assert set(ASKED_OTHERWISE) <= missing


class Shelf(Kind):
    """`aws.lib.Shelf`."""

    token = "aws:lib/shelf:Shelf"
    properties = frozenset({"height", "label"})
    changeable = frozenset({"label"})
    calls = frozenset({"ec2.create_vpc"})

    def create(self, aws, inputs):
        return Created(aws.call("ec2", "create_vpc", CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"])


def test_what_a_new_kind_lacks_is_named():
    assert list(lacks(Shelf())) == [
        "an example in tests/simulator/providers/kinds.py",
        "a file in eks_accelerators/accelerators/data/resource_types/ of the type aws:lib/shelf:Shelf",
    ]


def test_what_a_new_file_lacks_is_named(monkeypatch):
    row = {"type": Shelf.token, "durations": {"create": {"seconds": 1, "source": "us"}}, "sources": {"us": "a clock"}}
    shelf = resource_types.parsed(row, {})
    monkeypatch.setattr(resource_types, "every", lambda: {Shelf.token: shelf})

    assert list(lacks(Shelf())) == [
        "an example in tests/simulator/providers/kinds.py",
        "`name`: what people call it",
        "`replacement`: the kind cannot change height in place",
        "`durations`: how long it takes to delete it",
        "`durations`: how long it takes to update it",
        "`iam`: ec2:CreateVpc",
    ]
