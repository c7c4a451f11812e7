"""Entries of the engine's journal, and the deployment that they make of the one before."""

from typing import Any

import pytest

from eks_accelerators.simulator.state.replay import EntryKind, Replay, UnknownEntryError, features, schema_version

BEGIN, SUCCESS, FAILURE, REFRESH, OUTPUTS = (
    EntryKind.BEGIN,
    EntryKind.SUCCESS,
    EntryKind.FAILURE,
    EntryKind.REFRESH_SUCCESS,
    EntryKind.OUTPUTS,
)
REBUILT = EntryKind.REBUILT_BASE_STATE


def urn(name: str, parent: str = "") -> str:
    return f"urn:pulumi:dev::shop::{parent}things:index:Thing::{name}"


def resource(name: str, **more: Any) -> dict[str, Any]:
    return {"urn": urn(name), "custom": True, "id": f"{name}-1", "type": "things:index:Thing", **more}


def entry(kind: int, number: int = 0, **more: Any) -> dict[str, Any]:
    return {"version": 1, "kind": int(kind), "operationID": number, "removeOld": None, "removeNew": None, **more}


def begun(operation: int, kind: str, name: str) -> dict[str, Any]:
    return entry(BEGIN, operation, operation={"type": kind, "resource": resource(name)})


def replayed(base: list[dict[str, Any]], entries: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    replay = Replay({"resources": base, **more}, "v3.250.0")
    numbered = [{"sequenceID": number, **each} for number, each in enumerate(entries, 1)]
    replay.check(numbered)
    replay.add(numbered)
    return replay.deployment()


def shown(deployment: dict[str, Any]) -> list[str]:
    """Each resource as its name and ID, with its marks."""
    marks = ("delete", "pendingReplacement", "external")
    return [
        " ".join([each["id"], *(mark for mark in marks if each.get(mark))]) for each in deployment.get("resources", [])
    ]


A, B = resource("a"), resource("b")
A2 = resource("a", id="a-2")

CASES = [
    pytest.param([], [], [], id="nothing"),
    pytest.param([A, B], [], ["a-1", "b-1"], id="no-entry"),
    pytest.param([], [begun(1, "creating", "a"), entry(SUCCESS, 1, state=A)], ["a-1"], id="created"),
    pytest.param([], [begun(1, "creating", "a"), entry(FAILURE, 1, state=A)], [], id="creation-failed"),
    pytest.param(
        [A, B],
        [entry(BEGIN, 1), entry(SUCCESS, 1, state=B, removeOld=1)],
        ["b-1", "a-1"],
        id="what-the-program-has-come-to-is-before-the-rest",
    ),
    pytest.param([A, B], [begun(1, "deleting", "a"), entry(SUCCESS, 1, removeOld=0)], ["b-1"], id="deleted"),
    pytest.param([A], [begun(1, "deleting", "a"), entry(FAILURE, 1)], ["a-1"], id="deletion-failed"),
    pytest.param(
        [A], [entry(SUCCESS, 1, state=A2, deleteOld=0)], ["a-2", "a-1 delete"], id="replaced-and-the-old-one-is-to-go"
    ),
    pytest.param(
        [A], [entry(SUCCESS, 1, state=A2, deleteOld=0), entry(SUCCESS, 2, removeOld=0)], ["a-2"], id="replaced"
    ),
    pytest.param(
        [A],
        [entry(SUCCESS, 1, pendingReplacementOld=0)],
        ["a-1 pendingReplacement"],
        id="deleted-ahead-of-its-replacement",
    ),
    pytest.param(
        [{**A, "pendingReplacement": True}],
        [entry(SUCCESS, 1, state=A2, removeOld=0)],
        ["a-2"],
        id="made-after-it-was-deleted",
    ),
    pytest.param(
        [],
        [entry(SUCCESS, 1, state=A), entry(SUCCESS, 2, removeNew=1)],
        [],
        id="made-and-removed-by-one-deployment",
    ),
    pytest.param(
        [],
        [entry(SUCCESS, 1, state=A), entry(SUCCESS, 2, state=A2, deleteNew=1)],
        ["a-1 delete", "a-2"],
        id="made-and-replaced-by-one-deployment",
    ),
    pytest.param(
        [],
        [entry(SUCCESS, 1, state=A), entry(SUCCESS, 2, pendingReplacementNew=1)],
        ["a-1 pendingReplacement"],
        id="made-and-deleted-ahead-of-its-replacement",
    ),
    pytest.param([], [entry(SUCCESS, 1, state=A), entry(OUTPUTS, 2, state=A2, removeNew=1)], ["a-2"], id="outputs"),
    pytest.param([A, B], [entry(OUTPUTS, 1, state=A2, removeOld=0)], ["a-2", "b-1"], id="outputs-of-an-old-one"),
    pytest.param([A, B], [entry(REFRESH, 1, state=A2, removeOld=0)], ["a-2", "b-1"], id="refreshed-where-it-is"),
    pytest.param([A, B], [entry(REFRESH, 1, removeOld=0)], ["b-1"], id="refreshed-and-gone"),
    pytest.param(
        [A],
        [entry(REFRESH, 1, state=A2, removeOld=0), entry(SUCCESS, 2, removeOld=0)],
        [],
        id="refreshed-and-then-deleted",
    ),
    pytest.param(
        [], [entry(SUCCESS, 1, state=A), entry(REFRESH, 2, state=A2, removeNew=1)], ["a-2"], id="new-and-refreshed"
    ),
    pytest.param([], [entry(SUCCESS, 1, state=A), entry(REFRESH, 2, removeNew=1)], [], id="new-refreshed-and-gone"),
    pytest.param(
        [A, B],
        [entry(REFRESH, 1, removeOld=0), entry(REBUILT), entry(SUCCESS, 2, removeOld=0)],
        [],
        id="after-a-refresh-places-are-those-of-what-is-left",
    ),
    pytest.param(
        [A],
        [entry(EntryKind.WRITE, newSnapshot={"resources": [B, A]}), entry(SUCCESS, 1, removeOld=0)],
        ["a-1"],
        id="rebased",
    ),
    pytest.param(
        [A], [entry(SUCCESS, 1, removeNew=7), entry(OUTPUTS, 2, state=B, removeNew=7)], ["a-1"], id="of-nothing"
    ),
]


@pytest.mark.parametrize(("base", "entries", "expected"), CASES)
def test_resources(base, entries, expected):
    assert shown(replayed(base, entries)) == expected


@pytest.mark.parametrize(("base", "entries", "expected"), CASES)
def test_what_is_sent_again_changes_nothing(base, entries, expected):
    numbered = [{"sequenceID": number, **each} for number, each in enumerate(entries, 1)]
    replay = Replay({"resources": base}, "v3.250.0")
    for batch in (numbered[:1], numbered, numbered[:1]):
        replay.add(batch)

    assert shown(replay.deployment()) == expected


@pytest.mark.parametrize(
    ("before", "entries", "expected"),
    [
        pytest.param([], [begun(1, "creating", "a")], ["creating a-1"], id="begun"),
        pytest.param([], [entry(BEGIN, 1)], [], id="begun-and-nothing-to-do"),
        pytest.param([], [begun(1, "creating", "a"), entry(SUCCESS, 1, state=A)], [], id="ended"),
        pytest.param([], [begun(1, "updating", "a"), entry(FAILURE, 1)], [], id="failed"),
        pytest.param(
            [], [begun(2, "updating", "b"), begun(1, "deleting", "a")], ["updating b-1", "deleting a-1"], id="two"
        ),
        pytest.param(["creating", "updating"], [], ["creating a-1"], id="creations-of-the-run-before-stay"),
        pytest.param(
            ["creating"], [begun(1, "creating", "b"), entry(REBUILT)], ["creating b-1", "creating a-1"], id="rebuilt"
        ),
        pytest.param(["creating"], [entry(EntryKind.WRITE, newSnapshot={"resources": []})], [], id="given-up"),
    ],
)
def test_pending_operations(before, entries, expected):
    pending = [{"type": kind, "resource": A} for kind in before]
    found = replayed([], entries, pending_operations=pending).get("pending_operations", [])

    assert [f"{each['type']} {each['resource']['id']}" for each in found] == expected


DEPENDENT = resource("c", dependencies=[urn("a")])
ON_A = {"dependencies": [urn("a")]}


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        pytest.param([entry(SUCCESS, 1, removeOld=0)], ON_A, id="deleted-by-a-deployment-that-goes-on"),
        pytest.param([entry(REFRESH, 1, removeOld=0)], {}, id="gone-at-a-refresh"),
        pytest.param([entry(REFRESH, 1, removeOld=0), entry(REBUILT)], {}, id="gone-at-a-refresh-ahead-of-an-update"),
        pytest.param([entry(SUCCESS, 1, removeOld=0, isRefresh=True)], {}, id="gone-at-a-refresh-by-the-program"),
        pytest.param([entry(REFRESH, 1, state=A2, removeOld=0)], ON_A, id="there-at-a-refresh"),
        pytest.param(
            [entry(SUCCESS, 1, state={**B, "aliases": [urn("a")]}, removeOld=0)],
            {"dependencies": [urn("b")]},
            id="called-otherwise",
        ),
    ],
)
def test_what_the_others_refer_to(entries, expected):
    *_, dependent = replayed([A, DEPENDENT], entries)["resources"]
    assert dependent == {**resource("c"), **expected}


