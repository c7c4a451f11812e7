"""The simulation calls everything what the provider's SDK calls it."""

from functools import reduce
from operator import getitem

import pytest

from eks_accelerators.simulator.providers.aws import KINDS
from eks_accelerators.simulator.providers.aws.lookups import LOOKUPS
from tests.simulator.providers import sdk
from tests.simulator.providers.kinds import EXAMPLES, Anything
from tests.simulator.providers.test_kinds import short


@pytest.mark.parametrize("token", KINDS, ids=short)
def test_the_sdk_has_every_known_property(token):
    kind = KINDS[token]
    inside = {}
    for path, known in kind.inside.items():
        *above, name = path.split(".")
        reduce(getitem, above, inside)[name] = dict.fromkeys(known)

    assert kind.properties - set(sdk.inputs_of(token)) == set()
    assert list(sdk.unknown_names(inside, sdk.inputs_of(token))) == []
    assert kind.changeable | kind.kept | {kind.name_property or "tags"} <= kind.properties | {"tags"}


@pytest.mark.parametrize("token", EXAMPLES, ids=short)
def test_the_sdk_has_every_property_of_an_example(token):
    example = EXAMPLES[token]
    inputs = example.inputs(Anything())
    changed = [
        {name: value} for name, values in example.changes(Anything()).items() for value in values if value is not None
    ]

    for properties in [inputs, *changed]:
        assert list(sdk.unknown_names(properties, sdk.inputs_of(token))) == []


def test_a_name_that_the_sdk_does_not_have_is_found():
    """Or the two tests above could not fail."""
    properties = {
        "scalingConfig": {"minSize": 1, "size": 1},
        "taints": [{"kee": "a"}],
        "nodes": 1,
        "labels": {"a": "b"},
    }

    found = list(sdk.unknown_names(properties, sdk.inputs_of("aws:eks/nodeGroup:NodeGroup")))

    assert found == ["scalingConfig.size", "taints.kee", "nodes"]


@pytest.mark.parametrize("token", LOOKUPS, ids=short)
def test_the_sdk_has_every_lookup(token):
    names = {name.replace("_", "").lower() for name in dir(sdk.of_token(token))}

    assert short(token).lower() in names
