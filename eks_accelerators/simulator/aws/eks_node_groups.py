"""Managed node groups: what EKS refuses, what it makes, and how it changes them."""

import hashlib
from typing import Any

from eks_accelerators.accelerators.capacity_blocks import DRAIN_BEFORE_END, SCALE_DOWN_ACTION
from eks_accelerators.simulator.aws import node_group_refusals as refused
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.eks_records import NO_CLUSTER, NO_NODE_GROUP, cluster_of, node_group_of
from eks_accelerators.simulator.aws.launch_templates import OF_TEMPLATES, template_data
from eks_accelerators.simulator.aws.launches import replace_instances, settle
from eks_accelerators.simulator.aws.model import ACCOUNT_ID, NodeGroupRecord, ScalingGroup, ScheduledAction
from eks_accelerators.simulator.aws.node_group_checks import (
    check_no_block_in_use,
    check_no_way_back,
    check_release,
    check_sizes,
    check_update_version,
    check_version,
    default_ami_type,
    instance_types_of,
    labels_that_kubelets_refuse,
    refuse_unfit,
    types_not_offered,
)
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source=(
            "EKS API (botocore 1.44.5), EKS user guide `capacity-blocks-mng`, `launch-templates` and "
            "`update-managed-node-group`, read 2026-11-20. Words of a launch that failed: "
            "dspace-reference-architecture-aws 85 and aws/containers-roadmap 2204; a type that is not offered: "
            "terraform-aws-eks 3648; labels that the kubelet refuses: terraform-aws-eks 3346 and eksctl 6947; a group "
            "that is not active: aws/containers-roadmap 2204; read 2026-11-21. Tags of a scaling group: EKS user guide "
            "`managed-node-groups`; read 2026-11-22."
        ),
    )
)

_NODES_NEED = ("vpc-cni", "kube-proxy")
"""Without them no node becomes Ready, in a cluster whose add-ons EKS does not bootstrap itself."""

NODE_GROUP_EXISTS = ApiRefusal("ResourceInUseException", "NodeGroup already exists")
VERSION_OF_CUSTOM_AMI = ApiRefusal(
    "InvalidParameterException", "You cannot specify the field kubernetesVersion when using custom AMIs."
)
OTHER_TEMPLATE = ApiRefusal("InvalidParameterException", "A node group's launch template cannot be exchanged")
NOT_ACTIVE = ApiRefusal("ResourceInUseException", "Nodegroup cannot be updated as it is currently not in Active State")


