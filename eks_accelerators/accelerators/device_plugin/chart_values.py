"""Helm values as a chart's templates find them, and what is judged of configurations that are embedded in them."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from eks_accelerators.accelerators.device_plugin.configuration_loader import Flags
from eks_accelerators.accelerators.device_plugin.images import Nodes, sharing_problem
from eks_accelerators.accelerators.device_plugin.judge import MOST_BYTES, Effective, Judgement, Verdict, judge
from eks_accelerators.accelerators.device_plugin.nodes import Node
from eks_accelerators.accelerators.device_plugin.report import ConfigurationReport
from eks_accelerators.accelerators.device_plugin.values import shown
from eks_accelerators.accelerators.device_plugin.yaml_reader import join, read
from eks_accelerators.accelerators.device_plugin.yaml_words import UnreadableError
from eks_accelerators.accelerators.findings import Finding

CHART_CODES = (
    *("chart-namespace", "chart-configurations", "no-config-map", "mps-without-discovery"),
    *("operator-installs-again", "operator-two-stacks", "mig-configurations", "mig-compute-instances"),
    *(
        "image-runs-plugin",
        "auto-mode-sharing",
        "mig-mixed-on-bottlerocket",
        "mig-bottlerocket",
        "mig-bottlerocket-profile",
    ),
)
"""Codes of what is found in values of charts, and on nodes of certain images, beside those of a configuration."""

_CONFIGURATION_KEYS = frozenset({"version", "flags", "sharing"})
"""Of a configuration of the plugin; neither chart has a value of one of these names."""

_BLOCK = re.compile(r":\s*[|][-+0-9]*\s*(#.*)?$")
"""The end of a line below which a text stands as it is."""


@dataclass(frozen=True, slots=True)
class ChartJudgement:
    """What is to be said of a chart's values.

    ``configurations`` are those of the device plugin that the values embed, by key; ``default`` is the key that a node
    without a label gets, None where it gets none. A path into an embedded text follows the text's own, after `: `.
    """

    problems: tuple[Finding, ...]
    ignored: tuple[str, ...]
    configurations: Mapping[str, Judgement]
    default: str | None

    @property
    def verdict(self) -> Verdict:
        """In one word, as the documented JSON has it."""
        return Judgement(self.problems, self.ignored).verdict

    @property
    def effective(self) -> Effective | None:
        """What the plugin of a node without a label goes on with; None where it has nothing to go on with."""
        judgement = self.configurations.get(self.default or "")
        return judgement.effective if judgement else None


@dataclass(slots=True)
class ChartValues:
    """Values, and what is found in them. ``source`` are the lines of the file, where there is one."""

    values: Mapping[str, Any]
    report: ConfigurationReport = field(default_factory=ConfigurationReport)
    source: tuple[str, ...] = ()

    @classmethod
    def of_text(cls, text: str | bytes) -> "ChartValues | Finding":
        """Values of a file, read as Helm reads it, which is as the plugin does; or why they cannot be read."""
        size = len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        if size > MOST_BYTES:
            message = f"{size} bytes; the Secret in which Helm keeps a release holds at most {MOST_BYTES}"
            return Finding("too-large", "", message)
        try:
            document = read(text)
        except UnreadableError as error:
            return Finding("not-yaml", "", f"no YAML that Helm reads: {error}", line=error.line)
        if not isinstance(document.value, dict | None):
            return Finding("wrong-type", "", f"{shown(document.value)} is no mapping of values", line=1)
        decoded = text if isinstance(text, str) else text.decode("utf-8", "replace")
        return cls(document.value or {}, ConfigurationReport.on(document), tuple(decoded.splitlines()))

    def get(self, path: str, default: Any = None) -> Any:
        """What stands at ``path``, or the chart's default where nothing does; null removes what stands there."""
        found: Any = self.values
        keys = path.split(".")
        for index, key in enumerate(keys):
            found = self._mapping(found, ".".join(keys[:index])).get(key)
            if found is None:
                return default
        return found

    def mapping(self, path: str) -> Mapping[str, Any]:
        """The mapping at ``path``, empty where there is none."""
        return self._mapping(self.get(path, {}), path)

    def _mapping(self, value: Any, path: str) -> Mapping[str, Any]:
        """``value``, found at ``path``; what is no mapping is reported."""
        if isinstance(value, Mapping):
            return value
        self._wrong_type(path, f"{shown(value)} is no mapping")
        return {}

    def _wrong_type(self, path: str, message: str) -> None:
        """Once, however often the value is read."""
        if path not in {one.path for one in self.report.findings}:
            self.report.error("wrong-type", path, message)

    def text(self, path: str, default: str = "") -> str:
        """The text at the dotted ``path``, or ``default``; a value of another type is noted as a problem."""
        found = self.get(path, default)
        if isinstance(found, str):
            return found
        self._wrong_type(path, f"{shown(found)} is no text")
        return default

    def text_if_any(self, path: str) -> str | None:
        """The text at ``path``, also where it is empty; None where there is none."""
        return None if self.get(path) is None else self.text(path)

    def texts(self, path: str) -> dict[str, str]:
        """A mapping of texts, such as a ConfigMap's data; what is no text is left out."""
        found = {}
        for key, text in self.mapping(path).items():
            if isinstance(text, str):
                found[key] = text
            else:
                message = f"{shown(text)} is no text: a configuration is one text, written below `{key}: |-`"
                self.report.error("wrong-type", join(path, key), message)
        return found

    def only(
        self, path: str, keys: Collection[str], chart: str, meant: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Report keys below ``path`` that the chart does not read. ``meant`` has those of the other chart."""
        for key in self.mapping(path):
            if key not in keys:
                hint = f"; it calls this {meant[key]}" if key in meant else ""
                message = f"ignored: {chart} reads {', '.join(keys)} here{hint}"
                self.report.ignore("unknown-key", join(path, key), message)

    def no_configuration(self, chart: str, place: str) -> None:
        """Report what belongs into a configuration of the plugin and stands beside the values; no chart reads it."""
        for key in sorted(_CONFIGURATION_KEYS & self.values.keys()):
            message = f"ignored: {chart} has no such value; it is of a configuration, which is a text below {place}"
            self.report.ignore("unknown-key", key, message)

    def embedded(self, path: str, found: Finding) -> None:
        """Add what is found in the text at ``path``, with the line that it has in the file."""
        self.report.findings.append(replace(found, path=_inside(path, found.path), line=self._line(path, found.line)))

    def judge(self, path: str, text: str, flags: Flags, nodes: Nodes, node: Node | None) -> Judgement:
        """Judge the plugin's configuration at ``path``."""
        judgement = judge(text, node, flags)
        for found in judgement.problems:
            self.embedded(path, found)
        if problem := sharing_problem(judgement, nodes):
            self.embedded(path, problem)
        self.report.ignored += [_inside(path, one) for one in judgement.ignored]
        return judgement

    def _line(self, path: str, inner: int | None) -> int | None:
        line = self.report.lines.get(path)
        if line is None:
            return None if self.source else inner
        block = line <= len(self.source) and _BLOCK.search(self.source[line - 1])
        return line + inner if inner and block else line


def _inside(path: str, inner: str) -> str:
    return f"{path}: {inner}" if inner else path
