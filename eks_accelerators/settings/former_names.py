"""Settings that had another name once: what is answered to who still writes the old one."""

from collections.abc import Sequence
from typing import Any

from eks_accelerators.settings.paths import Part, dotted
from eks_accelerators.settings.problems import Problem, Severity

_RENAMED = {
    "monitoring.prometheusOperator": ("prometheus: stack, existing, amp or none", "monitoring.prometheus"),
    "monitoring.serviceMonitorLabels": ("objectLabels", "monitoring.objectLabels"),
}
"""What is written in its place, and where, by the old path."""

_BY_VALUE = {
    "monitoring.prometheusOperator": {
        True: "write `prometheus: existing`",
        False: "remove it: `prometheus: none` is so",
    },
}
"""What an old value has become."""


def renamed(loc: Sequence[Part], value: Any) -> Problem | None:
    """The problem that the setting at ``loc`` has another name now; None where it never was one."""
    path = dotted(loc)
    if path not in _RENAMED:
        return None
    allowed, now = _RENAMED[path]
    known = _BY_VALUE.get(path, {})
    fix = known.get(value) if isinstance(value, bool) else None
    message = f"this setting is called `{now}` now"
    return Problem("renamed-key", Severity.ERROR, path, message, str(loc[-1]), allowed, fix or f"write `{now}`")
