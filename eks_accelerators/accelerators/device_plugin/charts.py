"""What Helm charts that install the plugin refuse, and what they take although it cannot work on EKS.

Sources: NVIDIA k8s-device-plugin v0.20.0, `deployments/helm/nvidia-device-plugin` (`templates/validation.yml`,
`templates/configmap.yml`, MPS DaemonSet's node selector); NVIDIA gpu-operator v26.7.0 (`values.yaml`); Amazon EKS User
Guide (what the accelerated images contain); read 2026-11-20.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.accelerators.device_plugin.chart_values import ChartJudgement, ChartValues
from eks_accelerators.accelerators.device_plugin.configuration_loader import CHART_MPS_ROOT, Flags
from eks_accelerators.accelerators.device_plugin.images import Nodes, chart_problem
from eks_accelerators.accelerators.device_plugin.nodes import Node
from eks_accelerators.accelerators.device_plugin.selection import FALLBACK_STRATEGIES, NoConfigurationError, select
from eks_accelerators.accelerators.device_plugin.values import shown
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.number_of import number_of

Values = Mapping[str, Any]

_KEYS = ("map", "name", "default", "fallbackStrategies")
_OPERATOR_S_KEYS = {"data": "map", "create": "map, and creates a ConfigMap where it has keys"}


def judge_plugin_chart(
    values: ChartValues, namespace: str, nodes: Nodes = "al2023", node: Node | None = None
) -> ChartJudgement:
    """What the chart `nvidia-device-plugin` makes of values in ``namespace``, for ``nodes`` and for ``node`` if given."""
    report = values.report
    if problem := chart_problem(nodes):
        report.findings.append(problem)
    values.no_configuration("the chart nvidia-device-plugin", "config.map")
    texts = values.texts("config.map")
    report.findings += plugin_chart_refusals(values.values, namespace)
    values.only("config", _KEYS, "the chart nvidia-device-plugin", _OPERATOR_S_KEYS)
    default = values.text("config.default")
    if texts and default and default not in texts:
        message = f"{default!r} is no key of config.map, so pods on nodes without a label restart for ever"
        report.error("chart-configurations", "config.default", message)
    if values.text("config.name"):
        message = "a change of that ConfigMap's content is not noticed; give a changed one another name"
        report.warning("chart-configurations", "config.name", message)
    flags = _flags(values)
    configurations = {key: values.judge(f"config.map.{key}", text, flags, nodes, node) for key, text in texts.items()}
    warn_of_mps_without_discovery(values, configurations, values.get("gfd.enabled", False))
    return ChartJudgement(tuple(report.findings), tuple(report.ignored), configurations, _default(values, default))


def _flags(values: ChartValues) -> Flags:
    """What the chart tells the plugin beside its file; of a value that is empty too, but not of one that is null."""
    return Flags(
        mig_strategy=values.text_if_any("migStrategy"),
        mps_root=values.text("mps.root", CHART_MPS_ROOT),
        device_list_strategy=values.text_if_any("deviceListStrategy"),
        device_id_strategy=values.text_if_any("deviceIDStrategy"),
        device_discovery_strategy=values.text_if_any("deviceDiscoveryStrategy"),
    )


def _default(values: ChartValues, default: str) -> str | None:
    try:
        return select(values.mapping("config.map"), None, default, _strategies(values))
    except NoConfigurationError:
        return None


def warn_of_mps_without_discovery(values: ChartValues, configurations: Mapping[str, Any], discovers: Any) -> None:
    """The control daemon runs where GPU Feature Discovery labels nodes; ``discovers`` is whether it is installed."""
    for key, judgement in configurations.items():
        if judgement.effective and judgement.effective.strategy == "mps" and not discovers:
            message = f"false: {key} uses MPS, whose control daemon runs where GPU Feature Discovery labels nodes"
            values.report.warning("mps-without-discovery", "gfd.enabled", message)


def operator_chart_problems(values: Values, image_runs_plugin: bool) -> list[Finding]:
    """What the chart `gpu-operator` must leave alone on EKS images.

    ``image_runs_plugin`` is whether the image has a device plugin of its own, as Bottlerocket's has.
    """
    found = ChartValues(values)
    has = {"driver": "the driver", "toolkit": "the container toolkit"}
    if image_runs_plugin:
        has["devicePlugin"] = "a device plugin"
    problems = [
        Finding(
            "operator-installs-again", f"{part}.enabled", f"true: the EKS image already has {what}; set it to false"
        )
        for part, what in has.items()
        if found.get(f"{part}.enabled", True)
    ]
    if found.get("gpuCluster.deployCR", False) and found.get("clusterPolicy.deployCR", True):
        message = "true beside clusterPolicy.deployCR: one of the two decides about a cluster"
        problems.append(Finding("operator-two-stacks", "gpuCluster.deployCR", message))
    return problems


def plugin_chart_refusals(values: Values, namespace: str) -> Iterator[Finding]:
    """What the chart `nvidia-device-plugin` itself refuses to render."""
    found = ChartValues(values)
    configurations = found.mapping("config.map")
    if found.get("namespace"):
        yield Finding("chart-namespace", "namespace", "no value any more; give the release its namespace")
    if namespace == "default" and not found.get("allowDefaultNamespace", False):
        message = "refuses the namespace default unless allowDefaultNamespace is true"
        yield Finding("chart-namespace", "", message)
    if found.get("config.name", "") and configurations:
        yield Finding("chart-configurations", "config.name", "config.name and config.map exclude each other")
    if not isinstance(strategies := found.get("config.fallbackStrategies", []), list):
        yield Finding("wrong-type", "config.fallbackStrategies", f"{shown(strategies)} is no list")
    elif configurations and not found.get("config.default", ""):
        try:
            select(configurations, None, "", _strategies(found))
        except NoConfigurationError:
            message = (
                f"config.map has {number_of(len(configurations), 'configuration')} and none is the default; "
                "set config.default, or a fallback strategy that finds one"
            )
            yield Finding("chart-configurations", "config.map", message)


def _strategies(values: ChartValues) -> list[str]:
    found = values.get("config.fallbackStrategies", FALLBACK_STRATEGIES)
    return [str(one) for one in found] if isinstance(found, list | tuple) else list(FALLBACK_STRATEGIES)
