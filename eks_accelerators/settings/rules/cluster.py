"""Rules about the control plane and who reaches it."""

import ipaddress
from collections.abc import Iterator

from eks_accelerators.accelerators import kubernetes_versions
from eks_accelerators.accelerators.addresses import is_for_examples
from eks_accelerators.accelerators.cidr import enclosing
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.model.cluster import AccessPolicy, SupportType
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_LASTS_DAYS = 60
"""Of standard support: sooner than that it is time for a newer version."""


@rule("kubernetes-version-ended")
def kubernetes_version_ended(context: Context) -> Iterator[RuleFinding]:
    """The Kubernetes version was still supported on EKS when the table was written.

    Source: `eks_accelerators/accelerators/data/kubernetes-versions.json`, a snapshot.
    """
    name = context.settings.cluster.kubernetes_version
    version = kubernetes_versions.every().get(name)
    if _is_before_all(name):
        yield RuleFinding(
            "cluster.kubernetesVersion",
            f"{name} is older than all versions that EKS still makes",
            name,
            ", ".join(_not_ended(context)),
            f"use {kubernetes_versions.default()}",
        )
    elif version and version.end_of_extended_support and version.end_of_extended_support < context.now.date():
        yield RuleFinding(
            "cluster.kubernetesVersion",
            f"support of {name} ended on {version.end_of_extended_support}",
            name,
            ", ".join(_not_ended(context)),
            f"use {kubernetes_versions.default()}",
        )


@rule("kubernetes-version-support", Severity.WARNING)
def kubernetes_version_support(context: Context) -> Iterator[RuleFinding]:
    """Standard support of the Kubernetes version lasts another 60 days; after it EKS upgrades the cluster or charges more.

    Source: `eks_accelerators/accelerators/data/kubernetes-versions.json`, a snapshot; unknown dates are said to be unknown.
    """
    cluster = context.settings.cluster
    name, version = cluster.kubernetes_version, kubernetes_versions.every().get(cluster.kubernetes_version)
    if _is_before_all(name):
        return  # another rule's finding
    if version is None or version.end_of_standard_support is None:
        yield RuleFinding(
            "cluster.kubernetesVersion",
            f"the support dates of {name} are not known here",
            name,
            ", ".join(_supported(context)) or "a version whose support dates are known",
            "check with `aws eks describe-cluster-versions`",
        )
    elif name not in _supported(context):
        then = (
            "EKS upgrades the cluster"
            if cluster.support_type is SupportType.STANDARD
            else "the control plane costs more"
        )
        yield RuleFinding(
            "cluster.kubernetesVersion",
            f"standard support of {name} ends on {version.end_of_standard_support}; then {then}",
            name,
            "a newer version",
            f"use {kubernetes_versions.default()}",
        )


def _supported(context: Context) -> list[str]:
    """Versions whose standard support is known to last for a while."""
    ends = {name: version.end_of_standard_support for name, version in kubernetes_versions.every().items()}
    return [name for name, end in ends.items() if end and (end - context.now.date()).days >= _LASTS_DAYS]


def _not_ended(context: Context) -> list[str]:
    """Versions of which no support is known to have ended altogether."""
    ends = {name: version.end_of_extended_support for name, version in kubernetes_versions.every().items()}
    return [name for name, end in ends.items() if not end or end >= context.now.date()]


def _is_before_all(name: str) -> bool:
    """Whether a version is below the oldest of the table; above it nothing is known."""
    oldest = next(iter(kubernetes_versions.every()))
    return not kubernetes_versions.at_least(name, oldest)


@rule("control-plane-zones")
def control_plane_zones(context: Context) -> Iterator[RuleFinding]:
    """The network has at least two zones, which the control plane needs; a node group may use one.

    Source: EKS user guide `network-reqs`.
    """
    zones = context.settings.network.zones
    if len(zones) == 1:
        path = "network.create.zones" if context.settings.network.create else "network.existing.privateSubnets"
        yield RuleFinding(
            path,
            "EKS needs subnets in at least two zones",
            zones[0],
            "two zones or more",
            "add a zone here, and set zones on node groups that must stay in one",
        )


@rule("endpoint-unreachable")
def endpoint_unreachable(context: Context) -> Iterator[RuleFinding]:
    """The Kubernetes API can be reached from somewhere.

    Source: EKS API `VpcConfigRequest`.
    """
    endpoint = context.settings.cluster.endpoint
    if not endpoint.private_access and not endpoint.public_access:
        yield RuleFinding(
            "cluster.endpoint",
            "neither private nor public access",
            "privateAccess: false, no publicAccessCidrs",
            "privateAccess: true, or publicAccessCidrs",
            "set privateAccess: true",
        )