@pytest.mark.parametrize("kind", [SUCCESS, REFRESH])
def test_what_has_ended_at_a_refresh_is_not_pending(kind):
    assert "pending_operations" not in replayed([A], [begun(1, "reading", "a"), entry(kind, 1, state=A2, removeOld=0)])


def test_what_is_not_of_resources_stays():
    before = {
        "secrets_providers": {"type": "passphrase", "state": {"salt": "one"}},
        "metadata": {"integrity_error": {}},
        "snippets": [{"uuid": "one"}],
        "extensions": {"ref": "kept"},
    }
    after = replayed([A], [entry(SUCCESS, 1, state=A2, removeOld=0)], **before)

    assert {key: after[key] for key in before} == before
    assert (after["manifest"]["version"], len(after["manifest"]["magic"])) == ("v3.250.0", 64)


def test_entries_that_are_not_of_resources():
    provider = {"type": "passphrase", "state": {"salt": "two"}}
    extension = {"extensionRef": "ref", "extension": "blob"}
    entries = [
        entry(EntryKind.SECRETS_MANAGER, secretsProvider=provider),
        entry(EntryKind.SNIPPETS, snippets=[{"uuid": "two"}]),
        entry(EntryKind.EXTENSION_PARAMETERIZE, **extension),
    ]
    after = replayed([A], entries, secrets_providers={"type": "none"})

    assert (after["secrets_providers"], after["snippets"]) == (provider, [{"uuid": "two"}])
    assert after["extensions"] == {"ref": "blob"}


