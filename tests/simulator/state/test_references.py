"""References between resources, where some are gone or are called otherwise."""

import pytest

from eks_accelerators.simulator.state.references import renamed, without_dangling
from tests.simulator.state.test_replay import resource, urn


def bare(name, **more):
    return {"urn": urn(name), **more}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"dependencies": [urn("a"), urn("gone")]}, {"dependencies": [urn("a")]}, id="dependency"),
        pytest.param({"dependencies": [urn("gone")]}, {}, id="only-dependency"),
        pytest.param(
            {"propertyDependencies": {"x": [urn("gone"), urn("a")], "y": [urn("gone")]}},
            {"propertyDependencies": {"x": [urn("a")]}},
            id="of-properties",
        ),
        pytest.param({"parent": urn("a")}, {"parent": urn("a")}, id="parent"),
        pytest.param({"parent": urn("gone")}, {}, id="parent-that-is-gone"),
        pytest.param({"parent": urn("after")}, {"parent": urn("after")}, id="parent-that-comes-later"),
        pytest.param({"deletedWith": urn("a")}, {"deletedWith": urn("a")}, id="deleted-with"),
        pytest.param({"deletedWith": urn("gone")}, {}, id="deleted-with-what-is-gone"),
        pytest.param({"deletedWith": urn("after")}, {}, id="deleted-with-what-comes-later"),
        pytest.param({"replaceWith": [urn("a")]}, {"replaceWith": [urn("a")]}, id="replaced-with"),
        pytest.param({"replaceWith": [urn("a"), urn("gone")]}, {}, id="replaced-with-what-is-gone"),
        pytest.param({"dependencies": [urn("after")]}, {}, id="what-comes-later-is-of-an-older-one"),
        pytest.param({"text": urn("gone")}, {"text": urn("gone")}, id="nothing-else-is-a-reference"),
    ],
)
def test_references_to_what_is_gone_go(before, after):
    resources = [bare("a"), bare("b", **before), bare("after")]

    assert without_dangling(resources) == [bare("a"), bare("b", **after), bare("after")]


NEW = urn("new")
REFERRING = {
    "parent": urn("old"),
    "deletedWith": urn("old"),
    "viewOf": urn("old"),
    "provider": f"{urn('old')}::an-id",
    "dependencies": [urn("other"), urn("old")],
    "propertyDependencies": {"x": [urn("old")]},
}


def test_what_refers_to_an_old_name_refers_to_the_new_one():
    named = {**resource("new"), "aliases": [urn("old")]}

    new, referring = renamed([named, resource("b", **REFERRING)])

    assert new == resource("new")
    assert {key: referring[key] for key in REFERRING} == {
        "parent": NEW,
        "deletedWith": NEW,
        "viewOf": NEW,
        "provider": f"{NEW}::an-id",
        "dependencies": [urn("other"), NEW],
        "propertyDependencies": {"x": [NEW]},
    }


def test_a_child_of_a_parent_of_another_type_is_called_after_it():
    parent = {
        "urn": "urn:pulumi:dev::shop::things:index:New::p",
        "aliases": ["urn:pulumi:dev::shop::things:index:Old::p"],
    }
    child = {
        "urn": "urn:pulumi:dev::shop::things:index:Old$things:index:Thing::c",
        "parent": "urn:pulumi:dev::shop::things:index:Old::p",
    }
    late = bare("late", dependencies=[child["urn"]])

    _, renamed_child, renamed_late = renamed([parent, child, late])

    assert renamed_child == {
        "urn": "urn:pulumi:dev::shop::things:index:New$things:index:Thing::c",
        "parent": "urn:pulumi:dev::shop::things:index:New::p",
    }
    assert renamed_late["dependencies"] == [renamed_child["urn"]]


def test_a_child_of_the_stack_keeps_its_name():
    stack = {
        "urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::new",
        "aliases": ["urn:pulumi:dev::shop::pulumi:pulumi:Stack::old"],
    }
    child = bare("c", parent="urn:pulumi:dev::shop::pulumi:pulumi:Stack::old")

    assert renamed([stack, child])[1] == bare("c", parent=stack["urn"])
