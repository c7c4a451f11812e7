"""What the engine does, as it does it: a line for every resource that changes."""

import threading
from typing import Any

from pulumi.automation.events import EngineEvent
from rich.console import Console

from eks_accelerators.accel.render_text import short_type
from eks_accelerators.accel.terminal_status import TerminalStatus

_SIGNS = {
    "create": "+",
    "update": "~",
    "delete": "-",
    "replace": "±",
    "create-replacement": "+",
    "delete-replaced": "-",
}
_COLOURS = {"+": "green", "~": "yellow", "-": "red", "±": "magenta"}


class SimulationProgress(TerminalStatus):
    """Prints to ``out``; in a terminal it also shows what is under way."""

    def __init__(self, out: Console, *, preview: bool) -> None:
        super().__init__(out, "starting the engine")
        self._out, self._preview = out, preview
        self._under_way: dict[str, str] = {}
        self._lock = threading.Lock()
        self.count = 0

    def __call__(self, event: EngineEvent) -> None:
        """Take an event of the engine."""
        with self._lock:
            if planned := event.resource_pre_event:
                self._begin(planned.metadata)
            elif done := event.res_outputs_event:
                self._end(done.metadata)
            elif failed := event.res_op_failed_event:
                self._fail(failed.metadata)

    def _begin(self, metadata: Any) -> None:
        op, label = _op(metadata), _label(metadata)
        if op not in _SIGNS or not _is_shown(metadata):
            return
        if self._preview:
            self._say(_SIGNS[op], op, label)
            return
        self._under_way[metadata.urn] = label
        self._show()

    def _end(self, metadata: Any) -> None:
        op = _op(metadata)
        self._under_way.pop(metadata.urn, None)
        if op in _SIGNS and not self._preview and _is_shown(metadata):
            self._say(_SIGNS[op], op, _label(metadata))
        self._show()

    def _fail(self, metadata: Any) -> None:
        self._under_way.pop(metadata.urn, None)
        self._out.print(f"! failed   {_label(metadata)}", style="red", soft_wrap=True)

    def _say(self, sign: str, op: str, label: str) -> None:
        self.count += 1
        self._out.print(f"{sign} {op:8} {label}", style=_COLOURS[sign], soft_wrap=True)

    def _show(self) -> None:
        names = ", ".join(list(self._under_way.values())[:3])
        more = f" and {len(self._under_way) - 3} more" if len(self._under_way) > 3 else ""
        self.show(f"{self.count} done; under way: {names}{more}" if names else f"{self.count} done")


def _is_shown(metadata: Any) -> bool:
    """Components and providers are nothing in the account."""
    kind = metadata.urn.split("::")[2].rpartition("$")[2]
    return not kind.startswith(("pulumi:", "eks-accelerators:", "eks:"))


def _op(metadata: Any) -> str:
    return str(getattr(metadata.op, "value", metadata.op))


def _label(metadata: Any) -> str:
    _, _, kind, name = metadata.urn.split("::", 3)
    return f"{short_type(kind.rpartition('$')[2])}  {name}"
