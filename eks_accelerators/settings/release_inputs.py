"""What each Helm release takes: the fields of the components' public arguments, with every default."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field, InstanceOf

from eks_accelerators.accelerators import device_plugin, scheduling
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Sharing
from eks_accelerators.settings.model.alerts import AlertSeverity
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.node_groups import SharingSettings, SharingStrategy, TolerationSettings
from eks_accelerators.settings.prometheus_storage import OWN_RETENTION_DAYS
from eks_accelerators.settings.resolved_node_group import sharing_from
from eks_accelerators.settings.tolerations import Toleration, as_kubernetes


@dataclass(frozen=True, slots=True)
class WrittenAs:
    """How people write the items of a field whose items are resolved: ``resolve`` takes one of ``model``, and raises
    ValueError where it is wrong.
    """

    model: type[BaseModel]
    resolve: Callable[[Any], Any]


def _sharing(wanted: SharingSettings) -> Sharing:
    shared = sharing_from(wanted)
    problems = [problem.message for problem in device_plugin.judge_values(device_plugin.configuration(shared)).errors]
    needed = "a layout" if wanted.strategy is SharingStrategy.MIG else "replicas of at least 2"
    if problems or (wanted.strategy is not SharingStrategy.EXCLUSIVE and shared == EXCLUSIVE):
        raise ValueError(f"sharing: {'; '.join(problems) or f'{wanted.strategy.value} needs {needed}'}")
    return shared


Sharings = Annotated[tuple[InstanceOf[Sharing], ...], WrittenAs(SharingSettings, _sharing)]
Tolerations = Annotated[tuple[Toleration, ...], WrittenAs(TolerationSettings, as_kubernetes)]

_NVIDIA, _NEURON = scheduling.NVIDIA.taint.toleration, scheduling.NEURON.taint.toleration


class NvidiaDevicePluginInputs(Model):
    """What the plugin serves. All node groups share one release."""

    sharings: Sharings = ()
    """Every kind of sharing among the node groups; `exclusive` is always there."""
    tolerations: Tolerations = (_NVIDIA,)
    """Tolerations of the plugin and the discovery pods; by default that of the package's own taint."""
    mofed_enabled: bool = False
    """Hand out Mellanox devices; false by default, as it would take the EFA devices."""
    node_selector: dict[str, str] = {}
    """Labels of the nodes that it serves; by default all that choose a configuration."""
    namespace: str = "nvidia-device-plugin"
    """Namespace, created; `nvidia-device-plugin` by default."""


class MetricsInputs(Model):
    """What an exporter of GPU metrics must know of the GPUs that it measures, and of who reads them."""

    shared_gpus: bool = False
    """Whether pods share GPUs: metrics are repeated for each pod, load and memory told apart by the host's processes.
    False by default."""
    renamed_shares: bool = False
    """Whether shares are called `nvidia.com/gpu.shared`; false by default. MIG instances are known by their names, shared
    or not."""
    service_monitor: bool = False
    """Create a ServiceMonitor; needs the Prometheus Operator. False by default."""
    service_monitor_labels: dict[str, str] = {}
    """Labels by which Prometheus selects it."""


class GpuOperatorInputs(MetricsInputs):
    """What the operator serves. A cluster has one."""

    sharings: Sharings = ()
    """Every kind of sharing among the node groups, MIG layouts included; `exclusive` is always there."""
    tolerations: Tolerations = (_NVIDIA,)
    """Tolerations of all that runs on its nodes; by default that of the package's own taint."""
    discovery_tolerations: Tolerations | None = None
    """Tolerations of node discovery, which must see nodes with GPUs that the operator leaves alone too; by default those
    of the rest."""
    device_plugin: bool = True
    """Run the device plugin; true by default."""
    mofed_enabled: bool = False
    """Hand out Mellanox devices; false by default, as it would take the EFA devices."""
    metrics: bool = True
    """Run the DCGM exporter; true by default."""
    namespace: str = "gpu-operator"
    """Namespace, created; `gpu-operator` by default."""


class NeuronDevicePluginInputs(Model):
    """What the plugin serves."""

    tolerations: Tolerations = (_NEURON,)
    """Tolerations of the plugin; by default that of the package's own taint."""


class EfaDevicePluginInputs(Model):
    """What the plugin serves."""

    tolerations: Tolerations = (_NVIDIA, _NEURON)
    """Tolerations of the plugin; by default those of the package's own taints."""
    image_repository: str | None = None
    """Image, for partitions and regions that pull from another registry account."""


class DraDriverInputs(Model):
    """What the driver serves."""

    tolerations: Tolerations = (_NVIDIA,)
    """Tolerations of the driver; by default that of the package's own taint."""
    namespace: str = "dra-driver-nvidia-gpu"
    """Namespace, created; `dra-driver-nvidia-gpu` by default."""


