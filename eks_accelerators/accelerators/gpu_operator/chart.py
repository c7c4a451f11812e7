"""What the GPU Operator makes of its chart's values: what it installs again, and the configurations it hands on.

Sources: NVIDIA gpu-operator v26.7.0, `values.yaml`, `templates/plugin_config.yaml`, `templates/mig_config.yaml`, and
`controllers/object_controls.go` (`applyMIGConfiguration`, `handleDevicePluginConfig`); its DaemonSet of the plugin has no
fallback strategy. Read 2026-11-21.
"""

from collections.abc import Collection
from dataclasses import replace

from eks_accelerators.accelerators.device_plugin.chart_values import ChartJudgement, ChartValues
from eks_accelerators.accelerators.device_plugin.charts import operator_chart_problems, warn_of_mps_without_discovery
from eks_accelerators.accelerators.device_plugin.configuration_loader import Flags
from eks_accelerators.accelerators.device_plugin.images import WITH_OWN_PLUGIN, Nodes
from eks_accelerators.accelerators.device_plugin.judge import Judgement
from eks_accelerators.accelerators.device_plugin.nodes import Node
from eks_accelerators.accelerators.device_plugin.values import shown
from eks_accelerators.accelerators.gpu_operator.mig_parted import judge_mig_parted
from eks_accelerators.accelerators.mig.manager import ALL_DISABLED, CONFIG_FILE
from eks_accelerators.accelerators.mig.rules import auto_mode_problem

_CHART = "the chart gpu-operator"
_KEYS = ("create", "name", "default", "data")
_PLUGIN_CHART_S_KEYS = {"map": "data"}
_SWITCHES = (
    *("driver", "toolkit", "devicePlugin", "gfd", "migManager", "dcgmExporter", "cdi"),
    *("devicePlugin.config.create", "migManager.config.create"),
)
_MIG_STRATEGIES = ("none", "single", "mixed")


def judge_operator_chart(values: ChartValues, nodes: Nodes = "al2023", node: Node | None = None) -> ChartJudgement:
    """What the chart `gpu-operator` makes of values, for ``nodes`` and for ``node`` where one is given."""
    report, image_runs_plugin = values.report, nodes in WITH_OWN_PLUGIN
    values.no_configuration(_CHART, "devicePlugin.config.data")
    for name in _SWITCHES:
        path = name if name.endswith(".create") else f"{name}.enabled"
        if not isinstance(found := values.get(path, False), bool):
            report.error("wrong-type", path, f"{shown(found)} is neither true nor false")
    report.findings += operator_chart_problems(values.values, image_runs_plugin)
    if nodes == "auto-mode" and values.get("gpuCluster.deployCR", False):
        problem = auto_mode_problem("Dynamic Resource Allocation")
        report.findings.append(replace(problem, path="gpuCluster.deployCR"))
    strategy = values.text("mig.strategy", "single")
    if strategy and strategy not in _MIG_STRATEGIES:
        report.error("mig-strategy", "mig.strategy", f"{shown(strategy)} is none of {', '.join(_MIG_STRATEGIES)}")
        strategy = ""
    configurations = _plugin(values, strategy, nodes, node)
    if configurations and image_runs_plugin:
        message = "ignored: the nodes' image runs a device plugin of its own"
        report.ignore("image-runs-plugin", "devicePlugin.config", message)
    warn_of_mps_without_discovery(values, configurations, values.get("gfd.enabled", True))
    _mig_manager(values, strategy, nodes, node)
    default = values.text("devicePlugin.config.default")
    return ChartJudgement(tuple(report.findings), tuple(report.ignored), configurations, default or None)


def _plugin(values: ChartValues, strategy: str, nodes: Nodes, node: Node | None) -> dict[str, Judgement]:
    """Configurations of the device plugin. The operator tells its MIG strategy to all of them, unless it is empty."""
    path = "devicePlugin.config"
    values.only(path, _KEYS, _CHART, _PLUGIN_CHART_S_KEYS)
    texts = values.texts(f"{path}.data")
    default, report = values.text(f"{path}.default"), values.report
    _check_made(values, path, texts)
    if texts and not default:
        message = (
            "no default: the plugin's pods on nodes without the label nvidia.com/device-plugin.config restart for ever"
        )
        report.warning("chart-configurations", f"{path}.default", message)
    if texts and default and default not in texts:
        message = f"{default!r} is no key of data, so pods on nodes without a label restart for ever"
        report.error("chart-configurations", f"{path}.default", message)
    flags = Flags(mig_strategy=strategy or None)
    return {key: values.judge(f"{path}.data.{key}", text, flags, nodes, node) for key, text in texts.items()}


def _mig_manager(values: ChartValues, strategy: str, nodes: Nodes, node: Node | None) -> None:
    """Layouts of the MIG manager's own file; without one it has those that it generates of the hardware."""
    path, report = "migManager.config", values.report
    values.only(path, _KEYS, _CHART, _PLUGIN_CHART_S_KEYS)
    texts = values.texts(f"{path}.data")
    _check_made(values, path, texts)
    if not texts:
        return
    if nodes == "auto-mode":
        report.findings.append(replace(auto_mode_problem("MIG"), path=f"{path}.data"))
    for key in texts:
        if key != CONFIG_FILE:
            report.ignore(
                "unknown-key", f"{path}.data.{key}", f"ignored: the MIG manager reads the key {CONFIG_FILE} only"
            )
    if CONFIG_FILE not in texts:
        report.error("mig-configurations", f"{path}.data", f"no key {CONFIG_FILE}, which the MIG manager reads")
        return
    problems, names = judge_mig_parted(texts[CONFIG_FILE], node.instance_type if node else None, strategy)
    for problem in problems:
        values.embedded(f"{path}.data.{CONFIG_FILE}", problem)
    default = values.text(f"{path}.default", ALL_DISABLED)  # the chart's own
    if names and default and default not in names:
        message = f"{default!r} is no configuration of {CONFIG_FILE}, which has: {', '.join(names)}"
        report.error("mig-configurations", f"{path}.default", message)


def _check_made(values: ChartValues, path: str, texts: Collection[str]) -> None:
    """A ConfigMap is made of data where `create` is true, and used by its name alone."""
    create, name = values.get(f"{path}.create", False), values.text(f"{path}.name")
    if texts and not create:
        message = "ignored: create is not true, so that no ConfigMap is made of this"
        values.report.ignore("no-config-map", f"{path}.data", message)
    if create and not texts:
        values.report.warning("no-config-map", f"{path}.create", "true, and there is no data to make a ConfigMap of")
    if create and not name:
        values.report.error("no-config-map", f"{path}.name", "missing: a ConfigMap that is created has a name")
