"""Changes of an EKS cluster: who reaches it, what it logs, who may use it, its version. Each is a call by itself."""

from typing import Any

from eks_accelerators.accelerators.kubernetes_versions import numbers_of
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.eks import (
    NO_ENDPOINT,
    ONE_ZONE,
    RANGES_WITHOUT_PUBLIC,
    SUBNETS_OF_EC2,
    UNSUPPORTED_VERSION,
    check_version,
    endpoint_access,
    subnets_called,
)
from eks_accelerators.simulator.aws.eks_records import NO_CLUSTER, cluster_of
from eks_accelerators.simulator.aws.node_group_checks import OLDEST_SKEW
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source=(
            "EKS API (botocore 1.44.5) and EKS user guide, read 2026-11-20. Words, each from a report of what EKS "
            "answered: nothing to change: eksctl 4043 and aws-quickstart 38; nodes too far behind: "
            "terraform-provider-aws 19478, aws-eks-best-practices 476; read 2026-11-21."
        ),
    )
)

_RANGES = "publicAccessCidrs"
_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")

ONE_UPDATE = ApiRefusal("InvalidParameterException", "Only one type of update is allowed per call")
VERSION_STEP = ApiRefusal(
    "InvalidParameterException", "Unsupported Kubernetes minor version update from {version} to {wanted}"
)
NODES_BEHIND = ApiRefusal(
    "InvalidParameterException",
    "Nodegroups {node_groups} must be updated to match cluster version {version} before updating cluster version",
)
OTHER_VPC = ApiRefusal("InvalidParameterException", "Subnets specified must be in the VPC {vpc}")
SAME_ENDPOINT = ApiRefusal(
    "InvalidParameterException",
    "Cluster is already at the desired configuration with endpointPrivateAccess: {private} , "
    "endpointPublicAccess: {public}, and Public Endpoint Restrictions: [{ranges}]",
)
SAME_LOGGING = ApiRefusal("InvalidParameterException", "No changes needed for the logging config provided")
MODE_STEP = ApiRefusal("InvalidParameterException", "Unsupported authentication mode update from {mode} to {wanted}")


@operation(
    "eks",
    "update_cluster_config",
    refusals=(
        ONE_UPDATE,
        NO_CLUSTER,
        SAME_ENDPOINT,
        OTHER_VPC,
        NO_ENDPOINT,
        RANGES_WITHOUT_PUBLIC,
        ONE_ZONE,
        SUBNETS_OF_EC2,
        SAME_LOGGING,
        MODE_STEP,
    ),
)
def update_cluster_config(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """One kind of change in a call, as EKS demands."""
    described = cluster_of(account, parameters["name"]).described
    kinds = [key for key in parameters if key not in ("name", "clientRequestToken")]
    if len(kinds) != 1:
        raise ONE_UPDATE()
    kind, wanted = kinds[0], parameters[kinds[0]]
    if kind == "resourcesVpcConfig":
        described[kind].update(_network_change(account, wanted, described[kind]))
    elif kind == "logging":
        described[kind] = _logging(wanted, described[kind])
    elif kind == "accessConfig":
        described[kind] = {**described[kind], **_access_change(wanted, described[kind])}
    else:
        described[kind] = wanted
    return {"update": {"status": "Successful"}}


@operation(
    "eks",
    "update_cluster_version",
    refusals=(NO_CLUSTER, VERSION_STEP, NODES_BEHIND, UNSUPPORTED_VERSION),
    source="EKS user guide `update-cluster`",
)
def update_cluster_version(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """One minor version up, with nodes at most three behind."""
    cluster, wanted = cluster_of(account, parameters["name"]), parameters["version"]
    described = cluster.described
    check_version(account, wanted)
    major, minor = numbers_of(described["version"])
    if numbers_of(wanted) != (major, minor + 1):
        raise VERSION_STEP(version=described["version"], wanted=wanted)
    behind = [
        name
        for name, group in sorted(cluster.node_groups.items())
        if minor + 1 - numbers_of(group.described["version"])[1] > OLDEST_SKEW
    ]
    if behind:
        raise NODES_BEHIND(node_groups=", ".join(behind), version=described["version"])
    described["version"] = wanted
    return {"update": {"status": "Successful"}}


def _network_change(account: Backend, wanted: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Who reaches the API, or other subnets or security groups; EKS refuses what is no change."""
    if "subnetIds" in wanted:
        subnets = subnets_called(account, wanted["subnetIds"])
        if {subnet["VpcId"] for subnet in subnets} != {before["vpcId"]}:
            raise OTHER_VPC(vpc=before["vpcId"])
        return {"subnetIds": wanted["subnetIds"]}
    if "securityGroupIds" in wanted:
        return {"securityGroupIds": wanted["securityGroupIds"]}
    found = endpoint_access(wanted, before)
    if found == {key: before[key] for key in found}:
        private, public = (str(found[f"endpoint{way}Access"]).lower() for way in ("Private", "Public"))
        raise SAME_ENDPOINT(private=private, public=public, ranges=", ".join(found[_RANGES]))
    return found


def _logging(wanted: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The log types after a change; those that it does not name stay as they are."""
    were = _enabled(before)
    are = {**dict.fromkeys(were, True), **_switches(wanted)}
    enabled = sorted(name for name, on in are.items() if on)
    if enabled == were:
        raise SAME_LOGGING()
    return {"clusterLogging": [{"types": enabled, "enabled": True}] if enabled else []}


def _switches(logging: dict[str, Any]) -> dict[str, bool]:
    return {kind: each["enabled"] for each in logging.get("clusterLogging", []) for kind in each["types"]}


def _enabled(logging: dict[str, Any]) -> list[str]:
    return sorted(name for name, on in _switches(logging).items() if on)


def _access_change(wanted: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The mode goes from the ConfigMap to entries, and not back. Source: EKS user guide `grant-k8s-access`."""
    have, want = (_MODES.index(each["authenticationMode"]) for each in (before, wanted))
    if want <= have:
        raise MODE_STEP(mode=_MODES[have], wanted=_MODES[want])
    return {"authenticationMode": wanted["authenticationMode"]}
