"""Tags of what is in EKS: clusters, node groups, add-ons, access entries and Pod Identity associations."""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EKS API (botocore 1.44.5), read 2026-11-20."))

_ARNS = ("arn", "nodegroupArn", "addonArn", "accessEntryArn", "associationArn")

NO_RESOURCE = ApiRefusal("NotFoundException", "No resource {arn}")


@operation("eks", "tag_resource", refusals=(NO_RESOURCE,))
def tag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags on a cluster, node group, add-on, access entry or Pod Identity association."""
    _tagged(account, parameters["resourceArn"]).update(parameters["tags"])
    return {}


@operation("eks", "untag_resource", refusals=(NO_RESOURCE,))
def untag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags off a cluster, node group, add-on, access entry or Pod Identity association."""
    tags = _tagged(account, parameters["resourceArn"])
    for key in parameters["tagKeys"]:
        tags.pop(key, None)
    return {}


def _tagged(account: Backend, arn: str) -> dict[str, str]:
    for cluster in account.state.clusters.values():
        groups = [group.described for group in cluster.node_groups.values()]
        others = (cluster.addons, cluster.access_entries, cluster.pod_identities)
        parts = [cluster.described, *groups, *(part for each in others for part in each.values())]
        for part in parts:
            if arn in (part.get(name) for name in _ARNS):
                tags: dict[str, str] = part.setdefault("tags", {})
                return tags
    raise NO_RESOURCE(arn=arn)
