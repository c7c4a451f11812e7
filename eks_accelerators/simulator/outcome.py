"""What an operation of the Pulumi engine did, as its events say it."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from pulumi.automation.events import EngineEvent

Action = Literal["preview", "up", "refresh", "destroy"]


@dataclass(frozen=True, slots=True)
class EngineStep:
    """One step that the engine has taken, or plans."""

    op: str
    urn: str

    @property
    def changes(self) -> bool:
        """Whether something changes that is told: the engine's own default providers are not, as in `pulumi up`."""
        is_own = self.type.startswith("pulumi:providers:") and self.name.startswith("default")
        return self.op not in ("same", "read", "refresh") and not is_own

    @property
    def type(self) -> str:
        """Type token of the resource, as its URN has it."""
        return self.urn.split("::")[2].rpartition("$")[2]

    @property
    def name(self) -> str:
        """The resource's name in the program."""
        return self.urn.split("::")[3]


@dataclass(slots=True)
class Outcome:
    """What an operation of the engine did. ``failed`` has the steps that failed, ``messages`` what was said."""

    action: Action
    ok: bool = True
    steps: list[EngineStep] = field(default_factory=list)
    failed: list[EngineStep] = field(default_factory=list)
    messages: list[tuple[str, str]] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    crashed: bool = False
    waits: dict[str, float] = field(default_factory=dict)
    """Seconds for which a provider would have waited on real AWS, by URN of what failed so."""
    interrupted: int | None = None
    """The signal by which somebody ended it."""

    @property
    def changes(self) -> dict[str, int]:
        """Number of resources by operation, those that stay the same left out."""
        counted: dict[str, int] = {}
        for step in self.steps:
            if step.changes:
                counted[step.op] = counted.get(step.op, 0) + 1
        return counted

    @property
    def errors(self) -> list[str]:
        """What went wrong, in the engine's and the providers' words."""
        return [text for severity, text in self.messages if severity == "error"]

    def note(self, event: EngineEvent) -> None:
        """Take what the event says: a step, one that failed, a message. Of a preview the steps are those that are planned."""
        if planned := event.resource_pre_event:
            if self.action == "preview":
                self.steps.append(_step(planned.metadata))
        elif done := event.res_outputs_event:
            if self.action != "preview":
                self.steps.append(_step(done.metadata))
        elif failed := event.res_op_failed_event:
            self.failed.append(_step(failed.metadata))
        elif said := event.diagnostic_event:
            text = said.message.strip()
            if said.severity in ("error", "warning", "info#err") and text:
                self.messages.append(("error" if said.severity == "error" else "warning", text))

    def fail(self, text: str) -> None:
        """Note that the engine ended badly, of which the SDK says ``text``."""
        self.ok = False
        if killed := re.match(r"\s*code: -(\d+)", text):
            self.crashed = True
            self.messages.append(("error", f"the engine was killed by signal {killed[1]}"))
        elif not self.errors:
            self.messages.append(("error", _first_error(text)))


def _step(metadata: Any) -> EngineStep:
    op = metadata.op.value if hasattr(metadata.op, "value") else str(metadata.op)
    return EngineStep(op, metadata.urn)


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "error:" in line]
    return lines[0] if lines else text.strip().splitlines()[-1]
