"""From settings to the arguments of components, for the program that has a whole stack file."""

from typing import Any, cast

import pulumi

from components.accelerator_node_group import AcceleratorNodeGroupArgs
from components.capacity_block import CapacityBlockArgs
from components.capacity_block_purchase import CapacityBlockPurchaseArgs
from components.cluster import Cluster, ClusterArgs
from components.cluster_addons import ClusterAddonsArgs
from components.dcgm_exporter import DcgmExporterArgs
from components.dra_driver import DraDriverArgs
from components.efa_device_plugin import EfaDevicePluginArgs
from components.gpu_operator import GpuOperatorArgs
from components.gpu_test_job import POD_SECURITY_REASON as GPU_TEST_POD_SECURITY_REASON
from components.network import Network, NetworkArgs
from components.neuron_device_plugin import NeuronDevicePluginArgs
from components.nvidia_device_plugin import NvidiaDevicePluginArgs
from components.shapes import CapacityBlockRef, ServedNodeGroupArgs, SubnetArgs
from components.system_node_group import SystemNodeGroup, SystemNodeGroupArgs
from components.vllm_server import POD_SECURITY, POD_SECURITY_REASON, VllmServerArgs
from components.workload_namespace import WorkloadNamespace, WorkloadNamespaceArgs
from settings import served
from settings.model import Settings
from settings.model.base import Model
from settings.model.capacity_blocks import CapacityBlock as CapacityBlockSettings
from settings.model.capacity_blocks import Purchase
from settings.model.network import CreatedNetwork
from settings.model.nvidia import NvidiaStack
from settings.model.workloads import VllmWorkload, Workload
from settings.resolved import ResolvedNodeGroup


def plain(model: Model, *exclude: str) -> dict[str, Any]:
    """A part of the settings as a component takes it: what was written, in snake case."""
    return model.model_dump(mode="json", exclude=set(exclude), exclude_unset=True, exclude_none=True)


def tags_of(settings: Settings, stack: str) -> dict[str, str]:
    """Tags of every resource: the user's, the owner and the stack."""
    return {"owner": settings.owner, "stack": stack, **settings.tags}


def subnets_of(settings: Settings, network: Network | None) -> tuple[pulumi.Input[str], list[SubnetArgs]]:
    """The VPC and its private subnets, created or existing."""
    if network:
        return network.vpc_id, network.subnets
    existing = settings.network.existing
    if existing is None:
        raise ValueError("a network is either created or existing")
    return existing.vpc_id, [{"id": subnet.id, "zone": subnet.zone} for subnet in existing.private_subnets]


def cluster_args(
    settings: Settings, name: str, vpc_id: pulumi.Input[str], subnets: list[SubnetArgs], tags: dict[str, str]
) -> ClusterArgs:
    """Arguments of the control plane."""
    cluster = settings.cluster
    args: ClusterArgs = {
        "region": settings.region,
        "vpc_id": vpc_id,
        "subnet_ids": pulumi.Output.all(*[subnet["id"] for subnet in subnets]),
        "cluster_name": name,
        "kubernetes_version": cluster.kubernetes_version,
        "private_access": cluster.endpoint.private_access,
        "public_access_cidrs": list(cluster.endpoint.public_access_cidrs),
        "access_entries": {key: cast("Any", plain(entry)) for key, entry in cluster.access_entries.items()},
        "log_types": [log_type.value for log_type in cluster.log_types],
        "deletion_protection": cluster.deletion_protection,
        "support_type": cluster.support_type.value,
        "addon_versions": addon_versions(settings),
        "tags": tags,
    }
    if cluster.secrets_encryption_key_arn:
        args["secrets_encryption_key_arn"] = cluster.secrets_encryption_key_arn
    return args


def network_args(created: CreatedNetwork, region: str, tags: dict[str, str]) -> NetworkArgs:
    """Arguments of a created network."""
    return cast("NetworkArgs", {**created.model_dump(mode="json"), "region": region, "tags": tags})


