"""The Helm releases of a stack: which it needs, and with which inputs, derived from its node groups.

A kind of release is one entry in `RELEASES`: version and values of its chart are in `charts-values/` under ``chart``, the
component that releases it in `components/`, what it takes in `eks_accelerators.settings.release_inputs`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from eks_accelerators.accelerators import autoscaler, scheduling
from eks_accelerators.accelerators.sharing import EXCLUSIVE, NVIDIA_SHARED_GPU, Sharing, shares
from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.prometheus_address import NAMESPACE, OBJECTS_NAMESPACE
from eks_accelerators.settings.release_inputs import (
    ClusterAutoscalerInputs,
    DcgmExporterInputs,
    DraDriverInputs,
    EfaDevicePluginInputs,
    ExternalSecretsInputs,
    GpuOperatorInputs,
    JobSetInputs,
    KarpenterInputs,
    KedaInputs,
    KubeflowTrainerInputs,
    KubePrometheusStackInputs,
    KubeRayInputs,
    KubeStateMetricsInputs,
    LeaderWorkerSetInputs,
    NeuronDevicePluginInputs,
    NeuronMonitorInputs,
    NvidiaDevicePluginInputs,
    ReloaderInputs,
)
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.settings.tolerations import Toleration, for_groups

Served = Sequence[ResolvedNodeGroup]

_OF_CLAIMS = "dcgm-exporter-of-claims"


@dataclass(frozen=True, slots=True)
class Release:
    """One Helm release of a stack.

    ``name`` is that of the component in a stack, ``chart`` the key in `charts-values/charts.yaml` and the name of its file
    of values, ``component`` what releases it, with ``takes`` as its inputs. ``inputs`` says what a stack needs of it: None
    where it needs nothing. ``serves_gpus``: pods that ask for GPUs wait for it. ``brings_kinds``: others wait for it
    that make objects of kinds that it defines. ``page`` explains it, under `docs/`. ``wiring`` is what it takes besides, in
    `components/wiring.py`, where its pods have rights in AWS. It is released ``after`` others, by name, whose kinds its program
    asks for when it starts.
    """

    name: str
    chart: str
    component: str
    takes: type[Model]
    inputs: Callable[[ResolvedStack], Model | None]
    serves_gpus: bool
    page: str
    wiring: str | None = None
    brings_kinds: bool = False
    after: tuple[str, ...] = ()


def nvidia_device_plugin(stack: ResolvedStack) -> NvidiaDevicePluginInputs | None:
    """What the NVIDIA device plugin takes, or None where no node needs the chart."""
    served = [group for group in stack.groups.values() if group.served_by is GpuServer.DEVICE_PLUGIN]
    plugin = stack.settings.plugins.nvidia_device_plugin
    if not (plugin.enabled and served):
        return None
    return NvidiaDevicePluginInputs(
        sharings=_sharings(served),
        tolerations=for_groups(served, plugin.tolerations),
        mofed_enabled=plugin.mofed_enabled,
        node_selector=scheduling.CLOSED_TO_OPERATOR,
    )


def gpu_operator(stack: ResolvedStack) -> GpuOperatorInputs | None:
    """What the GPU Operator takes, or None where it serves no node.

    It has one list of tolerations for all that it deploys on a node. Its node discovery looks at nodes that it leaves
    alone too: the operator writes `nvidia.com/gpu.present: "false"` on a node of which discovery says nothing.
    """
    settings, groups = stack.settings, stack.groups.values()
    served = [group for group in groups if group.served_by is GpuServer.GPU_OPERATOR]
    if not served:
        return None
    plugin, exporter = settings.plugins.nvidia_device_plugin, settings.monitoring.dcgm_exporter
    wanted = [own.tolerations for own in (plugin, exporter) if own.enabled] or [None]
    return GpuOperatorInputs(
        sharings=_sharings(served),
        tolerations=_each_once(toleration for own in wanted for toleration in for_groups(served, own)),
        discovery_tolerations=for_groups(group for group in groups if group.type.has_nvidia_gpu),
        device_plugin=plugin.enabled,
        mofed_enabled=plugin.mofed_enabled,
        metrics=exporter.enabled,
        **_measured(settings, served),
    )


def neuron_device_plugin(stack: ResolvedStack) -> NeuronDevicePluginInputs | None:
    """What the Neuron device plugin takes, or None where no node has Neuron devices."""
    served = [group for group in stack.groups.values() if not group.type.has_nvidia_gpu]
    plugin = stack.settings.plugins.neuron_device_plugin
    if not (plugin.enabled and served):
        return None
    return NeuronDevicePluginInputs(tolerations=for_groups(served, plugin.tolerations))


def efa_device_plugin(stack: ResolvedStack) -> EfaDevicePluginInputs | None:
    """What the EFA device plugin takes, or None where no node has EFA."""
    served = [group for group in stack.groups.values() if group.has_efa]
    plugin = stack.settings.plugins.efa_device_plugin
    if not (plugin.enabled and served):
        return None
    return EfaDevicePluginInputs(
        tolerations=for_groups(served, plugin.tolerations), image_repository=plugin.image_repository or None
    )


def dra_driver(stack: ResolvedStack) -> DraDriverInputs | None:
    """What the driver for Dynamic Resource Allocation takes, or None where no pod claims GPUs."""
    served = [group for group in stack.groups.values() if group.is_claimed]
    driver = stack.settings.plugins.dra_driver
    if not (driver.enabled and served):
        return None
    return DraDriverInputs(tolerations=for_groups(served, driver.tolerations))


def dcgm_exporter(stack: ResolvedStack) -> DcgmExporterInputs | None:
    """What the DCGM exporter takes, or None where no node needs it: the GPU Operator brings its own."""
    served = (GpuServer.DEVICE_PLUGIN, GpuServer.NODE_IMAGE)
    return _exporter(stack, [group for group in stack.groups.values() if group.served_by in served])


def dcgm_exporter_of_claims(stack: ResolvedStack) -> DcgmExporterInputs | None:
    """What the DCGM exporter of nodes takes whose GPUs pods claim, or None: one that knows of shares sees no claim.

    Its chart has a ConfigMap of a fixed name, so it has a namespace of its own.
    """
    made = _exporter(stack, [group for group in stack.groups.values() if group.is_claimed])
    return made and made.model_copy(update={"claimed_gpus": True, "namespace": _OF_CLAIMS})


def cluster_autoscaler(stack: ResolvedStack) -> ClusterAutoscalerInputs | None:
    """What Cluster Autoscaler takes, or None where it scales no group."""
    wanted, monitoring = stack.settings.cluster_autoscaler, stack.settings.monitoring
    scaled = [
        group for group in stack.groups.values() if group.settings.autoscaler is NodeAutoscaler.CLUSTER_AUTOSCALER
    ]
    version = wanted.version or autoscaler.image_version(stack.settings.cluster.kubernetes_version)
    if not (scaled and version):
        return None
    return ClusterAutoscalerInputs(
        version=version,
        spot_node_groups=tuple(group.name for group in scaled if group.settings.bought_as is CapacityType.SPOT),
        scale_down_unneeded_time=wanted.scale_down_unneeded_time,
        max_node_provision_time=wanted.max_node_provision_time,
        service_monitor=monitoring.has_operator,
        service_monitor_labels=dict(monitoring.object_labels),
    )


KARPENTER = "karpenter"
"""Name of the release that makes nodes itself."""


def karpenter(stack: ResolvedStack) -> KarpenterInputs | None:
    """What Karpenter takes, or None where it makes no nodes."""
    monitoring = stack.settings.monitoring
    if not any(group.is_karpenters for group in stack.groups.values()):
        return None
    return KarpenterInputs(
        replicas=stack.settings.karpenter.replicas,
        service_monitor=monitoring.has_operator,
        service_monitor_labels=dict(monitoring.object_labels),
    )


def keda(stack: ResolvedStack) -> KedaInputs | None:
    """What KEDA takes, or None where no workload follows its load."""
    scaled = any(server.autoscaling for _, server in stack.settings.workloads.servers())
    return KedaInputs() if scaled else None


def external_secrets(stack: ResolvedStack) -> ExternalSecretsInputs | None:
    """What External Secrets takes, or None where no workload names a secret of AWS Secrets Manager."""
    each = stack.settings.workloads.each()
    names = dict.fromkeys(secret.source.name for _, _, workload in each for secret in workload.synced_secrets.values())
    return ExternalSecretsInputs(secrets=tuple(names)) if names else None


def reloader(stack: ResolvedStack) -> ReloaderInputs | None:
    """What Reloader takes, or None where no server reads a secret that changes by itself, or is to be left alone."""
    if not stack.settings.secrets.roll_servers:
        return None
    servers = (server for _, server in stack.settings.workloads.servers())
    reading = (server for server in servers if any(secret.is_read for secret in server.synced_secrets.values()))
    namespaces = dict.fromkeys(server.namespace for server in reading)
    return ReloaderInputs(namespaces=tuple(namespaces)) if namespaces else None


KEDA = "keda"
EXTERNAL_SECRETS = "external-secrets"
RELOADER = "reloader"
"""Name of the release that scales workloads."""


def job_set(stack: ResolvedStack) -> JobSetInputs | None:
    """What JobSet takes, or None where it makes no pods."""
    return JobSetInputs() if _asked_for(stack, JOB_SET) else None


JOB_SET = "jobset"
"""Name of the release that makes pods of a gang anew."""


def leader_worker_set(stack: ResolvedStack) -> LeaderWorkerSetInputs | None:
    """What LeaderWorkerSet takes, or None where no server spans nodes."""
    return LeaderWorkerSetInputs() if _asked_for(stack, LEADER_WORKER_SET) else None


LEADER_WORKER_SET = "lws"
"""Name of the release that makes the pods of servers that span nodes."""


def kubeflow_trainer(stack: ResolvedStack) -> KubeflowTrainerInputs | None:
    """What Kubeflow Trainer takes, or None where no job asks for it."""
    return KubeflowTrainerInputs() if _asked_for(stack, KUBEFLOW_TRAINER) else None


KUBEFLOW_TRAINER = "kubeflow-trainer"
"""Name of the release that makes JobSets of TrainJobs."""


def kuberay(stack: ResolvedStack) -> KubeRayInputs | None:
    """What KubeRay takes, or None where no job asks for a Ray cluster."""
    return KubeRayInputs() if _asked_for(stack, KUBERAY) else None


KUBERAY = "kuberay-operator"
"""Name of the release that makes Ray clusters."""


def _asked_for(stack: ResolvedStack, release: str) -> bool:
    """Whether a workload's objects are of a kind that the release brings."""
    return any(release in workload.needs_releases for _, _, workload in stack.settings.workloads.each())


