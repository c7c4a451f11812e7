"""The add-on `amazon-cloudwatch-observability`: agent and log collector on every node, and exporters of accelerators.

Source: aws-observability/helm-charts at 71a298f (chart 6.4.0), `charts/amazon-cloudwatch-observability` (values.yaml,
`templates/`), read 2026-11-22. The chart hands `DcgmExporter` and `NeuronMonitor` to its operator; here are the DaemonSets that it
makes of them. Left out: the webhooks and certificates, kube-state-metrics, and what is for Windows.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators import instance_types
from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.addons.common import EVERY_TAINT
from eks_accelerators.simulator.kubernetes.addons.configuration import AddonConfigurationError
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "amazon-cloudwatch-observability"
NAMESPACE = "amazon-cloudwatch"

_ACCOUNT = "cloudwatch-agent"
_PARTS = {"dcgmExporter": "dcgm-exporter", "neuronMonitor": "neuron-monitor"}
"""Sections of the configuration, and the DaemonSet that each is about."""


def manifests() -> list[Manifest]:
    """Namespace, account, operator, agent, log collector, and the exporters, which are on unless told otherwise."""
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": objects.metadata(NAMESPACE)},
        objects.service_account(objects.metadata(_ACCOUNT, NAMESPACE)),
        _operator(),
        _on_every_node("cloudwatch-agent", "public.ecr.aws/cloudwatch-agent/cloudwatch-agent:1.300071.0b1843"),
        _on_every_node("fluent-bit", "public.ecr.aws/aws-observability/aws-for-fluent-bit:3.4.8"),
        _on_every_node("dcgm-exporter", "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless", nvidia=True),
        _on_every_node("neuron-monitor", "public.ecr.aws/neuron/neuron-monitor:1.11.0", nvidia=False),
    ]


def configured(made: list[Manifest], configuration: Mapping[str, Any]) -> list[Manifest]:
    """``made`` without the exporters that are switched off. Raises `AddonConfigurationError` for any other key."""
    off = set()
    for part, settings in configuration.items():
        if part not in _PARTS or set(settings) - {"enabled"}:
            raise AddonConfigurationError(ADDON, f"{part} is not in the schema, or not simulated")
        if not settings.get("enabled", True):
            off.add(_PARTS[part])
    return [one for one in made if one["kind"] != "DaemonSet" or one["metadata"]["name"] not in off]


def _operator() -> Manifest:
    labels = {"app.kubernetes.io/name": ADDON, "control-plane": "controller-manager"}
    image = "public.ecr.aws/cloudwatch-agent/cloudwatch-agent-operator:3.6.0"
    pod = {"containers": [{"name": "manager", "image": image}], "tolerations": EVERY_TAINT}
    meta = objects.metadata(f"{ADDON}-controller-manager", NAMESPACE, labels)
    return objects.deployment(meta, replicas=1, selector=labels, template=objects.pod_template(labels, pod))


def _on_every_node(name: str, image: str, *, nvidia: bool | None = None) -> Manifest:
    """A DaemonSet on every node, or on those whose types the chart lists: ours, as its own list grows with each version."""
    labels = {"k8s-app": name, "version": "v1"}
    types = [kind.name for kind in instance_types.every() if kind.has_nvidia_gpu is nvidia]
    pod = objects.filled(
        serviceAccountName=_ACCOUNT if nvidia is None else None,
        affinity=objects.required_node_affinity([objects.expression("node.kubernetes.io/instance-type", "In", *types)])
        if nvidia is not None
        else None,
        tolerations=EVERY_TAINT,
        containers=[{"name": name, "image": image}],
    )
    meta = objects.metadata(name, NAMESPACE, labels)
    return objects.daemon_set(meta, selector=labels, template=objects.pod_template(labels, pod))