def system_group_args(
    settings: Settings, cluster: Cluster, subnets: list[SubnetArgs], tags: dict[str, str]
) -> SystemNodeGroupArgs:
    """Arguments of the system node group."""
    args = settings.system_node_group.model_dump(mode="json")
    args |= {
        "region": settings.region,
        "cluster_name": cluster.cluster_name,
        "cluster_security_group_id": cluster.cluster_security_group_id,
        "subnet_ids": [subnet["id"] for subnet in subnets],
        "kubernetes_version": settings.cluster.kubernetes_version,
        "tags": tags,
    }
    return cast("SystemNodeGroupArgs", args)


def addons_args(settings: Settings, cluster: Cluster, tags: dict[str, str]) -> ClusterAddonsArgs:
    """Arguments of the add-ons that need nodes."""
    return {
        "region": settings.region,
        "cluster_name": cluster.cluster_name,
        "addon_versions": addon_versions(settings),
        "tags": tags,
    }


def addon_versions(settings: Settings) -> dict[str, str]:
    """Versions of add-ons that the settings pin, by name."""
    return {addon.value: version for addon, version in settings.cluster.addon_versions.items()}


def purchase_args(purchase: Purchase, region: str, tags: dict[str, str]) -> CapacityBlockPurchaseArgs:
    """Arguments of a purchase."""
    return cast("CapacityBlockPurchaseArgs", {**plain(purchase), "region": region, "tags": tags})


def capacity_block_args(
    block: CapacityBlockSettings,
    bought: pulumi.Output[str] | None,
    group: ResolvedNodeGroup,
    subnets: list[SubnetArgs],
    tags: dict[str, str],
    *,
    succeeded: bool = False,
) -> CapacityBlockArgs:
    """Arguments of a Capacity Block: its own ID, or that of the purchase. ``succeeded``: another one takes over."""
    reservation = bought if bought is not None else block.reservation_id
    if reservation is None:
        raise ValueError("a Capacity Block has either reservationId or purchase")
    args: CapacityBlockArgs = {
        "reservation_id": reservation,
        "instance_type": group.type.name,
        "max_size": group.settings.size.max,
        "zones": [subnet["zone"] for subnet in subnets],
        "tags": tags,
    }
    if succeeded:
        args["succeeded"] = True
    if block.expect.start:
        args["expect_start"] = block.expect.start.isoformat()
    if block.expect.end:
        args["expect_end"] = block.expect.end.isoformat()
    if block.expect.instance_count:
        args["expect_instance_count"] = block.expect.instance_count
    if block.expect.zone:
        args["expect_zone"] = block.expect.zone
    if block.notification_email:
        args["notification_email"] = block.notification_email
    return args


def group_args(
    group: ResolvedNodeGroup,
    settings: Settings,
    cluster: Cluster,
    system: SystemNodeGroup,
    vpc_id: pulumi.Input[str],
    subnets: list[SubnetArgs],
    block: CapacityBlockRef | None,
    tags: dict[str, str],
) -> AcceleratorNodeGroupArgs:
    """Arguments of an accelerator node group."""
    args = plain(group.settings, "capacity_block", "next_capacity_blocks")
    args |= {
        "cluster_name": cluster.cluster_name,
        "cluster_security_group_id": cluster.cluster_security_group_id,
        "vpc_id": vpc_id,
        "subnets": subnets,
        "kubernetes_version": settings.cluster.kubernetes_version,
        "node_role_arn": system.node_role_arn,
        "tags": tags,
    }
    if group.settings.ami.image_id:
        args |= {
            "cluster_endpoint": cluster.endpoint,
            "cluster_certificate_authority": cluster.certificate_authority,
            "cluster_service_cidr": cluster.service_cidr,
        }
    if settings.nvidia.stack is not NvidiaStack.CHARTS:
        args["nvidia_stack"] = settings.nvidia.stack.value
    if block:
        args["capacity_block"] = block
    return cast("AcceleratorNodeGroupArgs", args)


def namespace_args(settings: Settings, namespace: str) -> WorkloadNamespaceArgs:
    """Arguments of a namespace for all workloads in it."""
    kinds = {kind for kind, _, workload in settings.workloads.each() if workload.namespace == namespace}
    reasons = [POD_SECURITY_REASON] if "vllm" in kinds else []
    reasons += [GPU_TEST_POD_SECURITY_REASON] if kinds - {"vllm"} else []
    return {"pod_security": POD_SECURITY, "reason": "; ".join(reasons)}


