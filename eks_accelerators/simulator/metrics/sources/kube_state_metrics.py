"""kube-state-metrics: what the API server holds of nodes, pods, Deployments and quotas, in its names.

Source: kubernetes/kube-state-metrics c92fe0c (v2.20.0), `internal/store/node.go`, `pod.go`, `deployment.go`,
`resourcequota.go`, `utils.go`; `pkg/options/options.go` and `resource.go` for `--resources`; read 2026-11-23. Of what it shows only what the
catalogue of metrics names; of resources, those that a node has.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from eks_accelerators.monitoring.metrics import Exporter, node_label, resource_label
from eks_accelerators.monitoring.node_labels import NODE_LABELS
from eks_accelerators.simulator.metrics.cluster import Object
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.sources.label_allowlist import FLAG, allowed_keys, shown_labels
from eks_accelerators.simulator.metrics.world import ScrapedWorld
from eks_accelerators.verification.cluster import labels_of, phase_of

APP = "kube-state-metrics"
_PORT = 8080
ALL = frozenset({"deployments", "nodes", "pods", "resourcequotas"})
"""The kinds of which anything is shown here, as the flag names them."""

_PHASES = ("Pending", "Succeeded", "Failed", "Unknown", "Running")
_STATUSES = ("True", "False", "Unknown")
_REASONS = (
    "Evicted",
    "NodeAffinity",
    "NodeLost",
    "PreemptionByScheduler",
    "SchedulingGated",
    "Shutdown",
    "TerminationByKubelet",
    "UnexpectedAdmissionError",
)
"""Those that it knows; `Other`, of what it does not know, is left out."""

_RESOURCES = "--resources="
"""The flag by which it is told what it shows: the chart's `collectors`. By default all kinds that are shown here."""

_BYTES = ("memory", "storage", "ephemeral-storage")

_QUANTITY = re.compile(r"(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?P<suffix>[numkMGTPE]|[KMGTPE]i)?")
_SUFFIXES = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    **{suffix: Decimal(10) ** (3 * power) for power, suffix in enumerate(("", "k", "M", "G", "T", "P", "E"))},
    **{f"{suffix}i": Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", 1)},
}


def scrape(world: ScrapedWorld) -> Iterator[tuple[Target, Sequence[Sample]]]:
    """One page, where one of its pods runs, or where it is always there."""
    pod = next(iter(world.cluster.running(APP)), None)
    if pod is not None:
        shown = tuple(samples(world, collectors(pod), node_labels(pod)))
        yield world.target(Exporter.KUBE_STATE_METRICS, pod, _PORT), shown
    elif Exporter.KUBE_STATE_METRICS in world.always:
        answers = not world.faults.silences(Exporter.KUBE_STATE_METRICS, None)
        labels = {"job": APP, "instance": f"{APP}:{_PORT}"}
        yield Target(Exporter.KUBE_STATE_METRICS, APP, labels, answers), tuple(samples(world))


def collectors(pod: Object) -> frozenset[str]:
    """Of which kinds it shows something, as its pod tells it."""
    told = _told(pod, _RESOURCES)
    return ALL if told is None else frozenset(told.split(","))


def node_labels(pod: Object) -> tuple[str, ...]:
    """Which labels of nodes it shows, as its pod tells it: keys and patterns of keys."""
    return allowed_keys(_told(pod, FLAG) or "", "nodes")


def _told(pod: Object, flag: str) -> str | None:
    """What follows a ``flag`` of its containers, the last one where there are several; None where there is none."""
    words = [str(word) for each in pod["spec"]["containers"] for word in each.get("args") or ()]
    return next((word.removeprefix(flag) for word in reversed(words) if word.startswith(flag)), None)


def samples(
    world: ScrapedWorld, shown: Collection[str] = ALL, allowed: Sequence[str] = NODE_LABELS
) -> Iterator[Sample]:
    """Everything that it shows of the kinds ``shown``, metric after metric of each object; of labels of nodes those ``allowed``."""
    now = world.cluster
    yield from (sample for node in now.nodes if "nodes" in shown for sample in _of_node(node, allowed))
    yield from (sample for pod in now.pods if "pods" in shown for sample in _of_pod(pod, world))
    yield from (sample for quota in now.quotas if "resourcequotas" in shown for sample in _of_quota(quota))
    yield from (_of_deployment(each) for each in now.deployments if "deployments" in shown)


def quantity(text: str) -> float:
    """A quantity of Kubernetes, such as `500m`, `2Gi` or `1e3`, as a number. Raises ValueError."""
    found = _QUANTITY.fullmatch(str(text))
    if found is None:
        raise ValueError(f"{text!r} is no quantity")
    return float(Decimal(found["number"]) * _SUFFIXES[found["suffix"] or ""])


