"""Whether the plugin takes a configuration, what of it has no effect, and what a node advertises then."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from eks_accelerators.accelerators.device_plugin.configuration_loader import CHART, Flags, Loaded, load
from eks_accelerators.accelerators.device_plugin.nodes import MIG_PREFIX, Node, advertised, check_anywhere
from eks_accelerators.accelerators.device_plugin.report import ConfigurationReport
from eks_accelerators.accelerators.device_plugin.shared_resources import SharedResource
from eks_accelerators.accelerators.device_plugin.yaml_reader import join, read
from eks_accelerators.accelerators.device_plugin.yaml_words import UnreadableError
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.sharing import NVIDIA_GPU

Verdict = Literal["accepted", "rejected", "accepted-but-ignores"]

CODES = (
    *("too-large", "not-yaml", "wrong-type", "version", "no-resources", "no-resource-name", "replicas"),
    *("resource-name", "devices", "device-list-strategy", "device-id-strategy", "allocation-policy", "mig-strategy"),
    *("device-discovery-strategy", "imex-channels", "mps-with-mixed-mig", "mps-root", "mps-clients", "mps-on-mig"),
    *("mps-without-daemon", "mig-not-uniform", "mig-not-served", "unknown-key", "misplaced-key", "ignored-key"),
    *("both-kinds", "resource-twice", "resource-not-there", "mps-resource", "time-slicing-on-mig"),
    *("requests-greater-than-one", "key-twice", "further-document", "overridden-flag"),
)
"""Codes of what is found in a configuration."""

MOST_BYTES = 2**20
"""What a ConfigMap or a Secret of Kubernetes holds."""


@dataclass(frozen=True, slots=True)
class Effective:
    """What the plugin goes on with. ``advertised`` is by resource, None where the node is not known."""

    strategy: Literal["none", "time-slicing", "mps"]
    mig_strategy: str
    rename_by_default: bool
    fail_requests_greater_than_one: bool
    allocation_policy: str
    resources: tuple[SharedResource, ...]
    advertised: Mapping[str, int] | None

    def largest_request(self, resource: str) -> int | None:
        """How many of ``resource`` a pod may ask for; None where nothing limits it, or the node is not known.

        A larger request for shares ends in `UnexpectedAdmissionError`, not in Pending (`internal/rm/rm.go`).
        """
        shared = any(one.advertised_as == resource for one in self.resources)
        if shared and self.fail_requests_greater_than_one:
            return 1
        return None if self.advertised is None else self.advertised.get(resource, 0)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is to be said of a configuration. ``effective`` is None for one that is refused.

    ``ignored`` are property paths that have no effect, in the order of the file's sections.
    """

    problems: tuple[Finding, ...]
    ignored: tuple[str, ...] = ()
    effective: Effective | None = None

    @property
    def verdict(self) -> Verdict:
        """In one word, as the documented JSON has it."""
        if self.errors:
            return "rejected"
        return "accepted-but-ignores" if self.ignored else "accepted"

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The problems for which the plugin refuses the configuration."""
        return tuple(problem for problem in self.problems if problem.severity == "error")


class ConfigurationRefusedError(ValueError):
    """The plugin refuses the configuration. ``findings`` say why."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("; ".join(map(str, findings)))


def load_text(text: str | bytes, flags: Flags = CHART) -> Loaded:
    """What the plugin alone makes of a configuration file, before it looks for devices. Raises `ConfigurationRefusedError`."""
    try:
        document = read(text)
    except UnreadableError as error:
        raise ConfigurationRefusedError((_unreadable(error),)) from None
    report = ConfigurationReport(document.lines)
    loaded = load(document.value, flags, report)
    if report.refused:
        raise ConfigurationRefusedError(tuple(one for one in report.findings if one.severity == "error"))
    return loaded


def advertise(loaded: Loaded, node: Node) -> Mapping[str, int]:
    """What ``node`` advertises under what was loaded, by resource.

    Raises `ConfigurationRefusedError` where the plugin refuses the GPUs together with it.
    """
    report = ConfigurationReport()
    found = advertised(loaded, node, report)
    if report.refused:
        raise ConfigurationRefusedError(tuple(one for one in report.findings if one.severity == "error"))
    return found


def judge(text: str | bytes, node: Node | None = None, flags: Flags = CHART) -> Judgement:
    """Judge the text of a configuration file, for a certain node where one is given."""
    size = len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        return Judgement((Finding("too-large", "", f"{size} bytes; a ConfigMap holds at most {MOST_BYTES}"),))
    try:
        document = read(text)
    except UnreadableError as error:
        return Judgement((_unreadable(error),))
    return _judge(document.value, ConfigurationReport.on(document), node, flags)


def judge_values(values: Mapping[str, Any], node: Node | None = None, flags: Flags = CHART) -> Judgement:
    """Judge a configuration's values, such as `configuration` makes."""
    return _judge(dict(values), ConfigurationReport(), node, flags)


def _unreadable(error: UnreadableError) -> Finding:
    return Finding("not-yaml", "", f"no YAML that the plugin reads: {error}", line=error.line)


def _judge(value: Any, report: ConfigurationReport, node: Node | None, flags: Flags) -> Judgement:
    loaded = load(value, flags, report)
    found = None
    if not report.refused:
        _advise(loaded, node, report)
        if node:
            found = advertised(loaded, node, report)
        else:
            check_anywhere(loaded, report)
    if report.refused:
        return Judgement(tuple(report.findings), tuple(report.ignored))
    section = loaded.section
    effective = Effective(
        loaded.strategy,
        loaded.mig_strategy,
        bool(section and section.rename_by_default),
        loaded.fails_requests_greater_than_one,
        loaded.allocation_policy,
        section.resources if section else (),
        found,
    )
    return Judgement(tuple(report.findings), tuple(report.ignored), effective)


def _advise(loaded: Loaded, node: Node | None, report: ConfigurationReport) -> None:
    """What the plugin takes, and NVIDIA or AWS advise against."""
    section, resources = loaded.section, "resources"
    if loaded.strategy == "time-slicing" and not loaded.fails_requests_greater_than_one:
        path = "sharing.timeSlicing.failRequestsGreaterThanOne"
        message = "not true: a pod may ask for several shares, and they may be of one GPU, which gives it no more"
        report.warning("requests-greater-than-one", path, message)
    for index, shared in enumerate(section.resources if section else ()):
        if loaded.strategy == "mps" and shared.name != NVIDIA_GPU:
            path = join(join("sharing.mps", resources), index)
            report.warning("mps-resource", path, f"MPS shares {NVIDIA_GPU} only, not {shared.name}")
        if loaded.strategy == "time-slicing" and _is_mig(shared.name, loaded, node):
            path = join(join("sharing.timeSlicing", resources), index)
            message = f"{shared.name} are MIG instances; AWS says that time-slicing has no effect on them"
            report.warning("time-slicing-on-mig", path, message)


def _is_mig(name: str, loaded: Loaded, node: Node | None) -> bool:
    if loaded.mig_strategy == "mixed":
        return name.startswith(MIG_PREFIX)
    return loaded.mig_strategy == "single" and name == NVIDIA_GPU and node is not None and node.in_mig_mode > 0
