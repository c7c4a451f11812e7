"""Every kind of resource from its creation to its end: what was set is read again, and so is every change."""

import pytest

from simulator.aws.model import Offering
from simulator.providers.aws import KINDS
from simulator.providers.values import observed
from tests.simulator.aws.accounts import START, furnish, opened
from tests.simulator.providers.calls import AbortedError, Calls, Resource
from tests.simulator.providers.kinds import EXAMPLES, surround

OFFER = "cb-0123456789abcdef0"
STAYS = {
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": "it goes with its VPC",
    "aws:sns/topicPolicy:TopicPolicy": "a topic always has a policy",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": "a block cannot be given back",
}
"""What is still there when it was deleted, and why."""

UNOBSERVED = {
    "aws:ec2/launchTemplate:LaunchTemplate": {"updateDefaultVersion"},
    "aws:eks/addon:Addon": {"resolveConflictsOnCreate", "resolveConflictsOnUpdate"},
}
"""What only tells the provider how to go about it: AWS does not keep it."""


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("account")) as aws:
        yield surround(furnish(aws))


@pytest.fixture
def calls(here):
    aws = here.place.aws
    aws.state.offerings[OFFER] = Offering(OFFER, "p5.48xlarge", 4, "us-east-2a", START, 48, "8000")
    calls = Calls(aws)
    yield calls
    for token, made in reversed(calls.made):
        calls.provider.protected = False
        aws.state.clusters.get("another") and aws.state.clusters["another"].described.update(deletionProtection=False)
        calls.delete(token, made)


def created(calls, here, token):
    made = calls.create(token, EXAMPLES[token].inputs(here))
    calls.made.append((token, made))
    return made


def every_change():
    """Each kind with each of its properties that can change, and the number of the change."""
    for token, example in EXAMPLES.items():
        for name, values in example.changes(_Anything()).items():
            for number, value in enumerate(values):
                what = "out" if value is None else number
                yield pytest.param(token, name, number, id=f"{token.rpartition(':')[2]}-{name}-{what}")


class _Anything:
    """Surroundings of which only the shape matters."""

    subnets = ("a", "b", "c")

    def __getitem__(self, name):
        return name


@pytest.mark.parametrize("token", EXAMPLES, ids=lambda token: token.rpartition(":")[2])
def test_what_was_set_is_read_again_until_it_is_deleted(calls, here, token):
    made = created(calls, here, token)

    assert calls.read(token, made) == made
    calls.made.clear()
    calls.delete(token, made)
    assert (calls.read(token, made) is None) == (token not in STAYS)
    calls.delete(token, made)
    assert [(each.action, each.token) for each in calls.done] == [
        ("create", token),
        ("delete", token),
        ("delete", token),
    ]


@pytest.mark.parametrize(("token", "name", "number"), every_change())
def test_a_change_in_place_is_read_again(calls, here, token, name, number):
    example = EXAMPLES[token]
    made = created(calls, here, token)
    value = example.changes(here)[name][number]
    wanted = {**made.inputs, name: value, **example.together(name)}
    wanted = {key: value for key, value in wanted.items() if value is not None}

    differences = calls.diff(token, made, wanted)
    assert differences["replaces"] == []
    assert set(differences["diffs"]) == {name, *example.together(name)}
    changed = calls.update(token, made, wanted)
    assert changed.inputs == wanted
    assert calls.read(token, changed) == changed, "nothing drifts"

    seen = calls.read(token, made).inputs
    if name in UNOBSERVED.get(token, ()) or value is None:
        assert seen.get(name) in (made.inputs.get(name), None, [], {})
    elif name in made.inputs:
        assert seen[name] == observed(made.inputs[name], value), "a change by somebody else would be seen"


@pytest.mark.parametrize(
    ("token", "name"),
    [
        pytest.param(token, name, id=f"{token.rpartition(':')[2]}-{name}")
        for token, kind in KINDS.items()
        for name in sorted(kind.kept & set(EXAMPLES[token].inputs(_Anything())))
    ],
)
def test_what_is_left_out_later_stays_as_it_is(calls, here, token, name):
    """Optional and computed in the provider's schema: the engine is told of no difference."""
    made = created(calls, here, token)
    wanted = {key: value for key, value in made.inputs.items() if key != name}

    assert calls.diff(token, made, wanted)["changes"] == "DIFF_NONE"
    changed = calls.update(token, made, wanted)
    assert changed.state == made.state
    assert calls.read(token, Resource(changed.id, made.inputs, changed.state)) == made


def test_every_change_has_an_example():
    left_out = {
        token: kind.changeable - set(example.changes(_Anything())) - _together(example)
        for token, kind in KINDS.items()
        for example in [EXAMPLES[token]]
    }
    assert {token: names for token, names in left_out.items() if names} == {
        "aws:eks/nodeGroup:NodeGroup": {"version"},
    }, "the version of nodes follows the cluster's: tests of upgrades"
    assert set(EXAMPLES) == set(KINDS)


def _together(example):
    return {key for name in example.changes(_Anything()) for key in example.together(name)}


@pytest.mark.parametrize("token", [token for token in EXAMPLES if KINDS[token].name_property])
def test_a_name_is_made_and_kept(calls, here, token):
    key = KINDS[token].name_property
    inputs = {name: value for name, value in EXAMPLES[token].inputs(here).items() if name != key}
    checked, _ = calls.check(token, inputs)
    again, _ = calls.check(token, inputs, checked, b"another-seed")

    assert checked[key].startswith("it-")
    assert again == checked


def test_what_a_provider_has_done_is_told(calls, here):
    token = "aws:ec2/eip:Eip"
    made = created(calls, here, token)

    (done,) = calls.done
    assert (done.action, done.token, done.name, done.urn) == ("create", token, "it", calls.urn(token))
    assert made.state["tagsAll"] == made.inputs["tags"]


@pytest.mark.parametrize("action", ["create", "read", "delete"])
def test_a_type_that_is_not_simulated(calls, action):
    """The engine gets no further than Check; a state of another time may have one."""
    token, some = "aws:s3/bucket:Bucket", Resource("bucket", {"bucket": "b"}, {"bucket": "b"})
    wanted = "the simulation does not know the resource type aws:s3/bucket:Bucket"

    assert calls.check(token, {})[1] == [("", wanted)]
    calls.check = lambda *_: ({}, [])
    with pytest.raises(AbortedError, match=wanted):
        {
            "create": lambda: calls.create(token, {}),
            "read": lambda: calls.read(token, some),
            "delete": lambda: calls.delete(token, some),
        }[action]()
