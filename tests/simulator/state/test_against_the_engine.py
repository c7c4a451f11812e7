"""The journal, folded, is the state that the engine writes itself: the same life, once with a journal and once without.

Where no journal is kept the engine sends its own snapshot after each step, which is stored as it comes.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pulumi
import pytest

from eks_accelerators.simulator.engine import Engine, Program
from eks_accelerators.simulator.outcome import Action
from tests.simulator.state.things import Things, things

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.timeout(1800)]

PROJECT, STACK = "lives", "dev"
GOES_ON = "--continue-on-error"
"""Else chance says what is done before the first failure: the program's resources come in any order."""


class Group(pulumi.ComponentResource):
    def __init__(self, name: str, kind: str = "Group", opts: pulumi.ResourceOptions | None = None):
        super().__init__(f"things:index:{kind}", name, None, opts)
        self.register_outputs({"name": name})


def thing(name: str, opts: pulumi.ResourceOptions | None = None, **inputs: Any) -> pulumi.CustomResource:
    return pulumi.CustomResource("things:index:Thing", name, inputs, opts)


def options(**given: Any) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(**given)


def beginning() -> None:
    group = Group("group")
    base = thing("base", options(parent=group), kind="a", secret=pulumi.Output.secret("of the base"))
    thing("on-base", options(parent=group, depends_on=[base]), kind="a", on=base.id)
    first = thing("deleted-first", options(delete_before_replace=True), kind="a")
    thing("on-first", options(depends_on=[first]), kind="a", on=first.id)
    thing("protected", options(protect=True), kind="a")
    thing("kept", options(retain_on_delete=True), kind="a")
    thing("gone-with-base", options(deleted_with=base), kind="a")
    thing("edited", None, kind="a", text="one")
    thing("removed", None, kind="a")


def edited(kind: str = "b") -> None:
    group = Group("group")
    base = thing("base", options(parent=group), kind="b", secret=pulumi.Output.secret("of the base"))
    thing("on-base", options(parent=group, depends_on=[base]), kind="a", on=base.id)
    first = thing("deleted-first", options(delete_before_replace=True), kind=kind)
    thing("on-first", options(depends_on=[first]), kind="a", on=first.id)
    thing("protected", options(protect=True), kind="a")
    thing("kept", options(retain_on_delete=True), kind="a")
    thing("gone-with-base", options(deleted_with=base), kind="a")
    thing("edited", None, kind="a", text="two")
    added = thing("added", options(depends_on=[base]), kind="a")
    thing("on-added", options(depends_on=[added]), kind="a", on=added.id)
    pulumi.export("added", added.id)


def replaced_first() -> None:
    edited(kind="c")


def renamed() -> None:
    was = options(aliases=[pulumi.Alias(name="group", type_="things:index:Group")])
    group = Group("assembly", "Assembly", was)
    base = thing("base", options(parent=group), kind="b", secret=pulumi.Output.secret("of the base"))
    thing("on-base", options(parent=group, depends_on=[base]), kind="a", on=base.id)
    thing("protected", options(protect=True), kind="a")
    thing("kept", options(retain_on_delete=True), kind="b")
    thing("ending", options(aliases=[pulumi.Alias(name="edited")]), kind="b", text="two")
    added = thing("added", options(depends_on=[base]), kind="c")
    thing("on-added", options(depends_on=[added]), kind="a", on=added.id)


def read_and_imported() -> None:
    thing("read", options(id="there-1"))
    thing("imported", options(import_="there-2"), kind="z")
    thing("protected", options(protect=True), kind="a")


def unprotected() -> None:
    thing("protected", None, kind="a")
    thing("more", options(replace_on_changes=["text"]), kind="a", text="one")


def replaced_on_change() -> None:
    thing("protected", None, kind="a")
    thing("more", options(replace_on_changes=["text"]), kind="a", text="two")


@dataclass(frozen=True)
class Stage:
    """One operation in a life: ``before`` it something happens to the things, and ``failing`` fails in it."""

    name: str
    action: Action
    program: Callable[[], None]
    failing: frozenset[tuple[str, str]] = frozenset()
    before: Callable[[Things], Any] = lambda _things: None
    flags: tuple[str, ...] = ()
    ok: bool = True


