"""Every kind of resource from its creation to its end: what was set is read again, and so is every change."""

import json
import re

import pytest

from eks_accelerators.accelerators.replacement import replaces_any, replacing
from eks_accelerators.simulator.aws.model import OfferingRecord
from eks_accelerators.simulator.providers.aws import KINDS
from eks_accelerators.simulator.providers.values import UNKNOWN, observed
from tests.simulator.aws.accounts import START, furnish, opened
from tests.simulator.providers.calls import AbortedError, Calls, Resource
from tests.simulator.providers.kinds import EXAMPLES, Anything, surround
from tests.simulator.providers.sdk import outputs_of

OFFER = "cb-0123456789abcdef0"
STAYS = {
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": "it goes with its VPC",
    "aws:amp/workspaceConfiguration:WorkspaceConfiguration": "a workspace always keeps metrics for some time",
    "aws:sns/topicPolicy:TopicPolicy": "a topic always has a policy",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": "a block cannot be given back",
}
"""What is still there when it was deleted, and why."""

UNOBSERVED = {
    "aws:ec2/launchTemplate:LaunchTemplate": {"updateDefaultVersion"},
    "aws:eks/addon:Addon": {"resolveConflictsOnCreate", "resolveConflictsOnUpdate"},
    "aws:fsx/lustreFileSystem:LustreFileSystem": {"skipFinalBackup"},
}
"""What only tells the provider how to go about it: AWS does not keep it."""


OF_THE_USER = ("dimensions", "labels", "tags")
"""Maps of the user's own keys, which are compared as a whole."""

NOT_CALLED = {
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": {
        "ec2.revoke_security_group_egress",  # unless another test has closed the group already
        "ec2.revoke_security_group_ingress",  # moto's lets nobody in
    },
}
"""Calls for which there is no cause here, or not always."""

UNCHANGEABLE = {
    "aws:efs/fileSystem:FileSystem": {"provisionedThroughputInMibps", "throughputMode"},
    "aws:ec2/routeTableAssociation:RouteTableAssociation": {"routeTableId"},
    "aws:ec2/vpcEndpoint:VpcEndpoint": {"privateDnsEnabled"},
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": {"referencedSecurityGroupId"},
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {"referencedSecurityGroupId"},
}
"""What the provider changes and the simulation does not know how to."""


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("account")) as aws:
        yield surround(furnish(aws))


@pytest.fixture
def calls(here):
    aws = here.place.aws
    aws.state.offerings[OFFER] = OfferingRecord(OFFER, "p5.48xlarge", 4, "us-east-2a", START, 48, "8000")
    calls = Calls(aws)
    yield calls
    if "another" in aws.state.clusters:
        aws.state.clusters["another"].described["deletionProtection"] = False
    for token, made in reversed(calls.made):
        calls.delete(token, made)


@pytest.fixture
def asked(here, monkeypatch):
    """Every call that is made to the account."""
    found = set()
    monkeypatch.setattr(here.place.aws, "before_call", lambda *each: found.add(".".join(each)))
    return found


def created(calls, here, token):
    return created_from(calls, token, EXAMPLES[token].inputs(here))


def created_from(calls, token, inputs):
    made = calls.create(token, inputs)
    calls.made.append((token, made))
    return made


def short(token):
    """The last part of a type."""
    return token.rpartition(":")[2]


def content(value):
    """A document in JSON without its spaces."""
    return json.loads(value) if isinstance(value, str) and value.startswith("{") else value


def every_change():
    """Each kind with each of its properties that can change, and the number of the change."""
    for token, example in EXAMPLES.items():
        for name, values in example.changes(Anything()).items():
            for number, value in enumerate(values):
                what = "out" if value is None else number
                yield pytest.param(token, name, number, id=f"{short(token)}-{name}-{what}")


@pytest.mark.parametrize("token", EXAMPLES, ids=short)
def test_what_was_set_is_read_again_until_it_is_deleted(calls, here, token):
    made = created(calls, here, token)

    assert set(made.state) - outputs_of(token) == set()
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


@pytest.mark.parametrize("token", EXAMPLES, ids=short)
def test_every_call_that_it_declares_is_made_by_an_example(calls, here, asked, token):
    example = EXAMPLES[token]
    made = created(calls, here, token)
    for name, values in example.changes(here).items():
        for value in values:
            wanted = {**made.inputs, name: value, **example.together(name)}
            made = calls.update(token, made, {key: value for key, value in wanted.items() if value is not None})
    calls.read(token, made)
    calls.made.clear()
    calls.delete(token, made)

    assert KINDS[token].calls - asked <= NOT_CALLED.get(token, set())


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
        live = value if name in OF_THE_USER else observed(made.inputs[name], value)
        assert content(seen[name]) == content(live), "a change by somebody else would be seen"


