"""Why a pod cannot be on a node: node selector, required node affinity and taints, as the scheduler judges them.

Source: Kubernetes documentation, "Assigning Pods to Nodes", "Taints and Tolerations" and "DaemonSet", read 2026-11-20.
Headroom for its requests is not looked at.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.accelerators.scheduling import Taint, tolerates

_OF_EVERY_DAEMON = (
    *(("not-ready", "NoExecute"), ("unreachable", "NoExecute"), ("unschedulable", "NoSchedule")),
    *(("disk-pressure", "NoSchedule"), ("memory-pressure", "NoSchedule"), ("pid-pressure", "NoSchedule")),
)
_ON_HOST_NETWORK = ("network-unavailable", "NoSchedule")


def obstacles(pod: Mapping[str, Any], node: Mapping[str, Any], *, daemon: bool = False) -> list[str]:
    """What keeps ``pod`` (a pod's `spec`) off ``node``; empty where nothing does.

    ``daemon`` adds the tolerations that the DaemonSet controller gives to its pods.
    """
    labels = node["metadata"].get("labels") or {}
    return [
        *_selector_obstacles(pod.get("nodeSelector") or {}, labels),
        *_affinity_obstacles(pod, labels, node["metadata"]["name"]),
        *_taint_obstacles(pod, node, daemon=daemon),
    ]


def _selector_obstacles(selector: Mapping[str, str], labels: Mapping[str, str]) -> Iterator[str]:
    for key, value in selector.items():
        if labels.get(key) != value:
            yield f"its node selector wants {key}={value}, and the node {_shown(key, labels)}"


def _affinity_obstacles(pod: Mapping[str, Any], labels: Mapping[str, str], name: str) -> Iterator[str]:
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return
    failures = []
    for term in required["nodeSelectorTerms"]:
        failure = _failure(term, labels, name)
        if failure is None:
            return
        failures.append(failure)
    yield f"its node affinity wants {', or '.join(failures)}"


def _failure(term: Mapping[str, Any], labels: Mapping[str, str], name: str) -> str | None:
    """The first expression of ``term`` that does not hold, with what the node has; None where all hold."""
    expressions = [(expression, labels) for expression in term.get("matchExpressions") or []]
    expressions += [(expression, {"metadata.name": name}) for expression in term.get("matchFields") or []]
    if not expressions:
        return "what no node has (an empty term)"
    for expression, among in expressions:
        if not _holds(expression, among):
            values = f" {', '.join(expression['values'])}" if expression.get("values") else ""
            key = expression["key"]
            return f"{key} {expression['operator']}{_shortened(values)} (the node {_shown(key, among)})"
    return None


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = expression["key"], expression.get("values") or []
    match expression["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case "Gt" | "Lt" as operator:
            return _compares(operator, labels.get(key), values)
        case unknown:
            raise ValueError(f"{unknown!r} is no operator of node affinity")


def _compares(operator: str, value: str | None, bounds: list[str]) -> bool:
    try:
        number, bound = int(value or ""), int(bounds[0])
    except ValueError:
        return False
    return number > bound if operator == "Gt" else number < bound


def _taint_obstacles(pod: Mapping[str, Any], node: Mapping[str, Any], *, daemon: bool) -> Iterator[str]:
    tolerations = [*(pod.get("tolerations") or []), *(_daemon_tolerations(pod) if daemon else [])]
    for entry in (node.get("spec") or {}).get("taints") or []:
        taint = Taint(entry["key"], entry.get("value", ""), entry["effect"])
        if taint.effect != "PreferNoSchedule" and not any(tolerates(given, taint) for given in tolerations):
            yield f"it does not tolerate the taint {taint}"


def _daemon_tolerations(pod: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    given = [*_OF_EVERY_DAEMON, *([_ON_HOST_NETWORK] if pod.get("hostNetwork") else [])]
    for name, effect in given:
        yield {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": effect}


def _shown(key: str, labels: Mapping[str, str]) -> str:
    return f"has {key}={labels[key]}" if key in labels else f"has no {key}"


def _shortened(values: str) -> str:
    """Charts list dozens of instance types; their beginning says which list it is."""
    return values if len(values) <= 80 else f"{values[:60].rpartition(',')[0]}, ..."
