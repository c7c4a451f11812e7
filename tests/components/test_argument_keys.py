"""Keys that a component does not know, and required ones that are missing, are said before anything is registered."""

import asyncio

import pulumi
import pytest

from eks_accelerators import components
from eks_accelerators.settings.problems import SettingsError
from tests.components.examples import EXAMPLES


def refused(component, args):
    with pytest.raises(SettingsError) as raised:
        component("example", args)
    return [(problem.code, problem.path, problem.fix) for problem in raised.value.problems]


@pytest.mark.parametrize("component", components.ALL, ids=lambda component: component.__name__)
def test_a_misspelt_key_is_answered_with_the_right_one(component):
    args = EXAMPLES[component]
    key = sorted(getattr(components, f"{component.__name__}Args").__optional_keys__)[0]

    assert refused(component, {**args, f"{key}x": 1}) == [("unknown-key", f"{key}x", f"did you mean `{key}`?")]


def test_missing_keys_are_listed_together():
    assert refused(components.Network, {"cidr": "10.0.0.0/16"}) == [
        ("missing-key", "region", "add `region`"),
        ("missing-key", "zones", "add `zones`"),
    ]


def test_arguments_are_a_dictionary():
    assert refused(components.Network, None) == [("wrong-type", "args", "write them in braces")]


@pytest.mark.parametrize(
    ("component", "args", "path"),
    [
        pytest.param(
            components.AcceleratorNodeGroup,
            lambda output: {"size": {"max": output}},
            "size.max",
            id="inside-of-another",
        ),
        pytest.param(
            components.NvidiaDevicePlugin,
            lambda output: {"sharings": [{"strategy": "timeSlicing", "replicas": output}]},
            "sharings[0].replicas",
            id="in-a-list",
        ),
    ],
)
def test_an_output_is_no_value_to_judge(component, args, path):
    async def of_an_output():  # which needs a running loop
        return refused(component, {**EXAMPLES[component], **args(pulumi.Output.from_input(4))})

    assert asyncio.run(of_an_output()) == [("wrong-type", path, "write the value itself")]


def test_what_is_wrong_in_a_list_is_told_with_its_place():
    sharings = [{"strategy": "exclusive"}, {"strategy": "timeSlicin", "replicas": 4}]

    assert refused(components.NvidiaDevicePlugin, {"sharings": sharings}) == [
        ("not-allowed", "sharings[1].strategy", "write `strategy: timeSlicing`")
    ]


@pytest.mark.parametrize(
    ("subnet", "problem"),
    [
        pytest.param("subnet-a", ("wrong-type", "subnets[0]", "write {id: ..., zone: ...}"), id="an-id-alone"),
        pytest.param({"id": "subnet-a"}, ("missing-key", "subnets[0].zone", "add `zone`"), id="no-zone"),
    ],
)
def test_subnets_say_their_id_and_zone(subnet, problem):
    args = {**EXAMPLES[components.AcceleratorNodeGroup], "subnets": [subnet]}

    assert refused(components.AcceleratorNodeGroup, args) == [problem]
