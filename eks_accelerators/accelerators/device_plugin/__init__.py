"""The NVIDIA device plugin's configuration: written, chosen, and judged as the plugin itself does."""

from eks_accelerators.accelerators.device_plugin.chart_values import CHART_CODES, ChartJudgement, ChartValues
from eks_accelerators.accelerators.device_plugin.charts import (
    judge_plugin_chart,
    operator_chart_problems,
    plugin_chart_refusals,
)
from eks_accelerators.accelerators.device_plugin.configuration_loader import CHART, Flags, Loaded
from eks_accelerators.accelerators.device_plugin.configuration_writer import config_key, configuration
from eks_accelerators.accelerators.device_plugin.images import judge_for_nodes
from eks_accelerators.accelerators.device_plugin.judge import (
    CODES,
    ConfigurationRefusedError,
    Effective,
    Judgement,
    advertise,
    judge,
    judge_values,
    load_text,
)
from eks_accelerators.accelerators.device_plugin.nodes import Node
from eks_accelerators.accelerators.device_plugin.selection import NoConfigurationError, select
from eks_accelerators.accelerators.device_plugin.shared_resources import SharedResource

__all__ = [
    "CHART",
    "CHART_CODES",
    "CODES",
    "ChartJudgement",
    "ChartValues",
    "ConfigurationRefusedError",
    "Effective",
    "Flags",
    "Judgement",
    "Loaded",
    "NoConfigurationError",
    "Node",
    "SharedResource",
    "advertise",
    "config_key",
    "configuration",
    "judge",
    "judge_for_nodes",
    "judge_plugin_chart",
    "judge_values",
    "load_text",
    "operator_chart_problems",
    "plugin_chart_refusals",
    "select",
]
