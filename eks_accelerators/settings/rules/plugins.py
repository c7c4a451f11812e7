"""Rules about device plugins and the metrics exporter."""

from collections.abc import Callable, Iterator

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.scheduling import TOLERATED_BY_OPERATOR
from eks_accelerators.accelerators.sharing import EFA_DEVICE, NEURON_DEVICE, NVIDIA_GPU, NVIDIA_GPU_DEVICE_CLASS
from eks_accelerators.settings.field_words import in_yaml
from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.settings.model.monitoring import DcgmExporterSettings, NeuronMonitorSettings
from eks_accelerators.settings.model.plugins import DevicePlugin, DraDriverSettings
from eks_accelerators.settings.neuron_monitor import neuron_monitor
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.releases import gpu_operator
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.tolerations import for_groups, untolerated

_OnNodes = DevicePlugin | DraDriverSettings | DcgmExporterSettings | NeuronMonitorSettings
"""Settings of a program that runs on the nodes of accelerators."""


@rule("mofed-beside-efa")
def mofed_beside_efa(context: Context) -> Iterator[RuleFinding]:
    """The NVIDIA device plugin leaves Mellanox devices alone where EFA is attached.

    Source: EKS user guide `device-management-efa`: from 0.19 the plugin would take /dev/infiniband/uverbs*.
    """
    with_efa = [g.name for g in context.resolved.values() if g.has_efa and g.type.has_nvidia_gpu]
    if with_efa and context.settings.plugins.nvidia_device_plugin.mofed_enabled:
        yield RuleFinding(
            "plugins.nvidiaDevicePlugin.mofedEnabled",
            f"the NVIDIA plugin would take the EFA devices of {', '.join(with_efa)}",
            "true",
            "false",
            "set mofedEnabled: false",
        )


@rule("plugin-toleration")
def plugin_toleration(context: Context) -> Iterator[RuleFinding]:
    """Every plugin tolerates the taints of every node group that it serves.

    Under the GPU Operator plugin and exporter have one list, with what each of them tolerates; where that is empty, both tolerate
    `nvidia.com/gpu`. Source: gpu-operator v26.7.0, `controllers/object_controls.go`.

    Otherwise its DaemonSet has no pod there, without an error, and the resource is never advertised. What is switched off
    has no pod anywhere, and is not judged.
    """
    plugins, monitoring = context.settings.plugins, context.settings.monitoring
    served: tuple[tuple[str, _OnNodes, Callable[[ResolvedNodeGroup], bool], str], ...] = (
        ("plugins.nvidiaDevicePlugin", plugins.nvidia_device_plugin, lambda g: g.has_plugin_configuration, NVIDIA_GPU),
        (
            "plugins.neuronDevicePlugin",
            plugins.neuron_device_plugin,
            lambda g: not g.type.has_nvidia_gpu,
            NEURON_DEVICE,
        ),
        ("plugins.efaDevicePlugin", plugins.efa_device_plugin, lambda g: g.has_efa, EFA_DEVICE),
        ("plugins.draDriver", plugins.dra_driver, lambda g: g.is_claimed, NVIDIA_GPU_DEVICE_CLASS),
        ("monitoring.dcgmExporter", monitoring.dcgm_exporter, lambda g: g.type.has_nvidia_gpu, "metrics"),
        (
            "monitoring.neuronMonitor",
            monitoring.neuron_monitor,
            lambda g: not g.type.has_nvidia_gpu and neuron_monitor(context.stack) is not None,
            "metrics",
        ),
    )
    operator, by_operator = gpu_operator(context.stack), (plugins.nvidia_device_plugin, monitoring.dcgm_exporter)
    shared = (operator.tolerations or (TOLERATED_BY_OPERATOR,)) if operator else None
    for path, program, serves, resource in served:
        own = program.tolerations if program.enabled else None
        for group in context.resolved.values():
            if own is None or not serves(group):
                continue
            together = shared if program in by_operator and group.served_by is GpuServer.GPU_OPERATOR else None
            missing = untolerated(for_groups([group], own) if together is None else together, group.taints)
            for taint in missing:
                yield RuleFinding(
                    f"{path}.tolerations",
                    f"{taint} of {group.name} is not tolerated; {resource} would never be there",
                    number_of(len(own or ()), "toleration"),
                    in_yaml(dict(taint.toleration)),
                    "add it, or remove tolerations for those of the groups",
                )


@rule("plugin-disabled", Severity.WARNING)
def plugin_disabled(context: Context) -> Iterator[RuleFinding]:
    """A node group whose plugin is switched off advertises nothing, unless another program installs it."""
    plugins = context.settings.plugins
    switches = (
        (
            "nvidiaDevicePlugin",
            plugins.nvidia_device_plugin.enabled,
            [g for g in context.resolved.values() if g.has_plugin_configuration],
            NVIDIA_GPU,
        ),
        (
            "neuronDevicePlugin",
            plugins.neuron_device_plugin.enabled,
            [g for g in context.resolved.values() if not g.type.has_nvidia_gpu],
            NEURON_DEVICE,
        ),
        (
            "efaDevicePlugin",
            plugins.efa_device_plugin.enabled,
            [g for g in context.resolved.values() if g.has_efa],
            EFA_DEVICE,
        ),
        (
            "draDriver",
            plugins.dra_driver.enabled,
            [g for g in context.resolved.values() if g.is_claimed],
            NVIDIA_GPU_DEVICE_CLASS,
        ),
    )
    for name, enabled, groups, resource in switches:
        if not enabled and groups:
            yield RuleFinding(
                f"plugins.{name}.enabled",
                f"{', '.join(g.name for g in groups)} will not advertise {resource}",
                "false",
                "true",
                "set it to true, or install the plugin by other means",
            )
