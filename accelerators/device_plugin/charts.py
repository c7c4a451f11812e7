"""What Helm charts that install the plugin refuse, and what they take although it cannot work on EKS.

Sources: NVIDIA k8s-device-plugin v0.20.0, `deployments/helm/nvidia-device-plugin` (`templates/validation.yml`, MPS
DaemonSet's node selector); NVIDIA gpu-operator v26.7.0 (`values.yaml`); Amazon EKS User Guide (what the accelerated
images contain); read 2026-11-20.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from accelerators.device_plugin.judge import judge
from accelerators.device_plugin.loading import Flags
from accelerators.device_plugin.selection import FALLBACK_STRATEGIES, NoConfigurationError, select
from accelerators.findings import Finding

Values = Mapping[str, Any]


def plugin_chart_problems(values: Values, namespace: str) -> list[Finding]:
    """What the chart `nvidia-device-plugin` refuses in ``values``, or installs and then does nothing with."""
    return [*plugin_chart_refusals(values, namespace), *_without_effect(values)]


def operator_chart_problems(values: Values, image_runs_plugin: bool) -> list[Finding]:
    """What the chart `gpu-operator` must leave alone on EKS images.

    ``image_runs_plugin`` is whether the image has a device plugin of its own, as Bottlerocket's has.
    """
    has = {"driver": "the driver", "toolkit": "the container toolkit"}
    if image_runs_plugin:
        has["devicePlugin"] = "a device plugin"
    problems = [
        Finding(
            "operator-installs-again", f"{part}.enabled", f"true: the EKS image already has {what}; set it to false"
        )
        for part, what in has.items()
        if _value(values, f"{part}.enabled", True)
    ]
    if _value(values, "gpuCluster.deployCR", False) and _value(values, "clusterPolicy.deployCR", True):
        message = "true beside clusterPolicy.deployCR: one of the two decides about a cluster"
        problems.append(Finding("operator-two-stacks", "gpuCluster.deployCR", message))
    return problems


def plugin_chart_refusals(values: Values, namespace: str) -> Iterator[Finding]:
    """What the chart `nvidia-device-plugin` itself refuses to render."""
    configurations = _value(values, "config.map", {})
    if _value(values, "namespace", None):
        yield Finding("chart-namespace", "namespace", "no value any more; give the release its namespace")
    if namespace == "default" and not _value(values, "allowDefaultNamespace", False):
        message = "refuses the namespace default unless allowDefaultNamespace is true"
        yield Finding("chart-namespace", "", message)
    if _value(values, "config.name", "") and configurations:
        yield Finding("chart-configurations", "config.name", "config.name and config.map exclude each other")
    default = _value(values, "config.default", "")
    if configurations and not default:
        try:
            select(configurations, None, "", _value(values, "config.fallbackStrategies", FALLBACK_STRATEGIES))
        except NoConfigurationError:
            message = (
                f"config.map has {len(configurations)} configurations and none is the default; "
                "set config.default, or a fallback strategy that finds one"
            )
            yield Finding("chart-configurations", "config.map", message)


def _without_effect(values: Values) -> Iterator[Finding]:
    configurations = _value(values, "config.map", {})
    default = _value(values, "config.default", "")
    if configurations and default and default not in configurations:
        message = f"{default!r} is no key of config.map, so pods on nodes without a label restart for ever"
        yield Finding("chart-configurations", "config.default", message)
    if _value(values, "config.name", ""):
        message = "a change of that ConfigMap's content is not noticed; give a changed one another name"
        yield Finding("chart-configurations", "config.name", message, "warning")
    flags = Flags(mig_strategy=_value(values, "migStrategy", None))
    for key, text in configurations.items():
        judgement = judge(str(text), flags=flags)
        yield from (
            Finding(found.code, f"config.map.{key}: {found.path}", found.message, found.severity, found.line)
            for found in judgement.problems
        )
        with_mps = judgement.effective and judgement.effective.strategy == "mps"
        if with_mps and not _value(values, "gfd.enabled", False):
            message = f"false: {key} uses MPS, whose control daemon runs where GPU Feature Discovery labels nodes"
            yield Finding("mps-without-discovery", "gfd.enabled", message, "warning")


def _value(values: Values, path: str, default: Any) -> Any:
    """What stands at ``path``, or the chart's default where nothing does; null removes what stands there."""
    found: Any = values
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
        if found is None:
            return default
    return found
