"""AWS's neuron-monitor on the nodes with Neuron devices: no chart brings it by itself.

Source: aws-observability/helm-charts 71a298f (amazon-cloudwatch-observability 6.4.0), `neuron-monitor-daemonset.yaml` and
values.yaml: image, command, configuration and rights, with this package's toleration and label; read 2026-11-22. That it
answers without certificates in plain HTTP is believed: AWS's own manifest for Prometheus has it so, and nobody here ran it.
"""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators import scheduling
from eks_accelerators.components.arguments import NeuronMonitorArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import catalogue, name_of, namespace
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.neuron_monitor import NEURON_MONITOR
from eks_accelerators.settings.release_inputs import NeuronMonitorInputs

PORT = 8000
_FOLDER, _FILE = "/etc/neuron-monitor-config", "monitor.json"
_LABELS = {"app.kubernetes.io/name": NEURON_MONITOR}

CONFIGURATION: dict[str, Any] = {
    "period": "5s",
    "neuron_runtimes": [
        {
            "tag_filter": ".*",
            "metrics": [{"type": "neuroncore_counters"}, {"type": "memory_used"}, {"type": "execution_stats"}],
        }
    ],
    # Memory errors; the monitor's own default has left them out before.
    "system_metrics": [{"period": "5s", "type": "neuron_hw_counters"}],
}
"""The configuration file of `neuron-monitor`: which groups of metrics it reads, and how often."""


class NeuronMonitor(Component[NeuronMonitorInputs]):
    """Namespace, ConfigMap and DaemonSet.

    Providers: Kubernetes.

    Alone: Serves nodes with the label `aws.amazon.com/neuron.present=true`. Prometheus finds its pods by
    `app.kubernetes.io/name=neuron-monitor`, port 8000.
    """

    namespace_name: pulumi.Output[str]
    """Namespace of its pods."""

    def __init__(self, name: str, args: NeuronMonitorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(NeuronMonitorInputs, args), opts)

    def _create(self, name: str, inputs: NeuronMonitorInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(
            self, inputs.namespace, pod_security="privileged", reason="its pods open the Neuron devices of the node"
        )
        self.namespace_name = name_of(space)
        # A generated name: changed data make a new ConfigMap, and new pods with it.
        configuration = k8s.core.v1.ConfigMap(
            f"{name}-config",
            metadata={"namespace": self.namespace_name},
            data={_FILE: json.dumps(CONFIGURATION, indent=2)},
            opts=self.child(depends_on=[space]),
        )
        spec: Any = {  # mypy compares a nested dictionary with every union of the SDK, for minutes
            "selector": {"match_labels": _LABELS},
            "template": {"metadata": {"labels": _LABELS}, "spec": _pod(inputs, name_of(configuration))},
        }
        k8s.apps.v1.DaemonSet(
            name,
            metadata={
                "name": NEURON_MONITOR,
                "namespace": self.namespace_name,
                "annotations": {"pulumi.com/skipAwait": "true"},  # its nodes may not be there yet
            },
            spec=spec,
            opts=self.child(depends_on=[space]),
        )
        self.register_outputs({"namespace_name": self.namespace_name})


def _pod(inputs: NeuronMonitorInputs, configuration: pulumi.Output[str]) -> dict[str, Any]:
    return {
        "automountServiceAccountToken": False,
        "nodeSelector": scheduling.NEURON.node_selector,
        "tolerations": list(inputs.tolerations),
        "containers": [_container()],
        "volumes": [{"name": "config", "configMap": {"name": configuration}}],
    }


def _container() -> dict[str, Any]:
    own_node = {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
    path = {"name": "PATH", "value": "/usr/local/bin:/usr/bin:/bin:/opt/aws/neuron/bin"}
    return {
        "name": NEURON_MONITOR,
        "image": catalogue()["neuron-monitor"]["image"],
        "command": ["/opt/bin/entrypoint.sh", "--port", str(PORT), "--neuron-monitor-config", f"{_FOLDER}/{_FILE}"],
        "env": [own_node, path, {"name": "GOMEMLIMIT", "value": "320MiB"}],
        "ports": [{"name": "metrics", "containerPort": PORT}],
        "resources": {
            "requests": {"cpu": "256m", "memory": "128Mi"},
            "limits": {"cpu": "500m", "memory": "500Mi"},
        },
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "config", "mountPath": _FOLDER, "readOnly": True}],
    }