@rule("endpoint-open-to-world", Severity.WARNING)
def endpoint_open_to_world(context: Context) -> Iterator[RuleFinding]:
    """The Kubernetes API is not open to the whole internet."""
    for index, cidr in enumerate(context.settings.cluster.endpoint.public_access_cidrs):
        if cidr.endswith("/0"):
            yield RuleFinding(
                f"cluster.endpoint.publicAccessCidrs[{index}]",
                "the whole internet may reach the Kubernetes API",
                cidr,
                "ranges of your own",
                "name your office or VPN ranges",
            )


@rule("endpoint-cidr-invalid")
def endpoint_cidr_invalid(context: Context) -> Iterator[RuleFinding]:
    """Public access ranges are CIDR blocks without host bits."""
    for index, cidr in enumerate(context.settings.cluster.endpoint.public_access_cidrs):
        try:
            ipaddress.ip_network(cidr)
        except ValueError as error:
            yield RuleFinding(
                f"cluster.endpoint.publicAccessCidrs[{index}]",
                str(error),
                cidr,
                "a CIDR block such as 198.51.100.0/24",
                f"write {meant}"
                if (meant := enclosing(cidr))
                else "write the network's address, and how many bits of it count",
            )


@rule("endpoint-example-range", Severity.WARNING)
def endpoint_example_range(context: Context) -> Iterator[RuleFinding]:
    """Ranges reserved for documentation are replaced before a deployment: nobody can connect from them.

    Source: RFC 5737, RFC 3849.
    """
    for index, cidr in enumerate(context.settings.cluster.endpoint.public_access_cidrs):
        try:
            network = ipaddress.ip_network(cidr)
        except ValueError:
            continue
        if is_for_examples(network):
            yield RuleFinding(
                f"cluster.endpoint.publicAccessCidrs[{index}]",
                "this range is reserved for examples; nobody connects from it",
                cidr,
                "ranges of your own",
                "write your office or VPN ranges",
            )


@rule("access-entry-scope")
def access_entry_scope(context: Context) -> Iterator[RuleFinding]:
    """The cluster-admin policy is not limited to namespaces, and no principal has two entries.

    Source: EKS user guide `access-policies`, `creating-access-entries`.
    """
    seen: dict[str, str] = {}
    for name, entry in context.settings.cluster.access_entries.items():
        path = f"cluster.accessEntries.{name}"
        if entry.policy is AccessPolicy.CLUSTER_ADMIN and entry.namespaces:
            yield RuleFinding(
                f"{path}.namespaces",
                f"{entry.policy} is meant for the whole cluster",
                ", ".join(entry.namespaces),
                "no namespaces",
                f"use {AccessPolicy.ADMIN}, or remove namespaces",
            )
        if entry.principal_arn in seen:
            yield RuleFinding(
                f"{path}.principalArn",
                f"{seen[entry.principal_arn]} names this principal already",
                entry.principal_arn,
                "each principal once",
                "join the two entries",
            )
        seen[entry.principal_arn] = path


@rule("addon-version-format")
def addon_version_format(context: Context) -> Iterator[RuleFinding]:
    """A pinned add-on version is written as EKS writes it, such as `v1.21.1-eksbuild.1`."""
    for name, version in context.settings.cluster.addon_versions.items():
        if not (version.startswith("v") and "-eksbuild." in version):
            yield RuleFinding(
                f"cluster.addonVersions.{name}",
                f"{version} is no EKS add-on version",
                version,
                "v<version>-eksbuild.<number>",
                f"see `aws eks describe-addon-versions --addon-name {name}`",
            )


@rule("repair-without-agent", Severity.WARNING)
def repair_without_agent(context: Context) -> Iterator[RuleFinding]:
    """Node repair that reacts to accelerator conditions has those conditions' agent.

    The agent is always installed here, so this speaks up only where an override names a condition that
    no agent reports. Source: EKS user guide `node-health`.
    """
    known = (
        "AcceleratedHardwareReady",
        "KernelReady",
        "NetworkingReady",
        "StorageReady",
        "ContainerRuntimeReady",
        "Ready",
    )
    for name, group in context.settings.node_groups.items():
        for index, override in enumerate(group.node_repair.overrides):
            condition = override.node_monitoring_condition
            if condition not in known:
                guess = closest(condition, known)
                yield RuleFinding(
                    f"nodeGroups.{name}.nodeRepair.overrides[{index}].nodeMonitoringCondition",
                    f"the node monitoring agent reports no condition {condition}",
                    condition,
                    ", ".join(known),
                    f"did you mean {guess}?" if guess else "use a condition of the agent",
                )
