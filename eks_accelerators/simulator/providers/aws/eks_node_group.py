"""Managed node groups, made and changed as the provider does it."""

from typing import Any

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind, PartlyCreatedError, is_gone
from eks_accelerators.simulator.providers.resource_facts import Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "terraform-provider-aws `internal/service/eks/node_group.go`: the version first, with the launch "
        "template; then all other settings in one call; a taint with another value is not removed first; update "
        "and repair settings that are no longer given stay as they are. What becomes of a group that ended "
        "CREATE_FAILED: pulumi-terraform-bridge `pkg/tfbridge/provider.go` keeps it in the state with its error "
        "and marks nothing for replacement; the engine's next `up` updates it without a change (pulumi/pulumi "
        "1836), and the provider, with nothing to change, only reads it. Read 2026-11-21."
    ),
)

_SIZES = ("minSize", "maxSize", "desiredSize")
_CONFIG = ("labels", "taints", "scalingConfig", "updateConfig", "nodeRepairConfig")
_COMPUTED = ("updateConfig", "nodeRepairConfig")
_EFFECTS = ("key", "value", "effect")


class NodeGroupKind(Kind):
    """`aws.eks.NodeGroup`, whose ID is the cluster's name and its own."""

    token = "aws:eks/nodeGroup:NodeGroup"
    properties = frozenset(
        {
            "amiType",
            "capacityType",
            "clusterName",
            "instanceTypes",
            "labels",
            "launchTemplate",
            "nodeGroupName",
            "nodeRepairConfig",
            "nodeRoleArn",
            "releaseVersion",
            "scalingConfig",
            "subnetIds",
            "tags",
            "taints",
            "updateConfig",
            "version",
        }
    )
    changeable = frozenset({*_CONFIG, "launchTemplate", "releaseVersion", "tags", "version"})
    kept = frozenset({"amiType", "capacityType", "instanceTypes", "releaseVersion", "version"}) | {*_COMPUTED}
    name_property = "nodeGroupName"
    longest_name = 63
    calls = frozenset(
        {
            "eks.create_nodegroup",
            "eks.delete_nodegroup",
            "eks.describe_nodegroup",
            "eks.tag_resource",
            "eks.untag_resource",
            "eks.update_nodegroup_config",
            "eks.update_nodegroup_version",
        }
    )
    facts = ResourceFacts(
        called="node group",
        replacing=(
            "amiType",
            "capacityType",
            "clusterName",
            "diskSize",
            "instanceTypes",
            "launchTemplate.id",
            "launchTemplate.name",
            "nodeGroupName",
            "nodeRoleArn",
            "remoteAccess",
            "subnetIds",
        ),
        grave={
            "replace": "all its nodes go, with the pods on them",
            "remove": "all its nodes go, with the pods on them",
        },
        follows={
            "aws:ec2/launchTemplate:LaunchTemplate": "a new template version: nodes are replaced one after the other"
        },
        scope="in-cluster",
        permissions=(
            Permissions("in-cluster", ("eks:DescribeUpdate",)),
            Permissions(
                "any",
                (
                    "ec2:RunInstances",
                    "ec2:CreateTags",
                    "ec2:DeleteTags",
                    "ec2:DescribeLaunchTemplates",
                    "ec2:DescribeLaunchTemplateVersions",
                    "ec2:DescribeRouteTables",
                    "ec2:DescribeSecurityGroups",
                    "ec2:DescribeSubnets",
                    "ec2:DescribeVpcs",
                ),
            ),
            Permissions("roles", ("iam:GetRole", "iam:ListAttachedRolePolicies")),
            Permissions("service-linked-roles", ("iam:GetRole",)),
        ),
        durations={
            "create": UsualTime(130, "clinicdesk"),
            "update": UsualTime(900, "estimate-node-group-update"),
            "delete": UsualTime(501, "clinicdesk"),
        },
        details={
            "0 nodes": {
                "create": UsualTime(58, "gpu-lab"),
                "update": UsualTime(30, "estimate-empty-node-group"),
                "delete": UsualTime(60, "estimate-empty-node-group"),
            },
            "*.metal*": {"create": UsualTime(480, "estimate-large-nodes")},
            "p[4-9]*": {"create": UsualTime(480, "estimate-large-nodes")},
            "trn*": {"create": UsualTime(480, "estimate-large-nodes")},
            "g*": {"create": UsualTime(180, "estimate-gpu-nodes")},
            "inf*": {"create": UsualTime(180, "estimate-gpu-nodes")},
            "p3*": {"create": UsualTime(180, "estimate-gpu-nodes")},
        },
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        optional = {
            "amiType": inputs.get("amiType"),
            "capacityType": inputs.get("capacityType"),
            "instanceTypes": inputs.get("instanceTypes"),
            "labels": inputs.get("labels"),
            "launchTemplate": inputs.get("launchTemplate"),
            "releaseVersion": inputs.get("releaseVersion"),
            "tags": inputs.get("tags"),
            "version": inputs.get("version"),
            "taints": inputs.get("taints"),
            "updateConfig": inputs.get("updateConfig"),
            "nodeRepairConfig": inputs.get("nodeRepairConfig"),
        }
        name, cluster = inputs["nodeGroupName"], inputs["clusterName"]
        described = aws.call(
            "eks",
            "create_nodegroup",
            clusterName=cluster,
            nodegroupName=name,
            nodeRole=inputs["nodeRoleArn"],
            subnets=inputs["subnetIds"],
            scalingConfig=inputs["scalingConfig"],
            **{key: value for key, value in optional.items() if value is not None},
        )["nodegroup"]
        created = Created(f"{cluster}:{name}", _outputs(described))
        if described["status"] == "CREATE_FAILED":
            raise PartlyCreatedError(
                created,
                f"waiting for EKS Node Group ({created.id}) create: unexpected state 'CREATE_FAILED', wanted target "
                f"'ACTIVE'. last error: {_issues(described)}",
            )
        return created

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        described = self._described(aws, identifier)
        if described is None:
            return None
        return {
            **_outputs(described),
            **{name: described.get(name) for name in _COMPUTED},
            "launchTemplate": described.get("launchTemplate"),
            "labels": described["labels"],
            "taints": [{key: taint.get(key) for key in _EFFECTS} for taint in described["taints"]],
            "scalingConfig": {key: described["scalingConfig"][key] for key in _SIZES},
            "tags": described["tags"],
            "version": described["version"],
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        group = _group(identifier)
        version = {name: new[name] for name in ("version", "releaseVersion") if new.get(name) != old.get(name)}
        if version or new.get("launchTemplate") != old.get("launchTemplate"):
            template = {"launchTemplate": new["launchTemplate"]} if "launchTemplate" in new else {}
            aws.call("eks", "update_nodegroup_version", **group, **version, **template)
        if change := _config_change(old, new):
            aws.call("eks", "update_nodegroup_config", **group, **change)
        described = aws.call("eks", "describe_nodegroup", **group)["nodegroup"]
        tags.retag_by_mapping(aws, "eks", described["nodegroupArn"], old, new)
        return _outputs(described)

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("eks", "delete_nodegroup", **_group(identifier))

    @staticmethod
    def _described(aws: Calls, identifier: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = aws.call("eks", "describe_nodegroup", **_group(identifier))["nodegroup"]
        except AwsError as error:
            if is_gone(error):
                return None
            raise
        return found


def _outputs(described: dict[str, Any]) -> dict[str, Any]:
    groups = described["resources"]["autoScalingGroups"]
    return {
        "arn": described["nodegroupArn"],
        "status": described["status"],
        "releaseVersion": described["releaseVersion"],
        "resources": [{"autoscalingGroups": groups}],
    }


def _group(identifier: str) -> dict[str, str]:
    cluster, _, name = identifier.partition(":")
    return {"clusterName": cluster, "nodegroupName": name}


def _config_change(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    change: dict[str, Any] = {}
    before, after = old.get("labels") or {}, new.get("labels") or {}
    if before != after:
        labels = {
            "addOrUpdateLabels": {key: value for key, value in after.items() if before.get(key) != value},
            "removeLabels": sorted(set(before) - set(after)),
        }
        change["labels"] = {key: value for key, value in labels.items() if value}
    was, wanted = old.get("taints") or [], new.get("taints") or []
    if was != wanted:
        staying = [(taint["key"], taint["effect"]) for taint in wanted]
        taints = {
            "addOrUpdateTaints": [taint for taint in wanted if taint not in was],
            "removeTaints": [taint for taint in was if (taint["key"], taint["effect"]) not in staying],
        }
        change["taints"] = {key: value for key, value in taints.items() if value}
    for name in ("scalingConfig", *_COMPUTED):
        if old.get(name) != new.get(name):
            change[name] = new[name]
    return change


def _issues(described: dict[str, Any]) -> str:
    return "\n".join(
        f"{', '.join(issue['resourceIds'])}: {issue['code']}: {issue['message']}"
        for issue in described["health"]["issues"]
    )


KINDS: tuple[Kind, ...] = (NodeGroupKind(),)
