"""The managed node group: what its nodes carry, and what EKS is told."""

import pulumi
import pulumi_aws as aws
import pytest

from tests.components.harness import NODE_ROLE, TAGS, UNKNOWN
from tests.components.node_groups.example import (
    BOTTLEROCKET,
    CUSTOM_IMAGE,
    ONE_ZONE,
    P5_WITH_EFA,
    group,
    nodes,
    template,
)

NVIDIA, NEURON = "nvidia.com/gpu", "aws.amazon.com/neuron"


@pytest.mark.parametrize(
    ("instance_type", "ami", "kind", "ami_type"),
    [
        pytest.param("g6.2xlarge", None, NVIDIA, "AL2023_x86_64_NVIDIA", id="g6"),
        pytest.param("p5.48xlarge", None, NVIDIA, "AL2023_x86_64_NVIDIA", id="p5"),
        pytest.param("g6.2xlarge", BOTTLEROCKET["ami"], NVIDIA, "BOTTLEROCKET_x86_64_NVIDIA", id="g6-bottlerocket"),
        pytest.param("trn1.32xlarge", None, NEURON, "AL2023_x86_64_NEURON", id="trn1"),
        pytest.param("trn2.48xlarge", None, NEURON, "AL2023_x86_64_NEURON", id="trn2"),
        pytest.param("inf2.48xlarge", None, NEURON, "AL2023_x86_64_NEURON", id="inf2"),
        pytest.param("inf2.48xlarge", {"type": "BOTTLEROCKET_x86_64"}, NEURON, "BOTTLEROCKET_x86_64", id="inf2-br"),
    ],
)
def test_taint_label_and_image_follow_from_the_instance_type(instance_type, ami, kind, ami_type):
    made = nodes({"instance_type": instance_type, "ami": ami or {}})

    assert made["amiType"] == ami_type
    assert made["taints"] == [{"key": kind, "value": "true", "effect": "NO_SCHEDULE"}]
    assert made["labels"]["eks-accelerators/node-group"] == "gpu"
    assert made["labels"][f"{kind}.present"] == "true"
    served_by_the_chart = kind == NVIDIA and "BOTTLEROCKET" not in ami_type
    assert ("nvidia.com/device-plugin.config" in made["labels"]) is served_by_the_chart


def test_own_labels_and_taints_come_beside_ours():
    taints = [{"key": "team", "value": "ml", "effect": "NoExecute"}, {"key": "empty"}]
    made = nodes({"labels": {"team": "ml"}, "taints": taints})

    assert made["labels"]["team"] == "ml"
    assert made["taints"][1:] == [
        {"key": "team", "value": "ml", "effect": "NO_EXECUTE"},
        {"key": "empty", "effect": "NO_SCHEDULE"},
    ]


def test_the_label_names_the_kind_of_sharing():
    made = nodes({"sharing": {"strategy": "timeSlicing", "replicas": 4, "rename_by_default": True}})

    assert made["labels"]["nvidia.com/device-plugin.config"] == "time-slicing-4-renamed"


@pytest.mark.parametrize("key", ["nodeGroupName", "nodeGroupNamePrefix", "diskSize", "remoteAccess"])
def test_what_must_not_be_there(key):
    """A name would make a replacement collide with what it replaces; EKS refuses the others beside a template."""
    assert key not in nodes()


def test_the_version_of_the_template_is_its_latest_as_text():
    made = group().one("NodeGroup").inputs["launchTemplate"]

    assert made == {"id": "gpu-id", "version": "7"}


def test_the_cluster_s_version_and_the_release():
    made = nodes({"ami": {"release_version": "1.35.1-20261012"}})

    assert (made["version"], made["releaseVersion"]) == ("1.35", "1.35.1-20261012")


def test_a_custom_image_leaves_version_and_type_out():
    made, its_template = nodes(CUSTOM_IMAGE), template(CUSTOM_IMAGE)

    assert not {"version", "releaseVersion", "amiType"} & set(made)
    assert its_template["imageId"] == "ami-0123456789abcdef0"


def test_the_autoscaler_owns_the_desired_size():
    made = group({"size": {"min": 1, "desired": 2, "max": 3}}).one("NodeGroup")

    assert made.inputs["scalingConfig"] == {"minSize": 1, "desiredSize": 2, "maxSize": 3}
    assert made.ignore_changes == ("scalingConfig.desiredSize",)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, "ON_DEMAND", id="default"),
        pytest.param({"capacity_type": "spot"}, "SPOT", id="spot"),
        pytest.param({"capacity_reservation_id": "cr-0123456789abcdef0"}, "ON_DEMAND", id="reservation"),
    ],
)
def test_how_nodes_are_bought(changes, expected):
    made, its_template = nodes(changes), template(changes)

    assert made["capacityType"] == expected
    assert made["instanceTypes"] == ["g6.2xlarge"]
    assert not {"instanceType", "instanceMarketOptions"} & set(its_template)


def test_only_subnets_of_the_chosen_zones():
    assert nodes()["subnetIds"] == ["subnet-a", "subnet-b"]
    assert nodes(ONE_ZONE)["subnetIds"] == ["subnet-a"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, {"maxUnavailable": 1, "updateStrategy": "DEFAULT"}, id="default"),
        pytest.param(
            {"update": {"max_unavailable": 3}}, {"maxUnavailable": 3, "updateStrategy": "DEFAULT"}, id="count"
        ),
        pytest.param(
            {"update": {"max_unavailable_percentage": 50, "strategy": "minimal"}},
            {"maxUnavailablePercentage": 50, "updateStrategy": "MINIMAL"},
            id="percentage",
        ),
        pytest.param(
            {"capacity_reservation_id": "cr-0123456789abcdef0"},
            {"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
            id="no-room-beside-a-reservation",
        ),
    ],
)
def test_how_nodes_are_replaced(changes, expected):
    assert nodes(changes)["updateConfig"] == expected


