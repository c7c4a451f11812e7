"""What changes from one plan to the next, told from plans small enough to read."""

import pytest

from eks_accelerators.accel.plan.comparison import changes
from eks_accelerators.accel.plan.registrations import RegisteredPlan
from eks_accelerators.accelerators.replacement import grave, replaces

GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
PURCHASE = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
CLUSTER = "eks:index:Cluster"
VPC = "aws:ec2/vpc:Vpc"
TOPIC = "aws:sns/topic:Topic"
UNKNOWN = "[unknown]"


def resource(kind, inputs, name="it", ignore=(), sources=None):
    return {
        "urn": f"urn:pulumi:s::p::{kind}::{name}",
        "type": kind,
        "name": name,
        "inputs": inputs,
        "ignoreChanges": list(ignore),
        "propertyDependencies": sources or {},
    }


def plan_of(*resources, hour="1.0000", unknown=(), problems=(), cost=True):
    costs = {f"usdPer{key}": hour for key in ("HourAtDesired", "HourAtMax", "MonthAtDesired", "MonthAtMax")}
    printed = {
        "resources": resources,
        "problems": problems,
        "cost": {**costs, "unknownAtMax": unknown} if cost else None,
    }
    return RegisteredPlan.model_validate(printed)


def told(before, after):
    """Of every change: what is done, to what, whether it is grave, and which properties."""
    return [
        (entry.action, entry.type, entry.grave is not None, [each.path for each in entry.properties])
        for entry in changes(before, after, "main").resources
    ]


@pytest.mark.parametrize(
    ("kind", "before", "after", "action", "grave", "paths"),
    [
        pytest.param(GROUP, {"labels": {"a": "1"}}, {"labels": {"a": "2"}}, "change", False, ["labels.a"], id="label"),
        pytest.param(GROUP, {"labels": {}}, {"labels": {"a": "2"}}, "change", False, ["labels.a"], id="new-label"),
        pytest.param(
            GROUP, {"instanceTypes": ["a"]}, {"instanceTypes": ["b"]}, "replace", True, ["instanceTypes[0]"], id="type"
        ),
        pytest.param(
            GROUP,
            {"instanceTypes": ["a"]},
            {"instanceTypes": ["a", "b"]},
            "replace",
            True,
            ["instanceTypes"],
            id="types",
        ),
        pytest.param(GROUP, {"taints": [{}]}, {}, "change", False, ["taints"], id="taints-gone"),
        pytest.param(GROUP, {"amiType": "a", "x": 1}, {"x": 2}, "replace", True, ["amiType", "x"], id="both-at-a-time"),
        pytest.param(
            CONFIG_MAP, {"data": {"a": ""}}, {"data": {"b": ""}}, "replace", False, ["data.a", "data.b"], id="map"
        ),
        pytest.param(VPC, {"cidrBlock": "a"}, {"cidrBlock": "b"}, "replace", True, ["cidrBlock"], id="network"),
        pytest.param(VPC, {"tags": {"a": "b"}}, {"tags": None}, "change", False, ["tags"], id="tags"),
        pytest.param(CLUSTER, {"version": "1.34"}, {"version": "1.35"}, "change", False, ["version"], id="upgrade"),
        pytest.param(CLUSTER, {"name": "a"}, {"name": "b"}, "replace", True, ["name"], id="cluster-renamed"),
        pytest.param(
            TOPIC, {"fifoTopic": True}, {"fifoTopic": False}, "change", False, ["fifoTopic"], id="unlisted-type"
        ),
    ],
)
def test_a_changed_property(kind, before, after, action, grave, paths):
    found = told(plan_of(resource(kind, before)), plan_of(resource(kind, after)))

    assert found == [(action, kind, grave, paths)]


@pytest.mark.parametrize(
    ("kind", "added", "removed"),
    [(GROUP, False, True), (CLUSTER, False, True), (VPC, False, True), (PURCHASE, True, True), (TOPIC, False, False)],
)
def test_what_is_grave_to_add_or_remove(kind, added, removed):
    assert told(plan_of(), plan_of(resource(kind, {}))) == [("add", kind, added, [])]
    assert told(plan_of(resource(kind, {})), plan_of()) == [("remove", kind, removed, [])]


def test_a_purchase_is_paid_for_when_it_is_made_and_stays_so():
    assert "bought" in grave(PURCHASE, "add")
    assert "bought" in grave(PURCHASE, "replace")
    assert "paid for" in grave(PURCHASE, "remove")
    assert grave(PURCHASE, "change") is None


