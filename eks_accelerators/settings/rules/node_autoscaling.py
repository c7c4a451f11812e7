"""Rules about who changes the number of nodes of a group."""

from collections.abc import Iterator

from eks_accelerators.accelerators import autoscaler as facts
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings, CapacityType
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.networks import no_route
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.service_access import autoscaler_access

Groups = Iterator[tuple[str, AcceleratorNodeGroupSettings]]


def _groups(context: Context, *autoscalers: NodeAutoscaler) -> Groups:
    """Path and settings of each group that one of ``autoscalers`` scales."""
    for name, group in context.settings.node_groups.items():
        if group.autoscaler in autoscalers:
            yield f"nodeGroups.{name}", group


def _scaled(context: Context) -> Groups:
    return _groups(context, NodeAutoscaler.CLUSTER_AUTOSCALER, NodeAutoscaler.KARPENTER)


@rule("autoscaled-capacity-block")
def autoscaled_capacity_block(context: Context) -> Iterator[RuleFinding]:
    """No autoscaler scales the nodes of a Capacity Block.

    EKS and a schedule own the size of a block: an autoscaler would end nodes that are paid for, and before the start its
    launches fail. Source: EKS user guide `capacity-blocks-mng`.
    """
    for path, group in _scaled(context):
        if group.bought_as is CapacityType.CAPACITY_BLOCK:
            yield RuleFinding(
                f"{path}.autoscaler",
                "the nodes of a Capacity Block come at its start and go at its end, and are paid for all the time",
                group.autoscaler.value,
                NodeAutoscaler.NONE.value,
                "remove autoscaler",
            )


@rule("autoscaled-by-schedule")
def autoscaled_by_schedule(context: Context) -> Iterator[RuleFinding]:
    """A group has a schedule or an autoscaler: each undoes what the other did.

    Cluster Autoscaler takes away within minutes the nodes that a schedule brought and no pod uses, and a schedule ends
    nodes under the pods that it brought them for. Source: kubernetes/autoscaler `cluster-autoscaler/FAQ.md`: it does
    not go well with another autoscaler of scaling groups.
    """
    for path, group in _scaled(context):
        if group.scheduled_scaling:
            yield RuleFinding(
                f"{path}.scheduledScaling",
                f"the schedule and {group.autoscaler.value} both change the number of nodes",
                number_of(len(group.scheduled_scaling), "action"),
                "one of the two",
                "remove scheduledScaling, and let the pods come and go by the clock; or remove autoscaler",
            )


@rule("autoscaled-fixed-size")
def autoscaled_fixed_size(context: Context) -> Iterator[RuleFinding]:
    """An autoscaler has room between `size.min` and `size.max`."""
    for path, group in _groups(context, NodeAutoscaler.CLUSTER_AUTOSCALER):
        if group.size.min == group.size.max:
            yield RuleFinding(
                f"{path}.size",
                "there is nothing to scale",
                f"min {group.size.min}, max {group.size.max}",
                "min below max",
                "raise size.max, lower size.min, or remove autoscaler",
            )


@rule("autoscaler-version")
def autoscaler_version(context: Context) -> Iterator[RuleFinding]:
    """The minor version of Cluster Autoscaler is that of the cluster: it has the scheduler of its own version inside.

    Source: kubernetes/autoscaler `cluster-autoscaler/README.md`, Releases.
    """
    if not any(_groups(context, NodeAutoscaler.CLUSTER_AUTOSCALER)):
        return
    cluster, written = context.settings.cluster.kubernetes_version, context.settings.cluster_autoscaler.version
    known = facts.image_version(cluster)
    if written and written.rpartition(".")[0] != cluster:
        yield RuleFinding(
            "clusterAutoscaler.version",
            f"Cluster Autoscaler {written} is not for Kubernetes {cluster}",
            written,
            f"{cluster}.x",
            f"remove it for {known}" if known else f"write a version {cluster}.x",
        )
    if not written and not known:
        yield RuleFinding(
            "clusterAutoscaler.version",
            f"which Cluster Autoscaler goes with Kubernetes {cluster} is not known here",
            "",
            f"{cluster}.x",
            f"write its newest version {cluster}.x",
        )


@rule("autoscaler-unused", Severity.WARNING)
def autoscaler_unused(context: Context) -> Iterator[RuleFinding]:
    """Settings of Cluster Autoscaler and of Karpenter are for stacks that install them: with a node group that they scale."""
    settings = context.settings
    for path, scaler, written in (
        ("clusterAutoscaler", NodeAutoscaler.CLUSTER_AUTOSCALER, settings.cluster_autoscaler),
        ("karpenter", NodeAutoscaler.KARPENTER, settings.karpenter),
    ):
        if written.model_fields_set and not any(_groups(context, scaler)):
            yield RuleFinding(
                path,
                "nobody reads these settings",
                f"no node group with autoscaler: {scaler.value}",
                f"a node group with autoscaler: {scaler.value}",
                f"remove them, or write `autoscaler: {scaler.value}` for a node group",
            )


