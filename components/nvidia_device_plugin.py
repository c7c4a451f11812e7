"""The NVIDIA device plugin, with one configuration for each kind of sharing."""

import json
from collections.abc import Iterable

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators import device_plugin
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Sharing
from eks_accelerators.components.arguments import NvidiaDevicePluginArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import NvidiaDevicePluginInputs


class NvidiaDevicePlugin(Component[NvidiaDevicePluginInputs]):
    """Namespace, ConfigMap and Helm release.

    A node chooses its configuration by the label `nvidia.com/device-plugin.config`. Keys name what they stand for, so
    another sharing is another key, and the plugin restarts on nodes whose label changes and nowhere else.

    Providers: Kubernetes.

    Alone: On any cluster, see `examples/device-plugin-alone`. Serves nodes with the labels
    `nvidia.com/gpu.present=true` and `nvidia.com/device-plugin.config=<key>`; without the second a node is left alone.
    """

    config_map_name: pulumi.Output[str]
    """Name of the ConfigMap."""
    release_name: pulumi.Output[str]
    """Name of the Helm release."""
    configurations: pulumi.Output[list[str]]
    """Keys of the configurations: values for a node's label `nvidia.com/device-plugin.config`."""

    def __init__(self, name: str, args: NvidiaDevicePluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(NvidiaDevicePluginInputs, args), opts)

    def _create(self, name: str, inputs: NvidiaDevicePluginInputs, opts: pulumi.ResourceOptions | None) -> None:
        configurations = plugin_configurations(inputs.sharings)
        self._register(name, opts)
        space = namespace(
            self,
            inputs.namespace,
            pod_security="privileged",
            reason="the plugin mounts the kubelet's device plugin socket and has SYS_ADMIN to read GPU state",
        )
        space_name = name_of(space)
        # Not a generated name: a new one would restart the plugin everywhere, and MPS servers of all groups with it.
        config_name = f"{name}-configs"
        config = k8s.core.v1.ConfigMap(
            config_name,
            metadata={"name": config_name, "namespace": space_name},
            data=configurations,
            opts=self.child(depends_on=[space]),
        )
        self.config_map_name = name_of(config)
        tolerations = list(inputs.tolerations)
        plugin = release(
            self,
            name,
            "nvidia-device-plugin",
            namespace=space_name,
            values={
                # The name itself, and not that of the object: Pulumi makes a ConfigMap anew where its data change.
                "config": {"name": config_name},
                "mofedEnabled": inputs.mofed_enabled,
                "tolerations": tolerations,
                "nodeSelector": inputs.node_selector,
                "nfd": {"worker": {"tolerations": tolerations, "nodeSelector": inputs.node_selector}},
            },
            depends_on=[config],
        )
        self.release_name = plugin.name.apply(str)
        self.configurations = pulumi.Output.from_input(list(configurations))
        self.register_outputs(
            {
                "config_map_name": self.config_map_name,
                "release_name": self.release_name,
                "configurations": self.configurations,
            }
        )


def plugin_configurations(sharings: Iterable[Sharing]) -> dict[str, str]:
    """The ConfigMap's data: a configuration for each kind of sharing. JSON is YAML, and sorted it is stable.

    The plugin looks at its node's label and not at what is under the key: a key never gets another content.
    """
    kinds = {device_plugin.config_key(sharing): sharing for sharing in [EXCLUSIVE, *sharings]}
    return {
        key: json.dumps(device_plugin.configuration(sharing), indent=2, sort_keys=True)
        for key, sharing in sorted(kinds.items())
    }
