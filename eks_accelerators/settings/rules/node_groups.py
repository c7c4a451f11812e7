"""Rules about sizes, labels, taints and repair of node groups."""

import re
from collections.abc import Iterator

from eks_accelerators.accelerators import autoscaler, scheduling, zones
from eks_accelerators.accelerators.mig import manager as mig_manager
from eks_accelerators.settings.model.node_groups import Size
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_RESERVED = re.compile(r"^(?:[a-z0-9.-]*\.)?(kubernetes\.io|k8s\.io)/|^([a-z0-9.-]*\.)?eks\.amazonaws\.com/")
LABEL_KEY = re.compile(r"^([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$")


@rule("size-order")
def size_order(context: Context) -> Iterator[RuleFinding]:
    """Sizes satisfy min <= desired <= max and max >= 1.

    Source: EKS API `NodegroupScalingConfig`.
    """
    sizes: list[tuple[str, Size]] = [("systemNodeGroup.size", context.settings.system_node_group.size)]
    sizes += [(f"nodeGroups.{name}.size", group.size) for name, group in context.settings.node_groups.items()]
    for path, size in sizes:
        if not (size.min <= size.desired <= size.max and size.max >= 1):
            yield RuleFinding(
                path,
                "sizes must satisfy min <= desired <= max and max >= 1",
                f"min {size.min}, desired {size.desired}, max {size.max}",
                "min <= desired <= max, max >= 1",
                f"set max: {max(size.min, size.desired, size.max, 1)}"
                if size.desired >= size.min
                else f"set desired: {size.min}",
            )


@rule("system-group-empty")
def system_group_empty(context: Context) -> Iterator[RuleFinding]:
    """The system group has a node: without it DNS and every controller stay Pending."""
    if context.settings.system_node_group.size.desired == 0:
        yield RuleFinding(
            "systemNodeGroup.size.desired",
            "DNS and controllers have no untainted node to run on",
            "0",
            "at least 1",
            "set desired: 2",
        )


@rule("zone-not-in-network")
def zone_not_in_network(context: Context) -> Iterator[RuleFinding]:
    """A node group's zones are zones of the network."""
    available = context.settings.network.zones
    for name, group in context.settings.node_groups.items():
        for index, zone in enumerate(group.zones or ()):
            if available and zone not in available:
                yield RuleFinding(
                    f"nodeGroups.{name}.zones[{index}]",
                    f"the network has no subnet in {zone}",
                    zone,
                    ", ".join(available),
                    "use a zone of the network, or add it there",
                )
        if group.zones == ():
            yield RuleFinding(
                f"nodeGroups.{name}.zones",
                "an empty list of zones",
                "[]",
                ", ".join(available),
                "leave zones out for all of them",
            )


@rule("type-not-in-zone", Severity.WARNING)
def type_not_in_zone(context: Context) -> Iterator[RuleFinding]:
    """The instance type was offered in the region, and in the zones where they are written as IDs.

    Source: AWS's price list of 2026-10-20 and, for zones and what has no price, a dated DescribeInstanceTypeOfferings
    snapshot (`eks_accelerators/accelerators/data/instance-types.json`); AWS may have moved on.
    """
    region = context.settings.region
    for path, group, kind in context.groups:
        if region not in kind.offered_regions:
            yield RuleFinding(
                f"{path}.instanceType",
                f"{kind.name} was not offered in {region}"
                if kind.offered_regions
                else f"where {kind.name} is offered is not known here",
                region,
                ", ".join(kind.offered_regions) or "unknown",
                "check with `aws ec2 describe-instance-type-offerings`",
            )
            continue
        offered = kind.offered_zone_ids.get(region)
        for index, zone in enumerate(group.zones or ()):
            if offered and zones.is_zone_id(zone) and zone not in offered:
                yield RuleFinding(
                    f"{path}.zones[{index}]",
                    f"{kind.name} was not offered in {zone}",
                    zone,
                    ", ".join(offered),
                    "use a zone that has the type",
                )