def failing(*operations: tuple[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(operations)


def lose(*names: str) -> Callable[[Things], None]:
    """Things of these names go, and nobody tells."""

    def happen(provider: Things) -> None:
        for made in [each for each in provider.there if each.rpartition("-")[0] in names]:
            del provider.there[made]

    return happen


def change(name: str, **inputs: Any) -> Callable[[Things], None]:
    """Things of this name change, and nobody tells."""

    def happen(provider: Things) -> None:
        for made in [each for each in provider.there if each.rpartition("-")[0] == name]:
            provider.there[made] |= inputs

    return happen


def bring(provider: Things) -> None:
    provider.there |= {"there-1": {"kind": "y"}, "there-2": {"kind": "z"}}


EDITED = "urn:pulumi:dev::lives::things:index:Thing::edited"
LIFE = [
    Stage("created", "up", beginning),
    Stage("nothing-changed", "up", beginning),
    Stage("edit-that-fails", "up", edited, failing(("create", "base"), ("update", "edited")), ok=False),
    Stage("edit-whose-deletions-fail", "up", edited, failing(("delete", "base"), ("delete", "removed")), ok=False),
    Stage("edit-that-is-made", "up", edited),
    Stage("refreshed-without-change", "refresh", edited),
    Stage(
        "refreshed",
        "refresh",
        edited,
        before=lambda provider: (lose("base")(provider), change("edited", text="x")(provider)),
    ),
    Stage("made-again", "up", edited),
    Stage("refreshed-on-the-way", "up", edited, before=lose("added", "on-first"), flags=("--refresh",)),
    Stage("only-one", "up", beginning, flags=("--target", EDITED)),
    Stage("half-a-replacement", "up", replaced_first, failing(("create", "deleted-first")), ok=False),
    Stage("renamed-in-part", "up", renamed, failing(("create", "kept"), ("finish", "added")), ok=False),
    Stage("renamed", "up", renamed),
    Stage("read-and-imported", "up", read_and_imported, before=bring),
    Stage("protected-things-stay", "destroy", read_and_imported, ok=False),
    Stage("unprotected", "up", unprotected),
    Stage("replaced-on-change", "up", replaced_on_change, failing(("delete", "more")), ok=False),
    Stage("destruction-that-fails", "destroy", replaced_on_change, failing(("delete", "protected")), ok=False),
    Stage("destroyed", "destroy", replaced_on_change),
]


def lived(engines: Any, folder: Any) -> dict[str, dict[str, Any]]:
    """The state after each stage."""
    states = {}
    with things() as (provider, addresses):
        engine = Engine(engines["pulumi"], folder)
        for stage in LIFE:
            stage.before(provider)
            provider.failing = set(stage.failing)
            program = Program(stage.program, PROJECT, STACK, {})
            flags = stage.flags if stage.ok else (*stage.flags, GOES_ON)
            outcome = engine.run(stage.action, program, addresses, flags=flags)
            assert outcome.ok == stage.ok, (stage.name, outcome.errors)
            states[stage.name] = engine.state(PROJECT, STACK)
    return states


def comparable(deployment: dict[str, Any]) -> dict[str, Any]:
    """A deployment without what chance, or the moment, has put into it: of each URN its resources, in order."""
    text = json.dumps(deployment)
    providers = [each for each in deployment.get("resources", []) if each["type"].startswith("pulumi:providers:")]
    for each in providers:
        text = text.replace(each["id"], "some-id")
    text = re.sub(r'"ciphertext": "[^"]*"', '"ciphertext": "some"', text)
    found: dict[str, Any] = json.loads(re.sub(r'"(created|modified)": "[^"]*"', r'"\1": "then"', text))
    by_urn: dict[str, list[Any]] = {}
    for each in found.get("resources", []):
        by_property = {key: urns for key, urns in each.pop("propertyDependencies", {}).items() if urns}
        by_urn.setdefault(each["urn"], []).append(each | {"propertyDependencies": by_property})
    rest = {key: value for key, value in found.items() if key not in ("manifest", "secrets_providers", "resources")}
    return {**{key: value for key, value in rest.items() if value}, "resources": by_urn}


def too_early(deployment: dict[str, Any]) -> list[tuple[str, str]]:
    """Resources that come before one that they refer to, with that one: all that the engine promises of the order."""
    found, before = [], set()
    for each in deployment.get("resources", []):
        wanted = [*each.get("dependencies", []), *filter(None, (each.get("parent"), each.get("deletedWith")))]
        wanted += [each["provider"].rpartition("::")[0]] if each.get("provider") else []
        found += [(each["urn"], urn) for urn in wanted if urn not in before]
        before.add(each["urn"])
    return found


@pytest.fixture(scope="module")
def lives(engines, tmp_path_factory):
    """By stage: with a journal, and without one."""
    with_journal = lived(engines, tmp_path_factory.mktemp("journal"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PULUMI_DISABLE_JOURNALING", "true")
        without = lived(engines, tmp_path_factory.mktemp("whole"))
    return with_journal, without


@pytest.mark.parametrize("stage", [stage.name for stage in LIFE])
def test_the_states_are_the_same(lives, stage):
    with_journal, without = (life[stage] for life in lives)

    assert comparable(with_journal) == comparable(without)
    assert (too_early(with_journal), too_early(without)) == ([], [])


def test_the_life_has_what_journals_are_about(lives):
    """Else the comparison would say less than it seems to."""
    states = list(lives[0].values())
    marks = {key for state in states for each in state.get("resources", []) for key, value in each.items() if value}

    assert {
        "delete",
        "pendingReplacement",
        "protect",
        "retainOnDelete",
        "deletedWith",
        "external",
        "initErrors",
    } <= marks
    assert states[-1].get("resources", []) == []
