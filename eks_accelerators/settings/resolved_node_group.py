"""An accelerator node group with every default applied: what its nodes will be."""

from dataclasses import dataclass, replace
from typing import cast

from eks_accelerators.accelerators import ami, autoscaler, efa, gpus, instance_types, scheduling, sharing
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.mig import Layout
from eks_accelerators.accelerators.node_capacity import HUGE_PAGES_OF_EFA, HUGE_PAGES_OF_EFA_ON_BOTTLEROCKET
from eks_accelerators.accelerators.scheduling import Taint
from eks_accelerators.accelerators.sharing import Share
from eks_accelerators.settings.gpu_servers import GpuServer, labels_of, server_of
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import (
    AcceleratorNodeGroupSettings,
    CapacityType,
    MigSettings,
    PlacementGroupChoice,
    SharingSettings,
    SharingStrategy,
    UpdateStrategy,
)
from eks_accelerators.settings.model.nvidia import NvidiaStack


@dataclass(frozen=True, slots=True)
class ResolvedNodeGroup:
    """What the nodes of a group are, advertise and carry."""

    name: str
    settings: AcceleratorNodeGroupSettings
    type: InstanceType
    ami_type: str
    served_by: GpuServer | None
    interfaces: tuple[efa.Interface, ...]
    sharing: sharing.Sharing
    resources: dict[str, int]
    labels: dict[str, str]
    taints: tuple[Taint, ...]
    zones: tuple[str, ...]
    placement_group: PlacementGroupChoice
    update_strategy: UpdateStrategy
    storage_drivers: int = 0
    """CSI drivers that run on each node besides that of EBS: those of the storage that the stack mounts."""

    @property
    def resource(self) -> str:
        """The resource that a pod asks for to get an accelerator, or a share of one."""
        return self.shares[0].resource

    @property
    def shares(self) -> tuple[Share, ...]:
        """What pods can ask its nodes for: accelerators, shares, MIG instances; or a device class that they claim."""
        offered = sharing.shares(self.type, self.sharing)
        if self.is_claimed:
            return tuple(replace(share, resource=sharing.NVIDIA_GPU_DEVICE_CLASS) for share in offered)
        return offered

    def share_of(self, resource_name: str | None) -> Share:
        """The share of that name; the first where none is named, or none has it."""
        return next((share for share in self.shares if share.resource == resource_name), self.shares[0])

    @property
    def huge_pages_mib(self) -> int:
        """Huge pages of 2 MiB that pods can ask a node for, in MiB: they are there for EFA."""
        if not self.has_efa:
            return 0
        on_bottlerocket = ami.is_bottlerocket(self.ami_type)
        return 2 * (HUGE_PAGES_OF_EFA_ON_BOTTLEROCKET if on_bottlerocket else HUGE_PAGES_OF_EFA)

    @property
    def has_efa(self) -> bool:
        """Whether EFA devices are attached."""
        return bool(self.interfaces)

    @property
    def node_selector(self) -> dict[str, str]:
        """Selects the nodes of this group and no other; of a spot group with a fallback, those of its pool."""
        if self.settings.spot_fallback:
            return {scheduling.POOL_LABEL: self.settings.spot_fallback}
        return {scheduling.NODE_GROUP_LABEL: self.name}

    @property
    def template_resources(self) -> dict[str, int]:
        """What tags say of the extended resources of a node, for Cluster Autoscaler: whole GPUs that nobody can ask for
        included, as none.
        """
        return autoscaler.template_resources(self.type, self.resources)

    @property
    def is_claimed(self) -> bool:
        """Whether pods claim its GPUs by Dynamic Resource Allocation."""
        return self.served_by is GpuServer.DRA_DRIVER

    @property
    def is_karpenters(self) -> bool:
        """Whether Karpenter makes its nodes, without a managed node group."""
        return self.settings.autoscaler is NodeAutoscaler.KARPENTER

    @property
    def claimable(self) -> dict[str, int]:
        """Devices of one node that pods claim, by device class; empty where they ask for an extended resource."""
        return {share.resource: share.count for share in self.shares} if self.is_claimed else {}

    @property
    def has_plugin_configuration(self) -> bool:
        """Whether we write the device plugin's configuration, for its own chart or for the GPU Operator."""
        return self.served_by in (GpuServer.DEVICE_PLUGIN, GpuServer.GPU_OPERATOR)


def replicas_from(wanted: SharingSettings, kind: InstanceType | None) -> int | None:
    """How many pods share one GPU: as written, or as many as memory allows; None where nobody knows.

    ``kind`` is None where the GPU is not known. MPS has no more clients than its daemon takes.
    """
    memory = sharing.device_memory_mib(kind) if kind else None
    if wanted.replicas or not (wanted.memory_gib and kind and memory):
        return wanted.replicas
    allowed = sharing.replicas_of_memory(memory, wanted.memory_gib)
    most = gpus.most_mps_clients(kind.accelerator.name) if wanted.strategy is SharingStrategy.MPS else allowed
    return min(allowed, most)


