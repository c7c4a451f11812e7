"""The NVIDIA device plugin, with one configuration for each kind of sharing."""

import json
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators import device_plugin, scheduling
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Sharing
from eks_accelerators.components.arguments import SharingArgs, TolerationArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import as_model
from eks_accelerators.settings.model.node_groups import SharingSettings, SharingStrategy
from eks_accelerators.settings.resolved import sharing_from


class NvidiaDevicePluginArgs(TypedDict):
    """What the plugin serves. All node groups share one release."""

    sharings: NotRequired[list[SharingArgs]]
    """Every kind of sharing among the node groups; `exclusive` is always there."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the plugin and the discovery pods; by default that of the package's own taint."""
    mofed_enabled: NotRequired[bool]
    """Hand out Mellanox devices; false by default, as it would take the EFA devices."""
    node_selector: NotRequired[dict[str, str]]
    """Labels of the nodes that it serves; by default all that choose a configuration."""
    namespace: NotRequired[str]
    """Namespace, created; `nvidia-device-plugin` by default."""


class NvidiaDevicePlugin(Component[NvidiaDevicePluginArgs]):
    """Namespace, ConfigMap and Helm release. Needs a Kubernetes provider in its options.

    A node chooses its configuration by the label `nvidia.com/device-plugin.config`. Keys name what they stand for, so
    another sharing is another key, and the plugin restarts on nodes whose label changes and nowhere else.
    """

    config_map_name: pulumi.Output[str]
    """Name of the ConfigMap."""
    release_name: pulumi.Output[str]
    """Name of the Helm release."""
    configurations: pulumi.Output[list[str]]
    """Keys of the configurations: values for a node's label `nvidia.com/device-plugin.config`."""

    def __init__(self, name: str, args: NvidiaDevicePluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        configurations = plugin_configurations(sharings_of(args))
        self._register(name, opts)
        space = namespace(
            self,
            args.get("namespace", "nvidia-device-plugin"),
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
        tolerations = args.get("tolerations", [scheduling.NVIDIA.taint.toleration])
        selector = args.get("node_selector", {})
        plugin = release(
            self,
            name,
            "nvidia-device-plugin",
            namespace=space_name,
            values={
                # The name itself, and not that of the object: Pulumi makes a ConfigMap anew where its data change.
                "config": {"name": config_name},
                "mofedEnabled": args.get("mofed_enabled", False),
                "tolerations": tolerations,
                "nodeSelector": selector,
                "nfd": {"worker": {"tolerations": tolerations, "nodeSelector": selector}},
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


def plugin_configurations(sharings: list[Sharing]) -> dict[str, str]:
    """The ConfigMap's data: a configuration for each kind of sharing. JSON is YAML, and sorted it is stable.

    The plugin looks at its node's label and not at what is under the key: a key never gets another content.
    """
    kinds = {device_plugin.config_key(sharing): sharing for sharing in [EXCLUSIVE, *sharings]}
    return {
        key: json.dumps(device_plugin.configuration(sharing), indent=2, sort_keys=True)
        for key, sharing in sorted(kinds.items())
    }


def sharings_of(args: Mapping[str, Any]) -> list[Sharing]:
    """Every kind of sharing in `sharings`; raises `SettingsError` or ValueError for one that the plugin would refuse."""
    return [_sharing(sharing) for sharing in args.get("sharings", [])]


def _sharing(args: SharingArgs) -> Sharing:
    wanted = as_model(SharingSettings, args)
    shared = sharing_from(wanted)
    problems = [problem.message for problem in device_plugin.judge_values(device_plugin.configuration(shared)).errors]
    needed = "a layout" if wanted.strategy is SharingStrategy.MIG else "replicas of at least 2"
    if problems or (wanted.strategy is not SharingStrategy.EXCLUSIVE and shared == EXCLUSIVE):
        raise ValueError(f"sharing: {'; '.join(problems) or f'{wanted.strategy.value} needs {needed}'}")
    return shared