@rule("autoscaler-no-path")
def autoscaler_no_path(context: Context) -> Iterator[RuleFinding]:
    """Without a NAT gateway, an autoscaler reaches AWS through endpoints, of Auto Scaling or of its queue and images too.

    Source: kubernetes/autoscaler `cluster-autoscaler/cloudprovider/aws/README.md`; Karpenter documentation, private
    clusters. IAM and the price list have no endpoint in a VPC: Karpenter does without prices.
    """
    yield from no_route(context, autoscaler_access(context.settings))


@rule("spot-fallback-missing")
def spot_fallback_missing(context: Context) -> Iterator[RuleFinding]:
    """A fallback is another on-demand group that the same Cluster Autoscaler scales, for a spot group that it scales."""
    for path, group, name in _with_fallback(context):
        other = context.settings.node_groups.get(name)
        if problem := _no_fallback(group, other, name):
            yield RuleFinding(
                f"{path}.spotFallback",
                problem,
                name,
                "an on-demand group with autoscaler: clusterAutoscaler, for a spot group with the same",
                "name such a group, or remove spotFallback",
            )


def _no_fallback(
    group: AcceleratorNodeGroupSettings, other: AcceleratorNodeGroupSettings | None, name: str
) -> str | None:
    """Why ``other`` cannot take what ``group`` has no capacity for."""
    if group.bought_as is not CapacityType.SPOT:
        return "only a spot group falls back: others get their nodes or wait"
    if group.autoscaler is NodeAutoscaler.KARPENTER:
        return "Karpenter falls back by itself: karpenter.onDemandFallback"
    if other is None:
        return f"there is no node group {name}"
    if other.bought_as is not CapacityType.ON_DEMAND:
        return f"{name} is not on demand, so that it may have no capacity either"
    if not (group.autoscaler is other.autoscaler is NodeAutoscaler.CLUSTER_AUTOSCALER):
        return "who starts nodes in the one group where the other gets none is Cluster Autoscaler, of both"
    return None


@rule("spot-fallback-differs")
def spot_fallback_differs(context: Context) -> Iterator[RuleFinding]:
    """A fallback has the taints and the resources of its spot group, or its pods cannot run there."""
    for path, _, name in _with_fallback(context):
        mine, other = context.resolved.get(path.partition(".")[2]), context.resolved.get(name)
        if mine is None or other is None:
            continue
        for words, ours, theirs in (
            ("taints", _sorted(mine.taints), _sorted(other.taints)),
            ("resources", _counted(mine.resources), _counted(other.resources)),
        ):
            if ours != theirs:
                yield RuleFinding(
                    f"{path}.spotFallback",
                    f"{name} has other {words}, so that pods of the one cannot run on the other",
                    theirs or "none",
                    ours or "none",
                    "make both groups alike: accelerators, sharing, efa, taints",
                )


def _with_fallback(context: Context) -> Iterator[tuple[str, AcceleratorNodeGroupSettings, str]]:
    for name, group in context.settings.node_groups.items():
        if group.spot_fallback:
            yield f"nodeGroups.{name}", group, group.spot_fallback


def _sorted(taints: tuple[object, ...]) -> str:
    return ", ".join(sorted(map(str, taints)))


def _counted(resources: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(resources.items()))


@rule("spot-without-fallback", Severity.WARNING)
def spot_without_fallback(context: Context) -> Iterator[RuleFinding]:
    """A spot group that an autoscaler scales has a fallback: spot capacity of GPUs is gone for hours at a time."""
    for path, group in _groups(context, NodeAutoscaler.CLUSTER_AUTOSCALER):
        if group.bought_as is CapacityType.SPOT and not group.spot_fallback:
            yield RuleFinding(
                f"{path}.spotFallback",
                "where there is no spot capacity its pods wait",
                "",
                "an on-demand group",
                "add an on-demand group with the same accelerators, and name it",
            )
    for path, group in _groups(context, NodeAutoscaler.KARPENTER):
        if group.bought_as is CapacityType.SPOT and not (group.karpenter and group.karpenter.on_demand_fallback):
            yield RuleFinding(
                f"{path}.karpenter.onDemandFallback",
                "where there is no spot capacity its pods wait",
                "false",
                "true",
                "set karpenter.onDemandFallback: true",
            )


@rule("claimed-back-to-zero", Severity.WARNING)
def claimed_back_to_zero(context: Context) -> Iterator[RuleFinding]:
    """A group whose GPUs are claimed keeps a node: Cluster Autoscaler takes the last away, and no claim brings one back.

    Tags speak of extended resources, claims of the ResourceSlices of nodes that are there. Source: as of
    `claimed-from-zero`.
    """
    for path, group in _groups(context, NodeAutoscaler.CLUSTER_AUTOSCALER):
        if group.dynamic_resource_allocation and group.size.min == 0:
            yield RuleFinding(
                f"{path}.size.min",
                "once it is empty no claim starts a node: ResourceSlices are those of nodes that are there",
                "0",
                "1 or more",
                "set size.min: 1",
            )