@pytest.mark.parametrize("ignored", ["size", "size.desired"])
def test_what_the_program_ignores_is_no_change(ignored):
    before, after = (resource(GROUP, {"size": {"desired": n}}, ignore=[ignored]) for n in (1, 2))

    assert told(plan_of(before), plan_of(after)) == []


def test_the_order_of_registration_is_no_change():
    one, other = resource(VPC, {"a": 1, "b": 2}, "one"), resource(VPC, {"b": 2, "a": 1}, "other")

    assert told(plan_of(one, other), plan_of(other, one)) == []


def test_another_source_of_an_unknown_value_is_a_change():
    before, after = (
        resource(GROUP, {"subnetIds": [UNKNOWN]}, sources={"subnetIds": [f"urn:pulumi:s::p::Subnet::{zone}"]})
        for zone in ("zone-a", "zone-b")
    )
    (entry,) = changes(plan_of(before), plan_of(after), "main").resources

    assert (entry.action, entry.grave is not None) == ("replace", True)
    assert (entry.properties[0].before, entry.properties[0].after) == (["zone-a"], ["zone-b"])


def test_another_source_of_a_known_value_is_no_change():
    before, after = (resource(GROUP, {"name": "x"}, sources={"name": [f"a::b::c::{n}"]}) for n in (1, 2))

    assert told(plan_of(before), plan_of(after)) == []


def test_a_changed_template_rolls_its_nodes():
    template, group = (
        [resource(TEMPLATE, {"userData": data}, "template") for data in ("a", "b")],
        resource(
            GROUP,
            {"launchTemplate": {"version": UNKNOWN}},
            "group",
            sources={"launchTemplate": [f"urn:pulumi:s::p::{TEMPLATE}::template"]},
        ),
    )

    assert told(plan_of(template[0], group), plan_of(template[1], group)) == [
        ("change", TEMPLATE, False, ["userData"]),
        ("change", GROUP, False, ["launchTemplate"]),
    ]


def test_grave_changes_come_first():
    before = plan_of(resource(GROUP, {}, "gone"), resource(TOPIC, {"a": 1}, "a-topic"))
    after = plan_of(resource(VPC, {}, "new"), resource(TOPIC, {"a": 2}, "a-topic"))

    assert [action for action, *_ in told(before, after)] == ["remove", "add", "change"]
    assert dict(changes(before, after, "main").summary) == {"replace": 0, "remove": 1, "add": 1, "change": 1}


@pytest.mark.parametrize(
    ("before", "after", "hour", "unknown"),
    [
        pytest.param(plan_of(hour="2.5000"), plan_of(hour="4.0000"), "1.5000", [], id="more"),
        pytest.param(plan_of(hour="4.0000"), plan_of(hour="2.5000"), "-1.5000", [], id="less"),
        pytest.param(None, plan_of(hour="2.5000"), "2.5000", [], id="new-stack"),
        pytest.param(plan_of(), plan_of(unknown=["b"]), "0.0000", ["b"], id="unknown-stays-unknown"),
        pytest.param(plan_of(unknown=["b", "a"]), plan_of(unknown=["a"]), "0.0000", ["a", "b"], id="unknown-before"),
        pytest.param(plan_of(cost=False), plan_of(), None, [], id="nothing-known-before"),
    ],
)
def test_the_difference_in_cost(before, after, hour, unknown):
    cost = changes(before, after, "main").cost.model_dump(mode="json")

    assert (cost["usd_per_hour_at_desired"], cost["usd_per_hour_at_max"], cost["unknown"]) == (hour, hour, unknown)


def test_a_new_stack_is_all_new():
    found = changes(None, plan_of(resource(VPC, {})), "main")

    assert (found.new_stack, found.summary.add) == (True, 1)


def test_a_revision_with_errors_is_said_to_have_them():
    assert changes(plan_of(problems=[{"severity": "error"}]), plan_of(), "main").against_failed
    assert not changes(plan_of(problems=[{"severity": "warning"}]), plan_of(), "main").against_failed


@pytest.mark.parametrize(
    ("kind", "path", "expected"),
    [
        (GROUP, "launchTemplate.id", True),
        (GROUP, "launchTemplate.version", False),
        (GROUP, "subnetIds[2]", True),
        (GROUP, "scalingConfig.maxSize", False),
        (GROUP, "instanceTypesOfOld", False),
        (CONFIG_MAP, "metadata.name", True),
        (CONFIG_MAP, "metadata.labels.name", False),
        ("kubernetes:apps/v1:Deployment", "spec.selector.matchLabels.app", True),
        ("kubernetes:apps/v1:Deployment", "spec.replicas", False),
        ("of:no/such:Type", "name", False),
    ],
)
def test_which_properties_replace(kind, path, expected):
    assert replaces(kind, path) == expected