def kube_prometheus_stack(stack: ResolvedStack) -> KubePrometheusStackInputs | None:
    """What kube-prometheus-stack takes, or None where the stack brings no Prometheus of its own."""
    monitoring = stack.settings.monitoring
    if monitoring.prometheus is not PrometheusKind.STACK:
        return None
    receiver = monitoring.alerts.receiver if monitoring.alerts.enabled else None
    kept = {} if monitoring.retention_days is None else {"retention_days": monitoring.retention_days}
    return KubePrometheusStackInputs(
        storage_gib=monitoring.storage.size_gib,
        storage_class=monitoring.storage.storage_class,
        grafana=monitoring.dashboards,
        topic_arn=receiver.sns.topic_arn if receiver and receiver.sns else None,
        slack_channel=receiver.slack.channel if receiver and receiver.slack else None,
        severities=monitoring.alerts.severities,
        namespace=NAMESPACE,
        **kept,
    )


def kube_state_metrics(stack: ResolvedStack) -> KubeStateMetricsInputs | None:
    """What kube-state-metrics takes, or None where another brings it: Amazon's Prometheus brings nothing into the cluster."""
    return KubeStateMetricsInputs() if stack.settings.monitoring.prometheus is PrometheusKind.AMP else None


RELEASES = (
    Release(
        name="kube-prometheus-stack",
        chart="kube-prometheus-stack",
        component="KubePrometheusStack",
        takes=KubePrometheusStackInputs,
        inputs=kube_prometheus_stack,
        serves_gpus=False,
        page="monitoring.md",
        brings_kinds=True,
    ),
    Release(
        name="kube-state-metrics",
        chart="kube-state-metrics",
        component="KubeStateMetrics",
        takes=KubeStateMetricsInputs,
        inputs=kube_state_metrics,
        serves_gpus=False,
        page="monitoring.md",
    ),
    Release(
        name="nvidia-device-plugin",
        chart="nvidia-device-plugin",
        component="NvidiaDevicePlugin",
        takes=NvidiaDevicePluginInputs,
        inputs=nvidia_device_plugin,
        serves_gpus=True,
        page="sharing.md",
    ),
    Release(
        name="gpu-operator",
        chart="gpu-operator",
        component="GpuOperator",
        takes=GpuOperatorInputs,
        inputs=gpu_operator,
        serves_gpus=True,
        page="gpu-operator.md",
    ),
    Release(
        name="neuron-device-plugin",
        chart="neuron",
        component="NeuronDevicePlugin",
        takes=NeuronDevicePluginInputs,
        inputs=neuron_device_plugin,
        serves_gpus=False,
        page="adding-a-node-group.md",
    ),
    Release(
        name="efa-device-plugin",
        chart="efa-device-plugin",
        component="EfaDevicePlugin",
        takes=EfaDevicePluginInputs,
        inputs=efa_device_plugin,
        serves_gpus=False,
        page="adding-a-node-group.md",
    ),
    Release(
        name="dra-driver",
        chart="dra-driver",
        component="DraDriver",
        takes=DraDriverInputs,
        inputs=dra_driver,
        serves_gpus=True,
        page="dynamic-resource-allocation.md",
    ),
    Release(
        name="dcgm-exporter",
        chart="dcgm-exporter",
        component="DcgmExporter",
        takes=DcgmExporterInputs,
        inputs=dcgm_exporter,
        serves_gpus=False,
        page="sharing.md",
    ),
    Release(
        name=_OF_CLAIMS,
        chart="dcgm-exporter",
        component="DcgmExporter",
        takes=DcgmExporterInputs,
        inputs=dcgm_exporter_of_claims,
        serves_gpus=False,
        page="dynamic-resource-allocation.md",
    ),
    Release(
        name="cluster-autoscaler",
        chart="cluster-autoscaler",
        component="ClusterAutoscaler",
        takes=ClusterAutoscalerInputs,
        inputs=cluster_autoscaler,
        serves_gpus=False,
        page="autoscaling-nodes.md",
        wiring="ClusterAutoscalerWiring",
    ),
    Release(
        name=KARPENTER,
        chart="karpenter",
        component="Karpenter",
        takes=KarpenterInputs,
        inputs=karpenter,
        serves_gpus=False,
        page="autoscaling-nodes.md",
        wiring="KarpenterWiring",
    ),
    Release(
        name=KEDA,
        chart="keda",
        component="Keda",
        takes=KedaInputs,
        inputs=keda,
        serves_gpus=False,
        page="autoscaling.md",
    ),
    Release(
        name=EXTERNAL_SECRETS,
        chart="external-secrets",
        component="ExternalSecrets",
        takes=ExternalSecretsInputs,
        inputs=external_secrets,
        serves_gpus=False,
        page="storage.md",
        wiring="ExternalSecretsWiring",
    ),
    Release(
        name=RELOADER,
        chart="reloader",
        component="Reloader",
        takes=ReloaderInputs,
        inputs=reloader,
        serves_gpus=False,
        page="storage.md",
    ),
    Release(
        name=JOB_SET,
        chart="jobset",
        component="JobSetController",
        takes=JobSetInputs,
        inputs=job_set,
        serves_gpus=False,
        page="training.md",
    ),
    Release(
        name=LEADER_WORKER_SET,
        chart="lws",
        component="LeaderWorkerSetController",
        takes=LeaderWorkerSetInputs,
        inputs=leader_worker_set,
        serves_gpus=False,
        page="servers.md",
    ),
    Release(
        name=KUBEFLOW_TRAINER,
        chart="kubeflow-trainer",
        component="KubeflowTrainer",
        takes=KubeflowTrainerInputs,
        inputs=kubeflow_trainer,
        serves_gpus=False,
        page="training.md",
        after=(JOB_SET,),
    ),
    Release(
        name=KUBERAY,
        chart="kuberay-operator",
        component="KubeRayOperator",
        takes=KubeRayInputs,
        inputs=kuberay,
        serves_gpus=False,
        page="training.md",
    ),
)
"""Every release, in the order in which a stack makes them."""

