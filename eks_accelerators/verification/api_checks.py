"""What the Kubernetes API says of the nodes and pods of a stack, beside what its settings promise.

Reasons of the node monitoring agent: aws/eks-node-monitoring-agent v1.7.0, `pkg/reasons`, read 2026-11-22.
"""

import re
from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.verification import xids
from eks_accelerators.verification.cluster import (
    ClusterState,
    Condition,
    KubernetesObject,
    allocatable_of,
    conditions_of,
    is_ready,
    labels_of,
    name_of,
    why_waiting,
)
from eks_accelerators.verification.findings import Subject, VerificationFinding
from eks_accelerators.verification.severity import FindingSeverity
from eks_accelerators.verification.waiting_pods import least_nodes, waiting_findings, why_empty

AGENT_CONDITIONS = (
    "AcceleratedHardwareReady",
    "ContainerRuntimeReady",
    "KernelReady",
    "NetworkingReady",
    "StorageReady",
)
"""Conditions that the node monitoring agent writes."""

_XID = re.compile(r"NvidiaXID(\d+)(?:Error|Warning)")
_CODES = {"NvidiaDeviceCountMismatch": "gpu-count", "NvidiaNVLinkError": "gpu-links"}
"""Reasons that say the same as another look."""

_ISOLATE = ("NvidiaDoubleBitError", "NeuronHBM", "NeuronSRAM", "NeuronNC")
"""Reasons, or their beginnings, of memory and cores that are broken."""

_APP = "app.kubernetes.io/name"


def api_findings(stack: ResolvedStack, state: ClusterState) -> Iterator[VerificationFinding]:
    """Everything that the API tells, node group by node group, and then workload by workload."""
    for group in stack.groups.values():
        nodes = state.of_group(group.name)
        yield _present(group, nodes)
        for node in nodes:
            yield from node_findings(stack, group, node, state)
    yield from waiting_findings(stack, state)


def node_findings(
    stack: ResolvedStack, group: ResolvedNodeGroup, node: KubernetesObject, state: ClusterState
) -> Iterator[VerificationFinding]:
    """What is wrong with one node, and what is not."""
    name = node["metadata"]["name"]
    subject = Subject(f"{group.name} {name}", (name,))
    words = next((f"{each.reason} {each.message}".strip() for each in conditions_of(node) if each.type == "Ready"), "")
    yield subject.judged("node-ready", "Ready", words or "no condition Ready", holds=is_ready(node))
    yield _labels(subject, group, node)
    yield _taints(subject, group, node)
    yield _allocatable(subject, group, node)
    yield from _conditions(subject, node)
    yield from _serving(subject, stack, group, state)


def _present(group: ResolvedNodeGroup, nodes: Sequence[KubernetesObject]) -> VerificationFinding:
    least, most, subject = least_nodes(group), group.settings.size.max, Subject(group.name)
    expected = f"{least} to {number_of(most, 'node')}"
    if nodes:
        return subject.judged(
            "nodes-present", expected, number_of(len(nodes), "node"), holds=least <= len(nodes) <= most
        )
    if why := why_empty(group):
        return subject.not_verified("nodes-present", expected, why)
    return subject.failed("nodes-present", expected, "no node")


def _labels(subject: Subject, group: ResolvedNodeGroup, node: KubernetesObject) -> VerificationFinding:
    have = labels_of(node)
    wrong = [
        f"{key} is {repr(have[key]) if key in have else 'missing'}, not {value!r}"
        for key, value in sorted(group.labels.items())
        if have.get(key) != value
    ]
    return subject.judged(
        "node-labels", number_of(len(group.labels), "label"), "; ".join(wrong) or "all", holds=not wrong
    )


def _taints(subject: Subject, group: ResolvedNodeGroup, node: KubernetesObject) -> VerificationFinding:
    given = (node.get("spec") or {}).get("taints") or []
    have = {f"{each['key']}={each.get('value', '')}:{each['effect']}" for each in given}
    expected = [str(taint) for taint in group.taints]
    missing = [taint for taint in expected if taint not in have]
    return subject.judged(
        "node-taints", ", ".join(expected), f"without {', '.join(missing)}" if missing else "all", holds=not missing
    )


