"""Managed node groups."""

from typing import Any

from simulator.aws.account import Account
from simulator.aws.errors import AwsError
from simulator.providers.aws.eks_cluster import retag
from simulator.providers.kind import Created, Kind, PartlyCreatedError, is_gone

_SIZES = ("minSize", "maxSize", "desiredSize")
_CONFIG = ("labels", "taints", "scalingConfig", "updateConfig", "nodeRepairConfig")
_EFFECTS = ("key", "value", "effect")


class NodeGroup(Kind):
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
    name_property = "nodeGroupName"
    longest_name = 63

    def create(self, aws: Account, inputs: dict[str, Any]) -> Created:
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
            "updateConfig": _update(inputs.get("updateConfig")),
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
            issues = "; ".join(f"{issue['code']}: {issue['message']}" for issue in described["health"]["issues"])
            raise PartlyCreatedError(
                created, f"waiting for EKS Node Group ({created.id}) create: CREATE_FAILED: {issues}"
            )
        return created

    def read(self, aws: Account, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        described = self._described(aws, identifier)
        if described is None:
            return None
        return {
            **_outputs(described),
            "labels": described["labels"] or None,
            "taints": [{key: taint.get(key) for key in _EFFECTS} for taint in described["taints"]] or None,
            "scalingConfig": {key: described["scalingConfig"][key] for key in _SIZES},
            "tags": described["tags"],
            "version": described["version"],
        }

    def update(self, aws: Account, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        group = _group(identifier)
        # As the provider does: the version first, then all other settings in one call.
        version: dict[str, Any] = {}
        for name in ("version", "releaseVersion"):
            if new.get(name) and new.get(name) != old.get(name):
                version[name] = new[name]
        if new.get("launchTemplate") != old.get("launchTemplate"):
            version["launchTemplate"] = {key: new["launchTemplate"][key] for key in ("id", "version")}
        if version:
            aws.call("eks", "update_nodegroup_version", **group, **version)
        if change := _config_change(old, new):
            aws.call("eks", "update_nodegroup_config", **group, **change)
        described = aws.call("eks", "describe_nodegroup", **group)["nodegroup"]
        retag(aws, described["nodegroupArn"], old, new)
        if described["status"] == "CREATE_FAILED":
            raise PartlyCreatedError(Created(identifier, _outputs(described)), f"{identifier} is CREATE_FAILED")
        return _outputs(described)

    def delete(self, aws: Account, identifier: str, state: dict[str, Any]) -> None:
        aws.call("eks", "delete_nodegroup", **_group(identifier))

    @staticmethod
    def _described(aws: Account, identifier: str) -> dict[str, Any] | None:
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
        taints = {
            "addOrUpdateTaints": [taint for taint in wanted if taint not in was],
            "removeTaints": [taint for taint in was if taint not in wanted],
        }
        change["taints"] = {key: value for key, value in taints.items() if value}
    if old.get("scalingConfig") != new.get("scalingConfig"):
        change["scalingConfig"] = new["scalingConfig"]
    if old.get("updateConfig") != new.get("updateConfig"):
        change["updateConfig"] = _update(new.get("updateConfig")) or {"maxUnavailable": 1}
    if old.get("nodeRepairConfig") != new.get("nodeRepairConfig"):
        change["nodeRepairConfig"] = new.get("nodeRepairConfig") or {"enabled": False}
    return change


def _update(config: dict[str, Any] | None) -> dict[str, Any] | None:
    return config


KINDS: tuple[Kind, ...] = (NodeGroup(),)
