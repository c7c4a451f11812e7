"""What `dcgmi diag -j` prints, as values.

Source: NVIDIA/DCGM v4.6.0, `dcgmi/Diag.cpp` and `dcgmlib/dcgm_errors.h`, read 2026-11-22. The exit status is a negative
return code as a byte; JSON is there too where it is not 0.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eks_accelerators.verification.severity import FindingSeverity

ALREADY_RUNNING = 217
"""Exit status where another diagnostic is under way (-39)."""
ISOLATE = 205
"""Exit status where it ran and found an error (-30), and where that asks to isolate the GPU (-51)."""

_SEVERITIES = {
    1: FindingSeverity.MONITOR,
    2: FindingSeverity.ISOLATE,
    3: FindingSeverity.MONITOR,
    4: FindingSeverity.ISOLATE,
    5: FindingSeverity.MONITOR,
    6: FindingSeverity.RESET,
}
"""DCGM's own: monitor, isolate, unknown, triage, configuration, drain and reset."""


@dataclass(frozen=True, slots=True)
class DiagnosticWarning:
    """One thing that a test says of one entity, such as `GPU 3`."""

    test: str
    entity: str
    text: str
    severity: FindingSeverity


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """The outcome: ``tests`` are the status of each test by its name. ``error`` is why it did not run at all."""

    tests: dict[str, str]
    warnings: tuple[DiagnosticWarning, ...]
    error: str = ""

    @property
    def failed(self) -> list[str]:
        """Tests that did not pass."""
        return [name for name, status in self.tests.items() if status.lower() == "fail"]


class UnreadableDiagnosticError(ValueError):
    """What was printed is no outcome of a diagnostic."""


def read(text: str) -> Diagnostic:
    """The outcome in what was printed; words before and after the JSON are left out.

    Raises `UnreadableDiagnosticError`.
    """
    begin, end = text.find("{"), text.rfind("}")
    try:
        whole: dict[str, Any] = json.loads(text[begin : end + 1] if begin >= 0 else "null")
        found = whole["DCGM Diagnostic"]
        return Diagnostic(
            {test["name"]: _status(test) for test in _tests(found)},
            tuple(_warnings(found)),
            str(found.get("runtime_error") or ""),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableDiagnosticError(f"no outcome of a diagnostic: {error!r}") from None


def _tests(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for category in found.get("test_categories") or []:
        yield from category.get("tests") or []


def _status(test: dict[str, Any]) -> str:
    summary = (test.get("test_summary") or {}).get("status")
    return str(summary or next((each["status"] for each in test.get("results") or []), "unknown"))


def _warnings(found: dict[str, Any]) -> Iterator[DiagnosticWarning]:
    for test in _tests(found):
        for result in test.get("results") or []:
            for warning in result.get("warnings") or []:
                severity = int(warning.get("error_severity") or 0)
                if severity:
                    yield DiagnosticWarning(
                        test["name"],
                        f"{result.get('entity_group', 'entity')} {result.get('entity_id', '?')}",
                        str(warning.get("warning") or ""),
                        _SEVERITIES.get(severity, FindingSeverity.MONITOR),
                    )
