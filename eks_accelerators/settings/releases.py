"""The Helm releases of a stack: which it needs, and with which inputs, derived from its node groups.

A kind of release is one entry in `RELEASES`: version and values of its chart are in `charts-values/` under ``chart``, the
component that releases it in `components/`, what it takes in `eks_accelerators.settings.release_inputs`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from eks_accelerators.accelerators import scheduling
from eks_accelerators.accelerators.sharing import EXCLUSIVE, NVIDIA_SHARED_GPU, Sharing, shares
from eks_accelerators.settings.controller_releases import (
    cluster_autoscaler,
    external_secrets,
    karpenter,
    keda,
    kube_prometheus_stack,
    kube_state_metrics,
    reloader,
    where_asked_for,
)
from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.prometheus_address import OBJECTS_NAMESPACE
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
from eks_accelerators.settings.release_names import (
    EXTERNAL_SECRETS,
    JOB_SET,
    KARPENTER,
    KEDA,
    KUBEFLOW_TRAINER,
    KUBERAY,
    LEADER_WORKER_SET,
    RELOADER,
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
        inputs=where_asked_for(JOB_SET, JobSetInputs),
        serves_gpus=False,
        page="training.md",
    ),
    Release(
        name=LEADER_WORKER_SET,
        chart="lws",
        component="LeaderWorkerSetController",
        takes=LeaderWorkerSetInputs,
        inputs=where_asked_for(LEADER_WORKER_SET, LeaderWorkerSetInputs),
        serves_gpus=False,
        page="servers.md",
    ),
    Release(
        name=KUBEFLOW_TRAINER,
        chart="kubeflow-trainer",
        component="KubeflowTrainer",
        takes=KubeflowTrainerInputs,
        inputs=where_asked_for(KUBEFLOW_TRAINER, KubeflowTrainerInputs),
        serves_gpus=False,
        page="training.md",
        after=(JOB_SET,),
    ),
    Release(
        name=KUBERAY,
        chart="kuberay-operator",
        component="KubeRayOperator",
        takes=KubeRayInputs,
        inputs=where_asked_for(KUBERAY, KubeRayInputs),
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