def sharing_from(wanted: SharingSettings, kind: InstanceType | None = None) -> sharing.Sharing:
    """The sharing that the settings ask for on ``kind``; what cannot be had counts as exclusive."""
    partitioning = _partitioning(wanted)
    replicas = wanted.replicas if partitioning else replicas_from(wanted, kind)
    if partitioning and not replicas:
        return sharing.Sharing("mig", mig=partitioning)
    if wanted.strategy is SharingStrategy.EXCLUSIVE or not replicas:
        return sharing.EXCLUSIVE
    return sharing.Sharing(
        cast("sharing.Strategy", wanted.strategy.value),
        replicas,
        renamed=bool(wanted.rename_by_default),
        fail_requests_greater_than_one=wanted.fail_requests_greater_than_one is not False,
        allocation_policy=wanted.allocation_policy.value if wanted.allocation_policy else None,
        mig=partitioning,
    )


def layouts_of(wanted: MigSettings | None) -> tuple[Layout, ...]:
    """The layouts that are written: one for all GPUs, or one for each."""
    if wanted is None:
        return ()
    return (wanted.layout,) if wanted.layout is not None else wanted.layouts or ()


def _partitioning(wanted: SharingSettings) -> sharing.Partitioning | None:
    """None without MIG, and where no GPU would be divided."""
    layouts = layouts_of(wanted.mig)
    if wanted.strategy is not SharingStrategy.MIG or wanted.mig is None or not any(layouts):
        return None
    return sharing.Partitioning.of(wanted.mig.strategy.value, layouts)


def resolve(
    name: str,
    group: AcceleratorNodeGroupSettings,
    *,
    kubernetes_version: str,
    zones: tuple[str, ...],
    nvidia_stack: NvidiaStack = NvidiaStack.CHARTS,
    pool: str | None = None,
) -> ResolvedNodeGroup:
    """Apply every default. ``zones`` are those of the network; ``pool`` is the on-demand group of a pool that it is in.

    Raises `UnknownInstanceTypeError` or `EfaNotSupportedError`; the rules report both before anything resolves.
    """
    kind = instance_types.get(group.instance_type)
    identity = scheduling.identity_of(kind)
    ami_type = "CUSTOM" if group.ami.image_id else group.ami.type or ami.default_type(kind, kubernetes_version)
    shared = sharing_from(group.sharing, kind)
    interfaces = _interfaces(group, kind)
    served_by = server_of(kind, ami_type, nvidia_stack, dynamic_resource_allocation=group.dynamic_resource_allocation)
    resources = sharing.advertised(kind, shared, efa.efa_count(interfaces), group.logical_core_size)
    if served_by is GpuServer.DRA_DRIVER:
        resources.pop(sharing.NVIDIA_GPU, None)  # its pods claim devices
    own_zones = group.zones or (() if group.bought_as is CapacityType.CAPACITY_BLOCK else zones)
    labels = {**group.labels, scheduling.NODE_GROUP_LABEL: name, identity.label_key: identity.label_value}
    if interfaces:
        labels[scheduling.EFA_PRESENT_LABEL] = "true"
    if pool:
        labels[scheduling.POOL_LABEL] = pool
    if group.autoscaler is NodeAutoscaler.CLUSTER_AUTOSCALER:
        labels |= autoscaler.label_of(kind, resources)
    labels |= labels_of(kind, served_by, shared)
    usual_update = UpdateStrategy.MINIMAL if group.has_reserved_capacity else UpdateStrategy.DEFAULT
    return ResolvedNodeGroup(
        name=name,
        settings=group,
        type=kind,
        ami_type=ami_type,
        served_by=served_by,
        interfaces=interfaces,
        sharing=shared,
        resources=resources,
        labels=labels,
        taints=(identity.taint, *(Taint(t.key, t.value, t.effect.value) for t in group.taints)),
        zones=own_zones,
        placement_group=group.placement_group or _default_placement(group, own_zones, interfaces),
        update_strategy=group.update.strategy or usual_update,
    )


def _interfaces(group: AcceleratorNodeGroupSettings, kind: InstanceType) -> tuple[efa.Interface, ...]:
    if not group.efa.enabled:
        return ()
    if group.efa.interfaces is not None:
        return tuple(efa.Interface(i.card, i.device, i.type) for i in group.efa.interfaces)
    return efa.layout(kind)


def _default_placement(
    group: AcceleratorNodeGroupSettings, zones: tuple[str, ...], interfaces: tuple[efa.Interface, ...]
) -> PlacementGroupChoice:
    """Close together only for on-demand EFA groups in one zone: a reservation made without the
    placement group would find no capacity in it.
    """
    close = interfaces and len(zones) == 1 and not group.has_reserved_capacity
    return (
        PlacementGroupChoice.CLUSTER
        if close and group.bought_as is CapacityType.ON_DEMAND
        else PlacementGroupChoice.NONE
    )