@pytest.mark.parametrize(
    ("token", "name"),
    [
        pytest.param(token, name, id=f"{short(token)}-{name}")
        for token, kind in KINDS.items()
        for name in sorted(kind.kept & set(EXAMPLES[token].inputs(Anything())))
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
        token: kind.changeable - set(example.changes(Anything())) - _together(example)
        for token, kind in KINDS.items()
        for example in [EXAMPLES[token]]
    }
    assert {token: names for token, names in left_out.items() if names} == {
        "aws:ec2/vpcEndpoint:VpcEndpoint": {"routeTableIds"},  # of a gateway endpoint: below
        "aws:eks/nodeGroup:NodeGroup": {"version"},  # follows the cluster's: tests of upgrades
    }
    assert set(EXAMPLES) == set(KINDS)


def test_a_gateway_endpoint_changes_its_route_tables(calls, here):
    token = "aws:ec2/vpcEndpoint:VpcEndpoint"
    inputs = {
        "vpcId": here["vpc"],
        "serviceName": "com.amazonaws.us-east-2.s3",
        "vpcEndpointType": "Gateway",
        "routeTableIds": [here["route table"]],
    }
    made = created_from(calls, token, inputs)

    changed = calls.update(token, made, {**inputs, "routeTableIds": [here["other route table"]]})

    assert calls.read(token, changed) == changed
    assert calls.read(token, made).inputs["routeTableIds"] == [here["other route table"]]


@pytest.mark.parametrize("token", KINDS, ids=short)
def test_an_unknown_property_is_named(calls, here, token):
    wanted = f"the simulation does not know this property of {token}"

    _, failures = calls.check(token, {**EXAMPLES[token].inputs(here), "surelyUnknown": True, "another": 1})

    assert failures == [("another", wanted), ("surelyUnknown", wanted)]


def objects_in(value, path=()):
    """Paths of the objects inside of a resource's inputs, except for maps of the user's own keys."""
    if isinstance(value, dict):
        if path:
            yield path
        for key, item in value.items():
            if key not in OF_THE_USER:
                yield from objects_in(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from objects_in(item, (*path, index))


def with_item(value, path, item):
    """A copy of ``value`` with ``item`` at ``path``."""
    if not path:
        return item
    key, *rest = path
    changed = dict(value) if isinstance(value, dict) else dict(enumerate(value))
    changed[key] = with_item(changed.get(key, {}), rest, item)
    return changed if isinstance(value, dict) else list(changed.values())


@pytest.mark.parametrize(
    ("token", "path"),
    [
        pytest.param(token, path, id=f"{short(token)}-{'.'.join(map(str, path))}")
        for token, example in EXAMPLES.items()
        for path in objects_in(example.inputs(Anything()))
    ],
)
def test_an_unknown_property_inside_of_another_is_named(calls, here, token, path):
    inputs = with_item(EXAMPLES[token].inputs(here), (*path, "surelyUnknown"), "here")

    _, failures = calls.check(token, inputs)
    if failures:
        dotted = re.sub(r"\.(\d+)", r"[\1]", ".".join(map(str, (*path, "surelyUnknown"))))
        assert failures == [(dotted, f"the simulation does not know this property of {token}")]
    else:
        with pytest.raises(AbortedError, match=r"(?i)surelyUnknown"):
            created_from(calls, token, inputs)


def another(value):
    """A value of the same kind that is different."""
    if isinstance(value, dict):
        return {key: another(item) for key, item in value.items()}
    if isinstance(value, list):
        return [another(item) for item in value]
    return not value if isinstance(value, bool) else f"another-{value}"


def at(value, path):
    """What is at ``path``, or None."""
    for key in path:
        value = (value or {}).get(key)
    return value


@pytest.mark.parametrize(
    ("token", "path"),
    [
        pytest.param(token, path, id=f"{short(token)}-{path}")
        for token, kind in KINDS.items()
        for path in sorted(replacing(token))
        if path.partition(".")[0] in kind.properties
    ],
)
def test_a_replacement_is_announced(calls, here, token, path):
    made = created(calls, here, token)
    keys = path.split(".")
    wanted = with_item(made.inputs, keys, another(at(made.inputs, keys)))

    found = calls.diff(token, made, wanted)

    assert (found["diffs"], found["replaces"]) == (keys[:1], keys[:1])
    assert {kind.rpartition("_")[2] for kind in found["detailed"].values()} == {"replace"}


def test_every_known_property_changes_in_place_or_replaces():
    neither = {
        token: {name for name in kind.properties - kind.changeable if not replaces_any(token, name)}
        for token, kind in KINDS.items()
    }

    assert {token: names for token, names in neither.items() if names} == UNCHANGEABLE


@pytest.mark.parametrize(
    ("token", "name"),
    [
        pytest.param(token, name, id=f"{short(token)}-{name}")
        for token, names in UNCHANGEABLE.items()
        for name in sorted(names)
    ],
)
def test_what_cannot_be_changed_is_named(calls, here, token, name):
    made = created(calls, here, token)

    with pytest.raises(AbortedError, match=f"does not know how to change {name} of {token}"):
        calls.update(token, made, {**made.inputs, name: another(made.inputs.get(name))})


def _together(example):
    return {key for name in example.changes(Anything()) for key in example.together(name)}


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


def test_a_preview_makes_and_changes_nothing(calls, here):
    token = "aws:ec2/launchTemplate:LaunchTemplate"
    previewed = calls.create(token, EXAMPLES[token].inputs(here), preview=True)
    assert (previewed.id, previewed.state, calls.done) == ("", previewed.inputs, [])

    made = created(calls, here, token)
    changed = calls.update(token, made, {**made.inputs, "instanceType": "p5en.48xlarge"}, preview=True)

    assert {key for key, value in changed.state.items() if value == UNKNOWN} == {"latestVersion", "defaultVersion"}
    assert calls.read(token, made) == made
