"""The NVIDIA device plugin's configuration: written, chosen, and judged as the plugin itself does."""

from accelerators.device_plugin.chart_values import CHART_CODES, ChartJudgement, ChartValues
from accelerators.device_plugin.charts import judge_plugin_chart, operator_chart_problems, plugin_chart_refusals
from accelerators.device_plugin.images import judge_for_nodes
from accelerators.device_plugin.judge import (
    CODES,
    Effective,
    Judgement,
    RefusedError,
    advertise,
    judge,
    judge_values,
    load_text,
)
from accelerators.device_plugin.loading import CHART, Flags, Loaded
from accelerators.device_plugin.nodes import Node
from accelerators.device_plugin.selection import NoConfigurationError, select
from accelerators.device_plugin.shared_resources import SharedResource
from accelerators.device_plugin.writing import config_key, configuration

__all__ = [
    "CHART",
    "CHART_CODES",
    "CODES",
    "ChartJudgement",
    "ChartValues",
    "Effective",
    "Flags",
    "Judgement",
    "Loaded",
    "NoConfigurationError",
    "Node",
    "RefusedError",
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