def _allocatable(subject: Subject, group: ResolvedNodeGroup, node: KubernetesObject) -> VerificationFinding:
    have = allocatable_of(node)
    wrong = {name: have.get(name, 0) for name, count in group.resources.items() if have.get(name, 0) != count}
    if not wrong:
        return subject.passed("node-allocatable", _amounts(group.resources))
    # A device that is broken is one less; a plugin that does not run is all of them.
    severity = None if any(wrong.values()) else FindingSeverity.MONITOR
    return subject.failed("node-allocatable", _amounts(group.resources), _amounts(wrong), severity)


def _amounts(resources: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in resources.items()) or "nothing: its GPUs are claimed"


def _conditions(subject: Subject, node: KubernetesObject) -> Iterator[VerificationFinding]:
    listed = [each for each in conditions_of(node) if each.type in AGENT_CONDITIONS]
    if not listed:
        yield subject.not_verified("node-condition", "conditions of the agent", "no agent has written any")
        return
    wrong = [_condition(subject, each) for each in listed if each.status != "True"]
    yield from wrong
    if not wrong:
        yield subject.passed("node-condition", ", ".join(each.type for each in listed), "all true")


def _condition(subject: Subject, condition: Condition) -> VerificationFinding:
    found = f"{condition.type} is {condition.status}: {condition.reason} {condition.message}".rstrip()
    expected = f"{condition.type} is True"
    if xid := _XID.fullmatch(condition.reason):
        severity = xids.severity_of(int(xid[1]))
        # The agent takes it for fatal: whatever its class, the node is not as it should be.
        return subject.failed(
            "gpu-xid",
            "no fatal XID",
            f"XID {xid[1]} ({found})",
            severity if severity.failed else FindingSeverity.MONITOR,
        )
    code = _CODES.get(condition.reason, "node-condition")
    return subject.failed(
        code, expected, found, FindingSeverity.ISOLATE if condition.reason.startswith(_ISOLATE) else None
    )


def serving_apps(stack: ResolvedStack, group: ResolvedNodeGroup) -> dict[str, tuple[tuple[str, str], ...]]:
    """What has a pod on every node of a group: in words, and the labels by which its pod is known.

    Labels are those of the charts in `charts-values/charts.yaml`, and of the EKS add-on.
    """
    settings = stack.settings
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    plugin = ((_APP, "nvidia-device-plugin"), ("app", "nvidia-device-plugin-daemonset"))
    exporter = ((_APP, "dcgm-exporter"), ("app", "nvidia-dcgm-exporter"))
    if group.has_plugin_configuration and settings.plugins.nvidia_device_plugin.enabled:
        found["NVIDIA device plugin"] = plugin
    if group.served_by is GpuServer.DRA_DRIVER and settings.plugins.dra_driver.enabled:
        found["DRA driver"] = ((_APP, "dra-driver-nvidia-gpu"),)
    if group.type.has_nvidia_gpu and settings.monitoring.dcgm_exporter.enabled:
        found["DCGM exporter"] = exporter
    if group.type.neuron and settings.plugins.neuron_device_plugin.enabled:
        found["Neuron device plugin"] = ((_APP, "neuron-device-plugin"), ("name", "neuron-device-plugin-ds"))
    if group.has_efa and settings.plugins.efa_device_plugin.enabled:
        found["EFA device plugin"] = ((_APP, "aws-efa-k8s-device-plugin"),)
    found["node monitoring agent"] = ((_APP, "eks-node-monitoring-agent"),)
    return found


def _serving(
    subject: Subject, stack: ResolvedStack, group: ResolvedNodeGroup, state: ClusterState
) -> Iterator[VerificationFinding]:
    here = [pod for name in subject.nodes for pod in state.pods_by_node.get(name, ())]
    apps = serving_apps(stack, group)
    wrong = []
    for words, known_by in apps.items():
        pods = [pod for pod in here if any(labels_of(pod).get(key) == value for key, value in known_by)]
        if not pods:
            wrong.append(f"no pod of {words}")
        wrong += [f"{words} ({name_of(pod)}): {why_waiting(pod)}" for pod in pods if why_waiting(pod)]
    yield subject.judged("serving-pods", ", ".join(apps), "; ".join(wrong) or "all run", holds=not wrong)
