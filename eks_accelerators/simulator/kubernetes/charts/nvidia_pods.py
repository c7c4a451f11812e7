"""What the plugin, GPU Feature Discovery and the MPS control daemon have in common in NVIDIA's chart.

Source: NVIDIA/k8s-device-plugin v0.20.0, `deployments/helm/nvidia-device-plugin/templates/_helpers.tpl` and the
three `daemonset-*.yml`, read 2026-11-20.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from eks_accelerators.accelerators.scheduling import DEVICE_PLUGIN_CONFIG_LABEL
from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease
from eks_accelerators.simulator.kubernetes.objects import Manifest
from eks_accelerators.simulator.kubernetes.roles import role_label

AVAILABLE_CONFIGURATIONS = "available-configs"
"""The volume with the ConfigMap of all configurations."""

CHOSEN_CONFIGURATION = "config"
"""The volume with the one that the node's label chose."""

DEFAULT_CONFIGURATION_ENV = "DEFAULT_CONFIG"
FALLBACK_STRATEGIES_ENV = "FALLBACK_STRATEGIES"


@dataclass(frozen=True)
class NvidiaPods:
    """The parts that one release's three DaemonSets share."""

    release: ChartRelease

    @property
    def name(self) -> str:
        """The value of `app.kubernetes.io/name`."""
        return self.release.value("nameOverride") or self.release.chart

    @property
    def full_name(self) -> str:
        """The name of the plugin's DaemonSet, with which all other names begin."""
        return self.release.full_name(self.name, self.release.value("fullnameOverride"))

    @property
    def namespace(self) -> str:
        """Where the objects are."""
        return self.release.value("namespaceOverride") or self.release.namespace

    @property
    def account(self) -> str:
        """The ServiceAccount of all three."""
        return f"{self.full_name}-service-account"

    @property
    def labels(self) -> dict[str, str]:
        """Labels of the objects."""
        return {**self.release.labels(self.name), **(self.release.value("selectorLabelsOverride") or {})}

    @property
    def config_map(self) -> str | None:
        """The ConfigMap with the configurations: one that is there already, the chart's own, or None."""
        if self.release.value("config.name"):
            return str(self.release.value("config.name"))
        return f"{self.full_name}-configs" if self.release.value("config.map") else None

    def metadata(self, name: str) -> Manifest:
        """`metadata` of one of the objects."""
        return self.release.metadata(name, self.labels, self.namespace)

    def daemon_set(
        self,
        name: str,
        role: str,
        *,
        init: Sequence[Manifest],
        containers: Sequence[Manifest],
        volumes: Sequence[Manifest],
        host_network: bool,
        **pod: Any,
    ) -> Manifest:
        """One of the three. They select their pods by the same labels, as in the chart; owners tell them apart."""
        value = self.release.value
        selector = value("selectorLabelsOverride") or self.release.selector_labels(self.name)
        spec = objects.filled(
            priorityClassName=value("priorityClassName"),
            runtimeClassName=value("runtimeClassName"),
            imagePullSecrets=value("imagePullSecrets"),
            hostNetwork=host_network or None,
            dnsPolicy="ClusterFirstWithHostNet" if host_network else None,
            securityContext=value("podSecurityContext"),
            serviceAccountName=self.account,
            shareProcessNamespace=True if self.config_map else None,
            initContainers=list(init),
            containers=list(containers),
            volumes=[*volumes, *self._config_volumes()],
            nodeSelector=value("nodeSelector"),
            affinity=value("affinity"),
            tolerations=value("tolerations"),
        )
        template = objects.pod_template(
            {**self.release.selector_labels(self.name), **selector, **role_label(role)},
            {**spec, **pod},
            self._annotations(),
        )
        return objects.daemon_set(
            self.metadata(name), selector=selector, template=template, updateStrategy=value("updateStrategy")
        )

    def container(
        self,
        name: str,
        command: str,
        environment: Sequence[Manifest],
        mounts: Sequence[Manifest],
        security_context: Mapping[str, Any],
        arguments: Sequence[str] = (),
    ) -> Manifest:
        """A container of the chart's image, with the configurations where the release has some."""
        value = self.release.value
        tag = value("image.tag") or f"v{self.release.version}"
        shared = (
            [
                objects.mount(AVAILABLE_CONFIGURATIONS, "/available-configs"),
                objects.mount(CHOSEN_CONFIGURATION, "/config"),
            ]
            if self.config_map
            else []
        )
        return objects.filled(
            name=name,
            image=f"{value('image.repository')}:{tag}",
            imagePullPolicy=value("image.pullPolicy"),
            command=[command],
            args=list(arguments),
            env=list(environment),
            securityContext=dict(security_context),
            resources=value("resources"),
            volumeMounts=[*mounts, *shared],
        )

    def config_manager(
        self, name: str, signalled: str | None, security_context: Mapping[str, Any] | None = None
    ) -> list[Manifest]:
        """The container that picks the node's configuration: once, or for ever where it signals a process.

        None without a ConfigMap.
        """
        if not self.config_map:
            return []
        value = self.release.value
        settings = {
            "ONESHOT": json.dumps(signalled is None),
            "KUBECONFIG": "",
            "NODE_LABEL": DEVICE_PLUGIN_CONFIG_LABEL,
            "CONFIG_FILE_SRCDIR": "/available-configs",
            "CONFIG_FILE_DST": "/config/config.yaml",
            DEFAULT_CONFIGURATION_ENV: value("config.default") or "",
            FALLBACK_STRATEGIES_ENV: ",".join(value("config.fallbackStrategies") or []),
            "SEND_SIGNAL": json.dumps(signalled is not None),
            "SIGNAL": "1" if signalled else "",
            "PROCESS_TO_SIGNAL": signalled or "",
        }
        environment = [objects.field_env("NODE_NAME", "spec.nodeName")]
        environment += [{"name": key, "value": setting} for key, setting in settings.items()]
        made = self.container(name, "config-manager", environment, [], security_context or {})
        made.pop("resources", None)
        return [made]

    def config_environment(self) -> list[Manifest]:
        """Where a program finds its configuration, and whether it watches MIG devices."""
        made = [{"name": "CONFIG_FILE", "value": "/config/config.yaml"}] if self.config_map else []
        if self._may_use_mig():
            made.append({"name": "NVIDIA_MIG_MONITOR_DEVICES", "value": "all"})
        return made

    def flags(self, **values: str) -> list[Manifest]:
        """Environment variables for values that are set: they override the configuration."""
        found = {name: self.release.value(path) for name, path in values.items()}
        return [
            {"name": name, "value": json.dumps(value) if isinstance(value, bool) else str(value)}
            for name, value in found.items()
            if value is not None
        ]

    def plugin_security_context(self) -> Manifest:
        """With a ConfigMap SYS_ADMIN, since any configuration in it could ask for MIG."""
        given: Manifest = self.release.value("securityContext") or {}
        if given:
            return dict(given)
        if self.release.value("compatWithCPUManager"):
            return {"privileged": True}
        return self.least_security_context()

    def least_security_context(self) -> Manifest:
        """What the chart gives where no value says otherwise."""
        if self._may_use_mig():
            return {"capabilities": {"add": ["SYS_ADMIN"]}}
        return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}

    def _may_use_mig(self) -> bool:
        strategy = self.release.value("migStrategy")
        return strategy != "none" if strategy else self.config_map is not None

    def _config_volumes(self) -> list[Manifest]:
        if not self.config_map:
            return []
        return [
            {"name": AVAILABLE_CONFIGURATIONS, "configMap": {"name": self.config_map}},
            {"name": CHOSEN_CONFIGURATION, "emptyDir": {}},
        ]

    def _annotations(self) -> dict[str, str]:
        """With the chart's own ConfigMap its checksum, so that a change restarts the pods."""
        given = dict(self.release.value("podAnnotations") or {})
        configurations = self.release.value("config.map")
        if configurations:
            text = yaml.safe_dump(dict(configurations), sort_keys=True)
            given.setdefault("checksum/config", hashlib.sha256(text.encode()).hexdigest())
        return given
