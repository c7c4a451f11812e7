"""Who reaches a model server, and how: pure data, no resources.

Sources: Amazon EKS User Guide, `network-load-balancing` (annotations that EKS itself understands, without another controller)
and `cni-network-policy`; Kubernetes 1.35 API reference, NetworkPolicy and Service; Gateway API 1.4, HTTPRoute; read
2026-11-22.
"""

from collections.abc import Sequence
from typing import Any

from eks_accelerators.components.server_pod import ServerPort
from eks_accelerators.settings.model.server import CallersSettings, ExposureKind, ExposureSettings

_INTERNAL = {
    "service.beta.kubernetes.io/aws-load-balancer-type": "nlb",
    "service.beta.kubernetes.io/aws-load-balancer-internal": "true",
}
_NAMESPACE_NAME = "kubernetes.io/metadata.name"


def service_access(kind: ExposureKind) -> tuple[dict[str, str], dict[str, Any]]:
    """Annotations of the Service, and what its spec says of how it is reached."""
    if kind is not ExposureKind.INTERNAL_LOAD_BALANCER:
        return {}, {"type": "ClusterIP"}
    # Local keeps the address of the client, by which a network policy tells who calls.
    return _INTERNAL, {"type": "LoadBalancer", "external_traffic_policy": "Local"}


def network_policy_spec(
    callers: CallersSettings,
    labels: dict[str, str],
    ports: Sequence[ServerPort],
    scrapers: Sequence[str],
    *,
    each_other: bool = False,
) -> dict[str, Any]:
    """Clients reach the ports of the Service, Prometheus in the namespaces ``scrapers`` every port, and pods that are one server
    ``each_other``. What the servers themselves ask, models above all, is not limited.
    """
    clients = [_of_namespace(name) for name in callers.namespaces]
    clients += [{"ipBlock": {"cidr": cidr}} for cidr in callers.cidrs]
    served = [_port(port) for port in ports if port.of_service]
    ingress: list[dict[str, Any]] = [{"from": clients, "ports": served}] if clients else []
    if scrapers:
        ingress.append({"from": [_of_namespace(name) for name in scrapers], "ports": [_port(port) for port in ports]})
    if each_other:
        ingress.append({"from": [{"podSelector": {"matchLabels": labels}}]})
    return {"podSelector": {"matchLabels": labels}, "policyTypes": ["Ingress"], "ingress": ingress}


def http_route_spec(exposure: ExposureSettings, service: str, port: int) -> dict[str, Any]:
    """All that the Gateway gets for the host names goes to the Service."""
    assert exposure.gateway is not None
    parent = {"name": exposure.gateway.name}
    if exposure.gateway.namespace:
        parent["namespace"] = exposure.gateway.namespace
    return {
        "parentRefs": [parent],
        **({"hostnames": list(exposure.host_names)} if exposure.host_names else {}),
        # A generation of many tokens takes longer than the proxies' own limits.
        "rules": [{"backendRefs": [{"name": service, "port": port}], "timeouts": {"request": "0s"}}],
    }


def _of_namespace(name: str) -> dict[str, Any]:
    return {"namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: name}}}


def _port(port: ServerPort) -> dict[str, Any]:
    return {"port": port.number, "protocol": "TCP"}
