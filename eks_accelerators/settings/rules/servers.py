"""Rules about model servers of every kind: who reaches them, and on which nodes they are."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from eks_accelerators.settings.headroom import headroom_of
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.server import ExposureKind, Server, ServerPlacement
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("server-gateway")
def server_gateway(context: Context) -> Iterator[RuleFinding]:
    """A server that is exposed by a Gateway names it; others name neither a Gateway nor host names.

    Source: Gateway API, HTTPRoute: `parentRefs` name the Gateways that it is attached to.
    """
    for path, server in context.settings.workloads.servers():
        exposure, here = server.exposure, f"{path}.exposure"
        if exposure.kind is ExposureKind.GATEWAY and exposure.gateway is None:
            yield RuleFinding(
                f"{here}.gateway", "no Gateway is named", "nothing", "a Gateway", "write gateway: {name: ...}"
            )
        if exposure.kind is not ExposureKind.GATEWAY and (exposure.gateway or exposure.host_names):
            yield RuleFinding(
                f"{here}.kind",
                "a Gateway and host names are for routes of a Gateway",
                exposure.kind.value,
                ExposureKind.GATEWAY.value,
                "set kind: gateway, or remove gateway and hostNames",
            )


@rule("server-gateway-elsewhere", Severity.WARNING)
def server_gateway_elsewhere(context: Context) -> Iterator[RuleFinding]:
    """The kinds of the Gateway API, a Gateway and its controller come from elsewhere, before the servers.

    Source: Gateway API, `guides/getting-started`: Kubernetes has none of its kinds by itself, and refuses an HTTPRoute.
    """
    for path, server in context.settings.workloads.servers():
        if server.exposure.kind is ExposureKind.GATEWAY:
            yield RuleFinding(
                f"{path}.exposure.kind",
                "nothing here installs the Gateway API: in a cluster without it the HTTPRoute is refused",
                ExposureKind.GATEWAY.value,
                "a cluster with the Gateway API, a controller and the Gateway",
                "deploy with clusterIp first, install them, then set kind: gateway",
            )


@rule("server-callers")
def server_callers(context: Context) -> Iterator[RuleFinding]:
    """A network policy lets somebody in, by ranges that exist, and clients of a load balancer by their addresses.

    Source: Kubernetes, NetworkPolicy: a policy without a rule keeps everyone away; a load balancer's clients are in no
    namespace.
    """
    for path, server in context.settings.workloads.servers():
        callers = server.network_policy
        if callers is None:
            continue
        if not (callers.namespaces or callers.cidrs):
            fix = "name namespaces or cidrs, or remove networkPolicy"
            yield RuleFinding(f"{path}.networkPolicy", "nobody could call it", "nobody", "at least one caller", fix)
        elif server.exposure.kind is ExposureKind.INTERNAL_LOAD_BALANCER and not callers.cidrs:
            yield RuleFinding(
                f"{path}.networkPolicy.cidrs",
                "clients of the load balancer are in no namespace: the policy would keep them away",
                "nothing",
                "the ranges of the clients",
                "write cidrs: [10.0.0.0/8], or those of your clients",
            )
        for index, cidr in enumerate(callers.cidrs):
            if not _is_network(cidr):
                yield RuleFinding(
                    f"{path}.networkPolicy.cidrs[{index}]",
                    "this is no range of addresses",
                    cidr,
                    "four numbers below 256, and a prefix that leaves the rest 0",
                    f"write it as {_network_of(cidr)}",
                )


@rule("server-policy-scraper", Severity.WARNING)
def server_policy_scraper(context: Context) -> Iterator[RuleFinding]:
    """A network policy lets in the Prometheus that scrapes the servers; that of the stack is let in by itself.

    Source: Amazon Managed Service for Prometheus, `AMP-collector-how-to`: a scraper has addresses of the subnets, and no pod.
    """
    wanted = context.settings.monitoring.prometheus
    for path, server in context.settings.workloads.servers():
        callers = server.network_policy
        if callers is None:
            continue
        if wanted is PrometheusKind.AMP and not callers.cidrs:
            yield RuleFinding(
                f"{path}.networkPolicy.cidrs",
                "the scraper of Amazon Managed Service for Prometheus has addresses of the subnets, which the policy keeps away",
                "nothing",
                "the ranges of the private subnets",
                "add them to cidrs",
            )
        if wanted is PrometheusKind.EXISTING and not callers.namespaces:
            yield RuleFinding(
                f"{path}.networkPolicy.namespaces",
                "nobody knows where the existing Prometheus runs, and the policy keeps it away",
                "nothing",
                "the namespace of that Prometheus",
                "add it to namespaces",
            )


@rule("servers-on-one-node", Severity.WARNING)
def servers_on_one_node(context: Context) -> Iterator[RuleFinding]:
    """Servers are not all on one node where their group has several: a fault of it would end all of them at once."""
    for placed in context.stack.workloads:
        workload, fit, nodes = placed.workload, placed.fit, placed.group.settings.size.desired
        if not isinstance(workload, Server) or workload.placement is not ServerPlacement.PACK:
            continue
        if nodes > 1 and 1 < fit.replicas <= fit.pods_per_node:
            yield RuleFinding(
                f"{placed.path}.placement",
                f"all {fit.replicas} servers fit one of the {nodes} nodes of {placed.group.name}, and are packed there: one fault "
                "ends all of them",
                ServerPlacement.PACK.value,
                ServerPlacement.SPREAD.value,
                f"remove placement, or set size.desired: 1 for {placed.group.name}",
            )


@rule("node-without-pods", Severity.WARNING)
def node_without_pods(context: Context) -> Iterator[RuleFinding]:
    """Every node that a group has at its desired size gets pods of its workloads: another is paid for nothing."""
    used = dict.fromkeys(placed.group.name for placed in context.stack.workloads)
    for name in used:
        headroom = headroom_of(context.stack, name)
        nodes, empty = headroom.group.settings.size.desired, headroom.nodes_without_pods
        if 0 < empty < nodes:
            yield RuleFinding(
                f"nodeGroups.{name}.size.desired",
                f"{empty} of {nodes} nodes get no pod of any workload, and are paid for nothing",
                str(nodes),
                str(nodes - empty),
                f"set size.desired: {nodes - empty}, or more replicas",
            )


def _network_of(cidr: str) -> str:
    """The network that an address with a prefix lies in; an example where it is neither."""
    try:
        return str(IPv4Network(cidr, strict=False))
    except ValueError:
        return "10.20.0.0/16"


def _is_network(cidr: str) -> bool:
    try:
        IPv4Network(cidr)
    except ValueError:
        return False
    return True