@pytest.mark.parametrize("unknown", [{"kind": 10}, {"version": 2}])
def test_what_is_not_known_is_said(unknown):
    with pytest.raises(
        UnknownEntryError, match=f"an entry of version .* and kind .*{next(iter(unknown.values()))}|version 2"
    ):
        replayed([], [entry(SUCCESS, 1, state=A) | unknown])


def test_what_a_deployment_is_made_of_stays_as_it_was():
    """The deployment is asked for while the journal goes on."""
    base = [{"urn": urn("a"), "id": "a-1", "dependencies": [urn("gone")]}]
    replay = Replay({"resources": base}, "v3.250.0")
    replay.add([{"sequenceID": 1, **entry(REFRESH, 1, state=resource("b", dependencies=[urn("gone")]), removeOld=0)}])
    first = replay.deployment()

    assert first["resources"] == replay.deployment()["resources"]
    assert base == [{"urn": urn("a"), "id": "a-1", "dependencies": [urn("gone")]}]


@pytest.mark.parametrize(
    ("deployment", "expected"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"resources": [A]}, [], id="plain"),
        pytest.param({"resources": [{**A, "viewOf": urn("b")}]}, ["views"], id="view"),
        pytest.param(
            {"resources": [{**A, "resourceHooks": {"a": ["b"]}, "taint": True}]}, ["hooks", "taint"], id="two"
        ),
        pytest.param(
            {"pending_operations": [{"type": "creating", "resource": {**A, "replaceWith": [urn("b")]}}]},
            ["replaceWith"],
            id="of-what-has-begun",
        ),
        pytest.param({"snippets": [{"uuid": "one"}]}, ["snippets-prototype"], id="snippets"),
    ],
)
def test_what_an_engine_must_know_to_read_it(deployment, expected):
    assert features(deployment) == expected
    assert schema_version(expected) == (4 if expected else 3)
