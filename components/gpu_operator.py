"""The NVIDIA GPU Operator: device plugin, discovery, MIG layouts and metrics from one chart."""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators.mig import manager as mig_manager
from eks_accelerators.components.arguments import GpuOperatorArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.dcgm_exporter import attribution, counters
from eks_accelerators.components.nvidia_device_plugin import plugin_configurations
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import GpuOperatorInputs

COUNTERS_FILE = "dcgm-metrics.csv"
"""The key of the exporter's ConfigMap, which the operator does not let one choose."""


class GpuOperator(Component[GpuOperatorInputs]):
    """Namespace, three ConfigMaps and Helm release.

    Nodes choose by label: `nvidia.com/device-plugin.config` and `nvidia.com/mig.config` name a configuration, and
    `nvidia.com/gpu.deploy.operands: "false"` keeps the operator off. Keys of the plugin's configurations name what they
    stand for, so a change restarts the plugin where the label changes. mig-manager and exporter see no changed
    ConfigMap: the names of theirs are generated, a change makes a new one, and their pods restart.

    Providers: Kubernetes.

    Alone: On any cluster whose nodes have driver and container toolkit, as EKS images have. In place of
    `NvidiaDevicePlugin` and `DcgmExporter`, never beside them on a node; see `docs/gpu-operator.md`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""
    configurations: pulumi.Output[list[str]]
    """Keys of the plugin's configurations: values for a node's label `nvidia.com/device-plugin.config`."""
    mig_configurations: pulumi.Output[list[str]]
    """Names of the MIG configurations: values for a node's label `nvidia.com/mig.config`."""

    def __init__(self, name: str, args: GpuOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(GpuOperatorInputs, args), opts)

    def _create(self, name: str, inputs: GpuOperatorInputs, opts: pulumi.ResourceOptions | None) -> None:
        configurations = plugin_configurations(inputs.sharings)
        mig_file = mig_manager.configurations(sharing.mig.as_written for sharing in inputs.sharings if sharing.mig)
        self._register(name, opts)
        space = namespace(
            self,
            inputs.namespace,
            pod_security="privileged",
            reason="its pods mount the kubelet's sockets, divide GPUs and restart the host's services",
        )
        space_name = name_of(space)

        def config_map(part: str, data: dict[str, str], **metadata: str) -> k8s.core.v1.ConfigMap:
            where: Any = {"namespace": space_name, **metadata}
            return k8s.core.v1.ConfigMap(
                f"{name}-{part}", metadata=where, data=data, opts=self.child(depends_on=[space])
            )

        plugin = config_map("configs", configurations, name=f"{name}-configs")
        layouts = config_map("mig-layouts", {mig_manager.CONFIG_FILE: json.dumps(mig_file, indent=2, sort_keys=True)})
        measured = config_map("counters", {COUNTERS_FILE: counters()})
        values = operator_values(inputs)
        # The name itself, and not that of the object: Pulumi makes a ConfigMap anew where its data change.
        values["devicePlugin"]["config"] = {"name": f"{name}-configs"}
        values["migManager"] = {"config": {"name": name_of(layouts)}}
        values["dcgmExporter"]["config"] = {"name": name_of(measured)}
        operator = release(
            self,
            name,
            "gpu-operator",
            namespace=space_name,
            values=values,
            depends_on=[plugin, layouts, measured],
        )
        self.release_name = operator.name.apply(str)
        self.configurations = pulumi.Output.from_input(list(configurations))
        self.mig_configurations = pulumi.Output.from_input(list(mig_file["mig-configs"]))
        self.register_outputs(
            {
                "release_name": self.release_name,
                "configurations": self.configurations,
                "mig_configurations": self.mig_configurations,
            }
        )


def operator_values(inputs: GpuOperatorInputs) -> dict[str, Any]:
    """What the inputs add to `charts-values/gpu-operator.yaml`, without the names of ConfigMaps."""
    seen = inputs.tolerations if inputs.discovery_tolerations is None else inputs.discovery_tolerations
    exporter: dict[str, Any] = {
        "enabled": inputs.metrics,
        "serviceMonitor": {
            "enabled": inputs.service_monitor,
            "additionalLabels": inputs.service_monitor_labels,
        },
    }
    if inputs.shared_gpus:
        # As with the exporter's own chart: all three or none.
        exporter["hostPID"] = exporter["enablePodUID"] = True
        exporter["env"] = attribution(renamed_shares=inputs.renamed_shares)
    mofed = "true" if inputs.mofed_enabled else "false"
    return {
        "daemonsets": {"tolerations": list(inputs.tolerations)},
        "node-feature-discovery": {"worker": {"tolerations": list(seen)}},
        "devicePlugin": {
            "enabled": inputs.device_plugin,
            "env": [{"name": "MOFED_ENABLED", "value": mofed}],  # a value of its own the chart has not
        },
        "dcgmExporter": exporter,
    }