def vllm_args(
    workload: VllmWorkload,
    group: ResolvedNodeGroup,
    namespace: WorkloadNamespace,
    config: pulumi.Config,
    *,
    fits_now: bool,
) -> VllmServerArgs:
    """Arguments of a vLLM server; the token comes from the secret that the settings name.

    ``fits_now`` says whether all workloads of the node group fit it at its desired size.
    """
    args = plain(workload, "node_group", "hugging_face_token")
    args |= {"namespace": namespace.namespace_name, "serves_on": _served_group(group)}
    token = workload.hugging_face_token
    if token and token.config_secret:
        args["hugging_face_token"] = config.require_secret(token.config_secret)
    elif token and token.existing_secret:
        args["existing_token_secret"] = token.existing_secret
        args["wait_for_pods"] = False  # the Secret's namespace is only made now
    if not fits_now:
        args["wait_for_pods"] = False
    return cast("VllmServerArgs", args)


def gpu_test_args(test: Workload, group: ResolvedNodeGroup, namespace: WorkloadNamespace, *, fits_now: bool) -> Any:
    """Arguments of a `CudaVectorAdd` or a `DcgmProfTester`; ``fits_now`` as of a vLLM server."""
    args = plain(test, "node_group")
    args |= {"namespace": namespace.namespace_name, "runs_on": _served_group(group)}
    if not fits_now:
        args["wait_until_done"] = False
    return args


def _served_group(group: ResolvedNodeGroup) -> ServedNodeGroupArgs:
    return cast(
        "ServedNodeGroupArgs",
        {
            "name": group.name,
            "instance_type": group.type.name,
            "size": plain(group.settings.size),
            "sharing": served.sharing_args(group.sharing),
            "efa": plain(group.settings.efa),
            "taints": [plain(taint) for taint in group.settings.taints],
            "node_selector": group.node_selector,
            **({"dynamic_resource_allocation": True} if group.is_claimed else {}),
        },
    )


def nvidia_plugin_args(settings: Settings, groups: served.Groups) -> NvidiaDevicePluginArgs | None:
    """Arguments of the NVIDIA device plugin, or None where no node needs it."""
    return cast("NvidiaDevicePluginArgs | None", served.nvidia_plugin(settings, groups))


def gpu_operator_args(settings: Settings, groups: served.Groups) -> GpuOperatorArgs | None:
    """Arguments of the GPU Operator, or None where it serves no node."""
    return cast("GpuOperatorArgs | None", served.gpu_operator(settings, groups))


def neuron_plugin_args(settings: Settings, groups: served.Groups) -> NeuronDevicePluginArgs | None:
    """Arguments of the Neuron device plugin, or None where no node needs it."""
    return cast("NeuronDevicePluginArgs | None", served.neuron_plugin(settings, groups))


def efa_plugin_args(settings: Settings, groups: served.Groups) -> EfaDevicePluginArgs | None:
    """Arguments of the EFA device plugin, or None where no node needs it."""
    return cast("EfaDevicePluginArgs | None", served.efa_plugin(settings, groups))


def dra_driver_args(settings: Settings, groups: served.Groups) -> DraDriverArgs | None:
    """Arguments of the driver for Dynamic Resource Allocation, or None where no node needs it."""
    return cast("DraDriverArgs | None", served.dra_driver(settings, groups))


def dcgm_exporter_args(settings: Settings, groups: served.Groups) -> DcgmExporterArgs | None:
    """Arguments of the DCGM exporter, or None where no node needs it."""
    return cast("DcgmExporterArgs | None", served.dcgm_exporter(settings, groups))


def dcgm_exporter_of_claims_args(settings: Settings, groups: served.Groups) -> DcgmExporterArgs | None:
    """Arguments of the DCGM exporter of nodes whose GPUs pods claim, or None where there are none."""
    return cast("DcgmExporterArgs | None", served.dcgm_exporter_of_claims(settings, groups))
