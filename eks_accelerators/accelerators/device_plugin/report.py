"""What is found in a configuration on the way: problems, and property paths that do nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from eks_accelerators.accelerators.device_plugin.yaml_reader import Document, join
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.suggest import closest

_MOST_HINTS = 50
"""To look for similar words takes time; a text full of unknown keys is no configuration anyway."""


@dataclass(slots=True)
class ConfigurationReport:
    """Collects. ``lines`` are those of property paths, where there is a text."""

    lines: Mapping[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    @classmethod
    def on(cls, document: Document) -> Self:
        """A report on a text. It begins with what is written and never looked at."""
        report = cls(document.lines)
        for path, line in document.replaced:
            report.ignore("key-twice", path, "ignored: written again further down, and the last one counts", line)
        if document.further:
            report.ignore("further-document", "---", "ignored from here on: one document is read", document.further)
        return report

    @property
    def refused(self) -> bool:
        """Whether anything found is an error."""
        return any(finding.severity == "error" for finding in self.findings)

    def error(self, code: str, path: str, message: str) -> None:
        """Something that the plugin, or what runs beside it, refuses."""
        self._add(code, path, message, "error")

    def warning(self, code: str, path: str, message: str) -> None:
        """Something that is accepted, and does not do what it seems to."""
        self._add(code, path, message, "warning")

    def ignore(self, code: str, path: str, message: str, line: int | None = None) -> None:
        """Something that has no effect at all. ``line`` is its own, where that of the path is another's."""
        self.ignored.append(path)
        self.findings.append(Finding(code, path, message, "warning", line or self.lines.get(path)))

    def unknown_key(self, path: str, key: str, known: Mapping[str, Any]) -> None:
        """A key that the plugin does not know, and says nothing about."""
        near = closest(key, known) if len(self.ignored) < _MOST_HINTS else None
        hint = f"; did you mean {near}?" if near else ""
        self.ignore("unknown-key", join(path, key), f"ignored: the plugin has no such key{hint}")

    def _add(self, code: str, path: str, message: str, severity: Literal["error", "warning"]) -> None:
        self.findings.append(Finding(code, path, message, severity, self.lines.get(path)))