OVERRIDE = {
    "node_monitoring_condition": "AcceleratedHardwareReady",
    "node_unhealthy_reason": "NvidiaXID13Error",
    "min_repair_wait_time_mins": 10,
    "repair_action": "Reboot",
}


@pytest.mark.parametrize(
    ("repair", "expected"),
    [
        pytest.param({}, {"enabled": True}, id="default"),
        pytest.param({"enabled": False}, {"enabled": False}, id="off"),
        pytest.param(
            {
                "max_parallel_nodes_repaired_count": 1,
                "max_unhealthy_node_threshold_percentage": 20,
                "overrides": [OVERRIDE],
            },
            {
                "enabled": True,
                "maxParallelNodesRepairedCount": 1,
                "maxUnhealthyNodeThresholdPercentage": 20,
                "nodeRepairConfigOverrides": [
                    {
                        "nodeMonitoringCondition": "AcceleratedHardwareReady",
                        "nodeUnhealthyReason": "NvidiaXID13Error",
                        "minRepairWaitTimeMins": 10,
                        "repairAction": "Reboot",
                    }
                ],
            },
            id="everything",
        ),
    ],
)
def test_node_repair(repair, expected):
    assert nodes({"node_repair": repair})["nodeRepairConfig"] == expected


def test_a_role_that_is_given_is_used():
    deployment = group({"node_role_arn": NODE_ROLE})

    assert deployment.one("NodeGroup").inputs["nodeRoleArn"] == NODE_ROLE
    assert deployment.of("Role") == []


def test_a_role_of_its_own_is_complete_before_a_node_starts():
    deployment = group()

    attached = {attachment.urn for attachment in deployment.of("RolePolicyAttachment")}
    made = deployment.one("NodeGroup")
    assert len(attached) == 2
    assert attached <= made.dependencies
    assert made.inputs["nodeRoleArn"] == "arn:aws:iam::123456789012:role/gpu-node-1a2b3c4"


def test_the_partition_of_managed_policies():
    policies = [r.inputs["policyArn"] for r in group({"partition": "aws-us-gov"}).of("RolePolicyAttachment")]

    assert {policy.partition(":iam:")[0] for policy in policies} == {"arn:aws-us-gov"}


def test_tags_for_a_cluster_autoscaler_that_scales_up_from_zero(snapshot):
    changes = {**P5_WITH_EFA, "labels": {"team": "ml"}, "taints": [{"key": "team", "value": "ml"}]}
    deployment = group(changes)

    tags = deployment.of("Tag")
    assert {tag.inputs["autoscalingGroupName"] for tag in tags} == {"eks-gpu-1a2b3c4"}
    assert {tag.inputs["tag"]["propagateAtLaunch"] for tag in tags} == {False}
    assert {tag.inputs["tag"]["key"]: tag.inputs["tag"]["value"] for tag in tags} == snapshot


def test_sizes_at_a_time_of_day():
    night = {"name": "night", "recurrence": "0 20 * * *", "min": 0, "desired": 0}
    once = {"name": "once", "start_time": "2026-12-01T08:00:00Z", "max": 4}
    schedules = group({"scheduled_scaling": [night, once]}).of("Schedule")

    on_the_group = {"autoscalingGroupName": "eks-gpu-1a2b3c4"}
    in_order = sorted(schedules, key=lambda schedule: schedule.name)
    assert [schedule.inputs for schedule in in_order] == [
        {
            **on_the_group,
            "scheduledActionName": "night",
            "recurrence": "0 20 * * *",
            "minSize": 0,
            "desiredCapacity": 0,
            "maxSize": -1,
        },
        {
            **on_the_group,
            "scheduledActionName": "once",
            "startTime": "2026-12-01T08:00:00Z",
            "minSize": -1,
            "desiredCapacity": -1,
            "maxSize": 4,
        },
    ]


def test_outputs():
    outputs = group().component_outputs("AcceleratorNodeGroup")

    assert outputs == {
        "node_group_name": "gpu-1a2b3c4",
        "launch_template_id": "gpu-id",
        "autoscaling_group_name": "eks-gpu-1a2b3c4",
    }


def test_names_in_the_console():
    deployment = group()

    assert deployment.one("NodeGroup").inputs["tags"] == {**TAGS, "Name": "gpu"}


def test_arguments_may_be_outputs_of_other_components():
    def changes():
        topic = aws.sns.Topic("named-later")
        return {"cluster_name": topic.arn, "node_role_arn": pulumi.Output.from_input(NODE_ROLE)}

    made = nodes(changes, preview=True)

    assert (made["clusterName"], made["nodeRoleArn"]) == (UNKNOWN, NODE_ROLE)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="g6"),
        pytest.param(P5_WITH_EFA, id="p5-with-efa"),
        pytest.param({"instance_type": "trn1.32xlarge", "efa": {"enabled": True}, **ONE_ZONE}, id="trn1-with-efa"),
    ],
)
def test_the_whole_group(changes, snapshot):
    deployment = group(changes)

    assert deployment.one("LaunchTemplate").inputs == snapshot(name="template")
    assert deployment.one("NodeGroup").inputs == snapshot(name="nodes")