NAMESPACES = frozenset(
    {each.takes.model_fields["namespace"].default for each in RELEASES if "namespace" in each.takes.model_fields}
    | {_OF_CLAIMS, NeuronMonitorInputs().namespace, OBJECTS_NAMESPACE}
)
"""The namespaces that releases and what monitors a stack make."""


def _exporter(stack: ResolvedStack, served: Served) -> DcgmExporterInputs | None:
    exporter = stack.settings.monitoring.dcgm_exporter
    if not (exporter.enabled and served):
        return None
    return DcgmExporterInputs(
        tolerations=for_groups(served, exporter.tolerations),
        node_selector=scheduling.CLOSED_TO_OPERATOR,
        **_measured(stack.settings, served),
    )


def _measured(settings: Settings, served: Served) -> dict[str, Any]:
    """The fields of `MetricsInputs`."""
    monitoring = settings.monitoring
    return {
        "shared_gpus": any(group.sharing.replicas > 1 for group in served),
        "renamed_shares": any(
            share.resource == NVIDIA_SHARED_GPU for group in served for share in shares(group.type, group.sharing)
        ),
        "service_monitor": monitoring.has_operator,
        "service_monitor_labels": dict(monitoring.object_labels),
    }


def _sharings(served: Served) -> tuple[Sharing, ...]:
    """Every kind of sharing among ``served``; that GPUs are whole goes without saying."""
    return tuple(dict.fromkeys(group.sharing for group in served if group.sharing != EXCLUSIVE))


def _each_once(tolerations: Iterable[Toleration]) -> tuple[Toleration, ...]:
    return tuple({tuple(toleration.items()): toleration for toleration in tolerations}.values())
