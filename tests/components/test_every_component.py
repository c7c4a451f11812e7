"""What holds for every component: children, tags, providers, dependencies, outputs."""

import json

import pulumi
import pulumi_aws as aws
import pytest

from eks_accelerators import components
from eks_accelerators.accelerators import data
from tests.components.examples import EXAMPLES, NAMES, REGISTERS, deployed, takes_tags
from tests.components.harness import TAGS, UNKNOWN, deploy, leaves

EVERY = [pytest.param(component, id=component.__name__) for component in components.ALL]


def inside(deployment, component):
    """What the component registered: everything but the provider that the test made, and itself."""
    return [r for r in deployment.resources if r.name != "in-cluster" and r.kind != component.__name__]


def test_every_component_has_an_example():
    assert set(EXAMPLES) == set(components.ALL)
    assert set(REGISTERS) == {component.__name__ for component in components.ALL}


def test_words_for_the_timeline_of_a_deployment_are_those_of_components():
    named = data.load("resource-types")["components"]

    assert set(named) <= {f"eks-accelerators:index:{component.__name__}" for component in components.ALL}


@pytest.mark.parametrize("preview", [True, False], ids=["preview", "up"])
@pytest.mark.parametrize("component", EVERY)
def test_it_registers_itself_and_its_children(component, preview):
    deployment = deployed(component, preview=preview)

    itself = deployment.one(component.__name__)
    children = inside(deployment, component)
    assert not itself.custom
    assert REGISTERS[component.__name__] in {child.kind for child in children}
    assert {child.parent for child in children} == {itself.urn}


@pytest.mark.parametrize("component", EVERY)
def test_a_preview_shows_all_that_a_deployment_makes(component, snapshot):
    shown, made = (
        sorted(f"{child.type} {child.name}" for child in inside(deployed(component, preview=preview), component))
        for preview in (True, False)
    )

    assert shown == made
    assert made == snapshot


@pytest.mark.parametrize("component", EVERY)
def test_tags_are_on_everything_that_takes_them(component):
    taggable = [r for r in inside(deployed(component), component) if takes_tags(r.type) or r.type.startswith("eks:")]

    assert [r.urn for r in taggable if not r.inputs.get("tags", {}).items() >= TAGS.items()] == []


@pytest.mark.parametrize("component", EVERY)
def test_every_output_is_known_after_a_deployment(component):
    outputs = deployed(component).component_outputs(component.__name__)

    declared = {name for name in component.__annotations__ if not name.startswith("_")}
    assert set(outputs) == declared
    assert [name for name, value in outputs.items() if value in (None, "", UNKNOWN, "None")] == []


@pytest.mark.parametrize("component", EVERY)
def test_what_a_component_waits_for_its_children_wait_for(component):
    def program():
        before = aws.sns.Topic("before")
        in_cluster = pulumi.ResourceOptions(depends_on=[before])
        component(NAMES[component], EXAMPLES[component], in_cluster)

    deployment = deploy(program, preview=True)

    before = deployment.one("Topic", "before").urn
    children = [r for r in inside(deployment, component) if r.urn != before]
    assert children
    assert [r.urn for r in children if before not in r.dependencies] == []


@pytest.mark.parametrize("component", EVERY)
def test_kubernetes_objects_use_the_provider_that_was_given(component):
    objects = [r for r in deployed(component).resources if r.type.startswith("kubernetes:")]

    assert [r.urn for r in objects if "::in-cluster::" not in r.provider] == []


@pytest.mark.parametrize("component", EVERY)
def test_two_of_a_component_do_not_collide(component):
    def program():
        for name in ("one", "two"):
            changes = {"namespace": name} if "namespace" in all_keys(component) else {}
            component(name, {**EXAMPLES[component], **changes})

    urns = [r.urn for r in deploy(program, preview=True).resources]

    assert sorted(set(urns)) == sorted(urns)


def all_keys(component):
    args = getattr(components, f"{component.__name__}Args")
    return args.__required_keys__ | args.__optional_keys__


@pytest.mark.parametrize("component", EVERY)
def test_nothing_secret_or_unset_is_sent(component):
    """An input of None is left out by the SDK; the text `None` is a value that nobody meant."""
    resources = deployed(component).resources
    sent = [leaf for r in resources for leaf in leaves(r.inputs)]
    headless = [r for r in resources if r.kind == "Service" and r.inputs["spec"].get("clusterIP") == "None"]

    assert sent.count("None") == len(headless), "that word is Kubernetes' own"


def test_the_monitoring_agent_reaches_tainted_nodes():
    """Without its DCGM server there the agent reports GPUs as broken, and node repair replaces nodes that are well."""
    deployment = deployed(components.ClusterAddons)
    agent = next(r for r in deployment.resources if r.inputs.get("addonName") == "eks-node-monitoring-agent")

    assert json.loads(agent.inputs["configurationValues"]) == {"dcgmAgent": {"tolerations": [{"operator": "Exists"}]}}
