"""Rights of a service account in one bucket, by EKS Pod Identity."""

from typing import NotRequired, TypedDict

import pulumi

from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.components import storage_policies
from eks_accelerators.components.base import Component
from eks_accelerators.components.pod_identity import ClusterRef, pod_identity
from eks_accelerators.settings.model.streamed_weights import S3Weights


class BucketAccessArgs(TypedDict):
    """Whose pods may do what in which bucket."""

    region: str
    """AWS region."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    namespace: str
    """Namespace of the pods."""
    service_account: str
    """Their service account."""
    bucket: str
    """Name of the bucket."""
    prefix: NotRequired[str]
    """Beginning of the keys, with a slash at its end; by default the whole bucket."""
    write: NotRequired[bool]
    """Whether they may write and delete too; false by default."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class BucketAccess(Component[BucketAccessArgs]):
    """A role with rights in one bucket, and its association with a service account, by EKS Pod Identity.

    Providers: AWS.

    Alone: Pods that read a bucket, or write there. Pass it in `depends_on` of what makes them: they get credentials
    where it is there before they start.
    """

    service_account: pulumi.Output[str]
    """The service account, once it has the rights."""

    def __init__(self, name: str, args: BucketAccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, args, opts)

    def _create(self, name: str, inputs: BucketAccessArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        write = inputs.get("write", False)
        partition = partition_of(inputs["region"])
        policy = storage_policies.bucket(partition, inputs["bucket"], inputs.get("prefix"), write=write)
        *_, association = pod_identity(
            self,
            name,
            ClusterRef(inputs["cluster_name"], inputs["region"], inputs.get("tags", {})),
            namespace=inputs["namespace"],
            service_account=inputs["service_account"],
            policies={"bucket": policy},
        )
        self.service_account = pulumi.Output.all(association.urn).apply(lambda _: inputs["service_account"])
        self.register_outputs({"service_account": self.service_account})


def weights_access(
    name: str, weights: S3Weights, cluster: ClusterRef, namespace: str, opts: pulumi.ResourceOptions
) -> BucketAccess:
    """The right of the workload ``name`` to read its weights."""
    args: BucketAccessArgs = {
        "region": cluster.region,
        "cluster_name": cluster.name,
        "namespace": namespace,
        "service_account": name,
        "bucket": weights.bucket,
        "tags": cluster.tags,
    }
    if weights.prefix:
        args["prefix"] = weights.prefix
    return BucketAccess.of(f"{cluster.role_prefix}{name}-weights", args, opts)
