"""The stand-ins of charts bring kinds under the names of the published definitions, and take whatever these take."""

from functools import cache

import pytest

from eks_accelerators.simulator.kubernetes import charts
from tests.components.examples import EXAMPLES, deployed
from tests.simulator import published_definitions

ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
DEFINITION = "CustomResourceDefinition"
BY_STAND_INS = [
    project for project in published_definitions.GROUPS if project != "gateway-api"
]  # which no chart of ours brings
EVERY_PROJECT = pytest.mark.parametrize("project", BY_STAND_INS)


@cache
def stand_ins():
    """By its name, each definition that the stand-in of a chart brings for what the components release."""
    releases = [release.inputs for component in EXAMPLES for release in deployed(component).of("Release")]
    made = [
        manifest
        for each in releases
        for manifest in charts.manifests(
            each["chart"], version=each["version"], release="r", namespace="n", values=each.get("values", {})
        )
    ]
    return {each["metadata"]["name"]: each for each in made if each["kind"] == DEFINITION}


def named(definition):
    """All by which others find a kind, and what can be written of it apart."""
    spec = definition["spec"]
    return {
        "group": spec["group"],
        "scope": spec["scope"],
        "names": {"categories": [], "shortNames": [], **spec["names"]},
        "versions": {
            each["name"]: {"storage": each["storage"], **each.get("subresources", {})}
            for each in spec["versions"]
            if each["served"]
        },
    }


@EVERY_PROJECT
def test_a_stand_in_has_the_names_of_the_published(project):
    mine = {each["metadata"]["name"]: each for each in published_definitions.of(project)}
    both = mine.keys() & stand_ins().keys()

    assert both
    assert {name: named(stand_ins()[name]) for name in both} == {name: named(mine[name]) for name in both}


@EVERY_PROJECT
def test_it_brings_no_kind_that_is_not_published(project):
    groups = {each["spec"]["group"] for each in published_definitions.of(project)}
    names = {each["metadata"]["name"] for each in published_definitions.of(project)}

    assert {name for name, each in stand_ins().items() if each["spec"]["group"] in groups} <= names


def test_no_stand_in_is_stricter_than_what_it_stands_for():
    for name, definition in stand_ins().items():
        for version in definition["spec"]["versions"]:
            assert version["schema"] == {"openAPIV3Schema": ANYTHING}, name
            assert "selectableFields" not in version, name