@rule("reserved-label")
def reserved_label(context: Context) -> Iterator[RuleFinding]:
    """Labels and taints of one's own have valid keys outside the reserved prefixes.

    Source: EKS API and Kubernetes: `kubernetes.io/`, `k8s.io/` and `eks.amazonaws.com/` are reserved; a key's
    name has at most 63 characters.
    """
    for name, group in context.settings.node_groups.items():
        keys = [(f'nodeGroups.{name}.labels["{key}"]', key) for key in group.labels]
        keys += [(f"nodeGroups.{name}.taints[{i}].key", taint.key) for i, taint in enumerate(group.taints)]
        for path, key in keys:
            if not LABEL_KEY.fullmatch(key):
                yield RuleFinding(
                    path,
                    f"{key!r} is no valid key",
                    key,
                    "prefix/name, name at most 63 characters",
                    "write a valid key",
                )
            elif match := _RESERVED.match(key):
                yield RuleFinding(
                    path,
                    f"{key} uses the reserved prefix {match.group(0)}",
                    key,
                    "another prefix",
                    "use a prefix of your own",
                )


@rule("own-label-changed")
def own_label_changed(context: Context) -> Iterator[RuleFinding]:
    """The labels and taints by which plugins find their nodes are not set by hand."""
    ours = {
        scheduling.NODE_GROUP_LABEL,
        scheduling.POOL_LABEL,
        scheduling.DEVICE_PLUGIN_CONFIG_LABEL,
        scheduling.EFA_PRESENT_LABEL,
        scheduling.OPERATOR_OPERANDS_LABEL,
        mig_manager.CONFIG_LABEL,
        autoscaler.ACCELERATOR_LABEL,
        scheduling.NVIDIA.label_key,
        scheduling.NEURON.label_key,
    }
    taints = {scheduling.NVIDIA.taint.key, scheduling.NEURON.taint.key}
    for name, group in context.settings.node_groups.items():
        clashes = [(f'nodeGroups.{name}.labels["{key}"]', key) for key in group.labels if key in ours]
        clashes += [
            (f"nodeGroups.{name}.taints[{i}].key", t.key) for i, t in enumerate(group.taints) if t.key in taints
        ]
        for path, key in clashes:
            yield RuleFinding(path, f"{key} is set from the instance type", key, "nothing", "remove it")


@rule("duplicate-taint")
def duplicate_taint(context: Context) -> Iterator[RuleFinding]:
    """No two taints have the same key and effect.

    Source: Kubernetes node validation.
    """
    for name, group in context.settings.node_groups.items():
        seen = set()
        for index, taint in enumerate(group.taints):
            if (taint.key, taint.effect) in seen:
                yield RuleFinding(
                    f"nodeGroups.{name}.taints[{index}]",
                    f"{taint.key} with {taint.effect.value} is given twice",
                    taint.key,
                    "each key and effect once",
                    "remove one",
                )
            seen.add((taint.key, taint.effect))


@rule("metadata-hop-limit", Severity.WARNING)
def metadata_hop_limit(context: Context) -> Iterator[RuleFinding]:
    """The hop limit stays 1, which keeps pods away from the node's role; pods have Pod Identity.

    Source: EKS best practices, restrict access to the instance profile.
    """
    for path, group, _ in context.groups:
        if group.instance_metadata.hop_limit > 1:
            yield RuleFinding(
                f"{path}.instanceMetadata.hopLimit",
                "pods can use the node's role through the metadata service",
                str(group.instance_metadata.hop_limit),
                "1",
                "use Pod Identity and set hopLimit: 1",
            )


@rule("repair-thresholds")
def repair_thresholds(context: Context) -> Iterator[RuleFinding]:
    """Each limit of node repair and updates is a count or a percentage, not both.

    Source: EKS API `NodeRepairConfig`, `NodegroupUpdateConfig`.
    """
    for name, group in context.settings.node_groups.items():
        repair, update = group.node_repair, group.update
        pairs = (
            (
                "nodeRepair.maxUnhealthyNodeThreshold",
                repair.max_unhealthy_node_threshold_count,
                repair.max_unhealthy_node_threshold_percentage,
            ),
            (
                "nodeRepair.maxParallelNodesRepaired",
                repair.max_parallel_nodes_repaired_count,
                repair.max_parallel_nodes_repaired_percentage,
            ),
            ("update.maxUnavailable", update.max_unavailable, update.max_unavailable_percentage),
        )
        for key, count, percentage in pairs:
            if count is not None and percentage is not None:
                suffix = "" if key.startswith("update") else "Count"
                yield RuleFinding(
                    f"nodeGroups.{name}.{key}Percentage",
                    f"{key}{suffix} and {key}Percentage exclude each other",
                    f"{count} and {percentage} %",
                    "one of the two",
                    "remove one",
                )