def _of_node(node: Object, allowed: Sequence[str]) -> Iterator[Sample]:
    own = {"node": node["metadata"]["name"]}
    if allowed:
        labels = {node_label(key): value for key, value in shown_labels(labels_of(node), allowed).items()}
        yield Sample("kube_node_labels", {**own, **labels}, 1)
    yield Sample("kube_node_spec_unschedulable", own, bool(node["spec"].get("unschedulable")))
    status = node.get("status") or {}
    for part in ("capacity", "allocatable"):
        for resource, amount in (status.get(part) or {}).items():
            if (unit := _unit(resource)) is not None:
                labels = {**own, "resource": resource_label(resource), "unit": unit}
                yield Sample(f"kube_node_status_{part}", labels, quantity(amount))
    for condition in status.get("conditions") or []:
        for word in _STATUSES:
            labels = {**own, "condition": condition["type"], "status": word.lower()}
            yield Sample("kube_node_status_condition", labels, condition["status"] == word)


def _unit(resource: str) -> str | None:
    """In what it is counted; None of what kube-state-metrics leaves out."""
    if resource == "cpu":
        return "core"
    if resource in _BYTES or resource.startswith(("hugepages-", "attachable-volumes-")):
        return "byte"
    if resource == "pods" or ("/" in resource and not resource.startswith("requests.")):
        return "integer"
    return None


def _of_pod(pod: Object, world: ScrapedWorld) -> Iterator[Sample]:
    metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
    own = {"namespace": metadata["namespace"], "pod": metadata["name"], "uid": metadata.get("uid", "")}
    for word in _PHASES:
        yield Sample("kube_pod_status_phase", {**own, "phase": word}, phase_of(pod) == word)
    if "startTime" in status:
        yield Sample("kube_pod_start_time", own, _shown(status["startTime"], world))
    for container in spec["containers"]:
        requests = (container.get("resources") or {}).get("requests") or {}
        for resource, amount in requests.items():
            if (unit := _unit(resource)) is not None and resource != "pods":
                labels = {**own, "container": container["name"], "node": spec.get("nodeName", "")}
                labels |= {"resource": resource_label(resource), "unit": unit}
                yield Sample("kube_pod_container_resource_requests", labels, quantity(amount))
    for container in status.get("containerStatuses") or []:
        labels = {**own, "container": container["name"]}
        yield Sample("kube_pod_container_status_restarts_total", labels, container.get("restartCount", 0))
    yield from _conditions(own, status)
    for reason in _REASONS:
        if reason in _reasons(status):
            yield Sample("kube_pod_status_reason", {**own, "reason": reason}, 1)
    yield from _claims(own, spec, status)


def _conditions(own: Mapping[str, str], status: Object) -> Iterator[Sample]:
    for condition in status.get("conditions") or []:
        if condition["type"] == "Ready":
            for word in _STATUSES:
                yield Sample("kube_pod_status_ready", {**own, "condition": word.lower()}, condition["status"] == word)
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            yield Sample("kube_pod_status_unschedulable", own, 1)


def _reasons(status: Object) -> set[str]:
    """Reasons of the pod, of its conditions and of containers that have ended."""
    ended = [(each.get("state") or {}).get("terminated") or {} for each in status.get("containerStatuses") or []]
    return {str(each.get("reason", "")) for each in (status, *(status.get("conditions") or []), *ended)}


def _claims(own: Mapping[str, str], spec: Object, status: Object) -> Iterator[Sample]:
    made = {each["name"]: each.get("resourceClaimName", "") for each in status.get("resourceClaimStatuses") or []}
    for claim in spec.get("resourceClaims") or []:
        template = claim.get("resourceClaimTemplateName", "")
        name = claim.get("resourceClaimName") or made.get(claim["name"], "")
        labels = {"claim_name": claim["name"], "resourceclaim_name": name, "resourceclaim_template_name": template}
        yield Sample("kube_pod_resourceclaim_info", {**own, **labels}, 1)


def _of_deployment(deployment: Object) -> Sample:
    metadata, status = deployment["metadata"], deployment.get("status") or {}
    own = {"namespace": metadata["namespace"], "deployment": metadata["name"]}
    return Sample("kube_deployment_status_replicas_ready", own, status.get("readyReplicas", 0))


def _of_quota(quota: Object) -> Iterator[Sample]:
    metadata = quota["metadata"]
    own = {"namespace": metadata["namespace"], "resourcequota": metadata["name"]}
    for part in ("hard", "used"):
        for resource, amount in ((quota.get("status") or {}).get(part) or {}).items():
            yield Sample("kube_resourcequota", {**own, "resource": resource, "type": part}, quantity(amount))


def _shown(moment: str, world: ScrapedWorld) -> float:
    """A moment of the API server, which goes by the wall clock, on the clock by which rules count ages."""
    return world.clock.simulated(datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp())