class ClusterAutoscalerInputs(Model):
    """Which version runs, and which node groups come first."""

    version: str
    """Version of its image, whose minor version is that of the cluster, such as `1.35.2`."""
    spot_node_groups: tuple[str, ...] = ()
    """Node groups, by the names of their components, that are filled before all others."""
    scale_down_unneeded_time: str = "10m"
    """How long a node must be unneeded before it is taken away."""
    max_node_provision_time: str = "15m"
    """How long it waits for a node before it tries another group."""
    service_monitor: bool = False
    """Create a ServiceMonitor; needs the Prometheus Operator. False by default."""
    service_monitor_labels: dict[str, str] = {}
    """Labels by which Prometheus selects it."""


class KarpenterInputs(Model):
    """How it runs."""

    replicas: int = 2
    """How many copies run, each on a node of its own that is not Karpenter's; 2 by default."""
    service_monitor: bool = False
    """Create a ServiceMonitor; needs the Prometheus Operator. False by default."""
    service_monitor_labels: dict[str, str] = {}
    """Labels by which Prometheus selects it."""


class DcgmExporterInputs(MetricsInputs):
    """What the exporter measures, and who scrapes it."""

    tolerations: Tolerations = (_NVIDIA,)
    """Tolerations of the exporter; by default that of the package's own taint."""
    node_selector: dict[str, str] = {}
    """Labels of the nodes that it measures; by default all with NVIDIA GPUs."""
    claimed_gpus: bool = False
    """Measure the nodes of Dynamic Resource Allocation, and name the pods by their claims; false by default. Other
    exporters leave them."""
    namespace: str = "dcgm-exporter"
    """Namespace, created; `dcgm-exporter` by default."""


class KedaInputs(Model):
    """Where it runs. What it scales is written with each workload."""

    namespace: str = "keda"
    """Namespace, created; `keda` by default."""


class ExternalSecretsInputs(Model):
    """Which secrets of AWS Secrets Manager it may read. Where each goes is said by `SyncedSecret`."""

    secrets: tuple[str, ...]
    """Names of the secrets, without the six characters that their ARNs end with."""
    namespace: str = "external-secrets"
    """Namespace, created; `external-secrets` by default."""


class ReloaderInputs(Model):
    """Whose secrets it watches. What is replaced when one changes is said by an annotation of each Deployment."""

    namespaces: Annotated[tuple[str, ...], Field(min_length=1)]
    """Namespaces, there already, whose secrets it may read and whose Deployments it may change."""
    namespace: str = "reloader"
    """Namespace, created; `reloader` by default."""


class JobSetInputs(Model):
    """Where it runs. What it makes is written with each job."""

    namespace: str = "jobset-system"
    """Namespace, created; `jobset-system` by default."""


class LeaderWorkerSetInputs(Model):
    """Where it runs. What it makes is written with each server."""

    namespace: str = "lws-system"
    """Namespace, created; `lws-system` by default."""


class KubeflowTrainerInputs(Model):
    """Where it runs. What it makes is written with each job."""

    namespace: str = "kubeflow-system"
    """Namespace, created; `kubeflow-system` by default."""


class KubeRayInputs(Model):
    """Where it runs. What it makes is written with each job."""

    namespace: str = "kuberay-operator"
    """Namespace, created; `kuberay-operator` by default."""


class NeuronMonitorInputs(Model):
    """What neuron-monitor measures."""

    tolerations: Tolerations = (_NEURON,)
    """Tolerations of its pods; by default that of the package's own taint."""
    namespace: str = "neuron-monitor"
    """Namespace, created; `neuron-monitor` by default."""


class KubeStateMetricsInputs(Model):
    """Where it runs. It shows nodes, pods and quotas, with the labels of nodes that rules ask for."""

    namespace: str = "kube-state-metrics"
    """Namespace, created; `kube-state-metrics` by default."""


class KubePrometheusStackInputs(Model):
    """What Prometheus keeps, and whom Alertmanager tells. A cluster has one."""

    storage_gib: Annotated[int, Field(ge=1, le=16384)] = 50
    """Size of the volume of Prometheus in GiB; 50 by default."""
    storage_class: str = "gp3"
    """StorageClass of the volume; `gp3` by default."""
    retention_days: Annotated[int, Field(ge=1, le=1095)] = OWN_RETENTION_DAYS
    """Days that metrics are kept, as long as the volume has space; 10 by default."""
    grafana: bool = False
    """Install Grafana, which shows the dashboards of ConfigMaps with the label `grafana_dashboard`; false by default."""
    topic_arn: str | None = None
    """SNS topic that is told of alerts; Alertmanager's service account needs the right to publish there."""
    slack_channel: str | None = None
    """Channel of Slack that is told of alerts; the address of the webhook is the key `webhook` of the Secret
    `alertmanager-slack` in the namespace."""
    severities: tuple[AlertSeverity, ...] = (AlertSeverity.CRITICAL, AlertSeverity.WARNING)
    """Severities of the alerts that are told: `critical`, `warning`, `info`; by default the first two."""
    namespace: str = "monitoring"
    """Namespace, created; `monitoring` by default."""