@operation(
    "eks",
    "create_nodegroup",
    refusals=(
        NO_CLUSTER,
        NODE_GROUP_EXISTS,
        *OF_TEMPLATES,
        *refused.CREATED_VERSION,
        refused.INVALID_RELEASE,
        *refused.UNFIT,
    ),
)
def create_nodegroup(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A node group of the cluster's version. Nodes that cannot be launched, or cannot join, leave it CREATE_FAILED."""
    cluster, name = cluster_of(account, parameters["clusterName"]), parameters["nodegroupName"]
    if name in cluster.node_groups:
        raise NODE_GROUP_EXISTS()
    template = template_data(account, parameters["launchTemplate"]) if "launchTemplate" in parameters else {}
    version = parameters.get("version", cluster.described["version"])
    check_version(account, version, cluster.described["version"])
    refuse_unfit(account, parameters, template, version)
    ami_type = parameters.get("amiType", default_ami_type(template))
    check_release(parameters.get("releaseVersion"), version, ami_type)
    made = account.moto("eks", "create_nodegroup", _for_moto(parameters))["nodegroup"]
    digest = hashlib.sha256(made["nodegroupArn"].encode()).hexdigest()
    suffix = f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
    scaling = _scaling_group(account, parameters, template, ami_type, suffix)
    described = {
        **{key: parameters[key] for key in _KEPT if key in parameters},
        "nodegroupName": name,
        "clusterName": parameters["clusterName"],
        "nodegroupArn": (
            f"arn:aws:eks:{account.state.region}:{ACCOUNT_ID}:nodegroup/{parameters['clusterName']}/{name}/{suffix}"
        ),
        "version": version,
        "releaseVersion": parameters.get("releaseVersion") or f"{version}-simulated-latest",
        "capacityType": scaling.capacity_type,
        "amiType": ami_type,
        "labels": dict(parameters.get("labels", {})),
        "taints": list(parameters.get("taints", [])),
        "tags": dict(parameters.get("tags", {})),
        "resources": {"autoScalingGroups": [{"name": scaling.name}]},
        "status": "ACTIVE",
        "health": {"issues": []},
    }
    group = NodeGroupRecord(described, scaling)
    cluster.node_groups[name] = group
    _schedule_drain(account, scaling)
    settle(account)
    _judge_health(cluster.described["bootstrapSelfManagedAddons"], set(cluster.addons), group)
    return {"nodegroup": _answer(group)}


def _scaling_group(
    account: Backend, parameters: dict[str, Any], template: dict[str, Any], ami_type: str, suffix: str
) -> ScalingGroup:
    """The Auto Scaling group of a new node group; one whose instance type EC2 does not have launches nothing."""
    name = parameters["nodegroupName"]
    sizes = {"minSize": 1, "maxSize": 2, "desiredSize": 1, **parameters.get("scalingConfig", {})}
    scaling = ScalingGroup(
        name=f"eks-{name}-{suffix}",
        node_group=name,
        min=sizes["minSize"],
        max=sizes["maxSize"],
        desired=sizes["desiredSize"],
        subnet_ids=parameters["subnets"],
        instance_types=instance_types_of(parameters, template),
        capacity_type=parameters.get("capacityType", "ON_DEMAND"),
        reservation_id=_reservation(template),
        ami_type=ami_type,
        template=template,
        tags=_tags_of_eks(parameters["clusterName"], name),
    )
    invalid = types_not_offered(account, scaling.instance_types)
    scaling.invalid = f"The specified instance type {invalid[0]} is not valid" if invalid else None
    return scaling


@operation("eks", "describe_nodegroup", refusals=(NO_CLUSTER, NO_NODE_GROUP))
def describe_nodegroup(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The node group called so."""
    return {"nodegroup": _answer(node_group_of(account, parameters["clusterName"], parameters["nodegroupName"]))}


@operation("eks", "update_nodegroup_config", refusals=(NO_CLUSTER, NO_NODE_GROUP, NOT_ACTIVE, *refused.UPDATED_SIZES))
def update_nodegroup_config(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Sizes, labels, taints, how nodes are updated and repaired: at once, also on nodes that run."""
    group = node_group_of(account, parameters["clusterName"], parameters["nodegroupName"])
    _refuse_failed(group)
    described, scaling = group.described, group.scaling
    sizes = {"minSize": scaling.min, "maxSize": scaling.max, "desiredSize": scaling.desired}
    sizes |= parameters.get("scalingConfig", {})
    check_sizes(sizes, updated=True)
    labels = parameters.get("labels", {})
    described["labels"] = {
        **{key: value for key, value in described["labels"].items() if key not in labels.get("removeLabels", [])},
        **labels.get("addOrUpdateLabels", {}),
    }
    described["taints"] = _taints(described["taints"], parameters.get("taints", {}))
    for key in ("updateConfig", "nodeRepairConfig"):
        if key in parameters:
            described[key] = parameters[key]
    if "scalingConfig" in parameters:
        scaling.min, scaling.max, scaling.desired = sizes["minSize"], sizes["maxSize"], sizes["desiredSize"]
        settle(account)
    return {"update": {"status": "Successful"}}


@operation(
    "eks",
    "update_nodegroup_version",
    refusals=(
        NO_CLUSTER,
        NO_NODE_GROUP,
        NOT_ACTIVE,
        *refused.UPDATED_VERSION,
        refused.INVALID_RELEASE,
        VERSION_OF_CUSTOM_AMI,
        OTHER_TEMPLATE,
        *OF_TEMPLATES,
        *refused.UNFIT,
    ),
)
def update_nodegroup_version(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Another Kubernetes version, AMI release or template version: every node is replaced by a new one."""
    cluster = cluster_of(account, parameters["clusterName"])
    group = node_group_of(account, parameters["clusterName"], parameters["nodegroupName"])
    _refuse_failed(group)
    described = group.described
    version = parameters.get("version", described["version"])
    check_update_version(account, version, described["version"], cluster.described["version"])
    check_release(parameters.get("releaseVersion"), version, described["amiType"])
    check_no_way_back(parameters.get("releaseVersion", ""), described["releaseVersion"])
    check_no_block_in_use(group.scaling.capacity_type, group.scaling.desired)
    if described["amiType"] == "CUSTOM" and "version" in parameters:
        raise VERSION_OF_CUSTOM_AMI()
    if "launchTemplate" in parameters:
        wanted = {**described.get("launchTemplate", {}), **parameters["launchTemplate"]}
        if wanted.get("id") != described.get("launchTemplate", {}).get("id"):
            raise OTHER_TEMPLATE()
        template = template_data(account, wanted)
        refuse_unfit(account, _as_requested(group), template, version)
        described["launchTemplate"] = wanted
        group.scaling.template = template
        group.scaling.reservation_id = _reservation(template)
        _schedule_drain(account, group.scaling)
    if version != described["version"]:
        described["releaseVersion"] = f"{version}-simulated-latest"
    described["version"] = version
    described["releaseVersion"] = parameters.get("releaseVersion", described["releaseVersion"])
    replace_instances(account, group.scaling)
    return {"update": {"status": "Successful"}}


@operation("eks", "delete_nodegroup", refusals=(NO_CLUSTER, NO_NODE_GROUP))
def delete_nodegroup(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The nodes are drained, and the group goes with its scaling group."""
    cluster, name = parameters["clusterName"], parameters["nodegroupName"]
    group = node_group_of(account, cluster, name)
    account.moto("eks", "delete_nodegroup", {"clusterName": cluster, "nodegroupName": name})
    del cluster_of(account, cluster).node_groups[name]
    return {"nodegroup": _answer(group)}


_KEPT = ("subnets", "instanceTypes", "nodeRole", "launchTemplate", "updateConfig", "nodeRepairConfig")


def _for_moto(parameters: dict[str, Any]) -> dict[str, Any]:
    known = ("clusterName", "nodegroupName", "subnets", "nodeRole", "launchTemplate", "labels", "tags")
    found = {key: parameters[key] for key in known if key in parameters}
    if "launchTemplate" in found:
        # moto wants the name beside the ID.
        found["launchTemplate"] = {key: value for key, value in found["launchTemplate"].items() if key != "name"}
    return found


def _answer(group: NodeGroupRecord) -> dict[str, Any]:
    scaling = group.scaling
    sizes = {"minSize": scaling.min, "maxSize": scaling.max, "desiredSize": scaling.desired}
    found = {**group.described, "scalingConfig": sizes}
    if found["status"] == "ACTIVE" and (issues := _launch_failures(scaling)):
        found["health"] = {"issues": issues}
    return found


def _tags_of_eks(cluster: str, node_group: str) -> dict[str, dict[str, Any]]:
    """What EKS writes on every scaling group, so that Cluster Autoscaler's usual discovery finds all of them."""
    tags = {
        "eks:cluster-name": cluster,
        "eks:nodegroup-name": node_group,
        "k8s.io/cluster-autoscaler/enabled": "true",
        f"k8s.io/cluster-autoscaler/{cluster}": "owned",
        f"kubernetes.io/cluster/{cluster}": "owned",
    }
    return {key: {"value": value, "propagate": True} for key, value in tags.items()}


def _reservation(template: dict[str, Any]) -> str | None:
    target = template.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    found: str | None = target.get("CapacityReservationId")
    return found


def _schedule_drain(account: Backend, scaling: ScalingGroup) -> None:
    """EKS itself scales to zero before the end of a Capacity Block."""
    scaling.actions.pop(SCALE_DOWN_ACTION, None)
    block = account.state.blocks.get(scaling.reservation_id or "")
    if block and scaling.capacity_type == "CAPACITY_BLOCK":
        scaling.actions[SCALE_DOWN_ACTION] = ScheduledAction(
            name=SCALE_DOWN_ACTION,
            start=block.end - DRAIN_BEFORE_END,
            recurrence=None,
            min=0,
            max=None,
            desired=0,
        )


def _as_requested(group: NodeGroupRecord) -> dict[str, Any]:
    """What CreateNodegroup was told, and a new template must suit."""
    known = ("amiType", "capacityType", "instanceTypes", "labels", "subnets", "taints", "launchTemplate")
    return {key: group.described[key] for key in known if key in group.described}


def _judge_health(bootstrapped: bool, addons: set[str], group: NodeGroupRecord) -> None:
    scaling = group.scaling
    issues = [_issue("Ec2LaunchTemplateInvalidConfiguration", scaling.invalid, [scaling.node_group])]
    issues += _launch_failures(scaling)
    instances = [instance.id for instance in scaling.instances]
    missing = [addon for addon in _NODES_NEED if addon not in addons and not bootstrapped]
    refused = labels_that_kubelets_refuse(group.described["labels"])
    if instances and missing:
        words = f"Unhealthy nodes in the kubernetes cluster (no {' and no '.join(missing)})"
        issues.append(_issue("NodeCreationFailure", words, instances))
    if instances and refused:
        words = f"Instances failed to join the kubernetes cluster (no kubelet starts with {', '.join(refused)})"
        issues.append(_issue("NodeCreationFailure", words, instances))
    found = [issue for issue in issues if issue["message"]]
    if found:
        group.described["status"] = "CREATE_FAILED"
        group.described["health"] = {"issues": found}


def _issue(code: str, message: str | None, resources: list[str]) -> dict[str, Any]:
    return {"code": code, "message": message, "resourceIds": resources}


def _launch_failures(scaling: ScalingGroup) -> list[dict[str, Any]]:
    """The issue of a group that fails to launch instances just now: EKS API, `Issue.code` (botocore 1.44.5)."""
    if not scaling.failure or scaling.capacity_type == "CAPACITY_BLOCK":
        return []
    return [_issue("AsgInstanceLaunchFailures", _launch_failure(scaling), [scaling.name])]


def _launch_failure(scaling: ScalingGroup) -> str:
    code, _, words = (scaling.failure or "").partition(": ")
    market = "Spot" if scaling.capacity_type == "SPOT" else "On-Demand"
    return f"Could not launch {market} Instances. {code} - {words} Launching EC2 instance failed."


def _refuse_failed(group: NodeGroupRecord) -> None:
    if group.described["status"] != "ACTIVE":
        raise NOT_ACTIVE()


def _taints(before: list[dict[str, str]], change: dict[str, list[dict[str, str]]]) -> list[dict[str, str]]:
    gone = [_identity(taint) for taint in (*change.get("removeTaints", []), *change.get("addOrUpdateTaints", []))]
    return [*(t for t in before if _identity(t) not in gone), *change.get("addOrUpdateTaints", [])]


def _identity(taint: dict[str, str]) -> tuple[str, str]:
    return taint["key"], taint["effect"]
