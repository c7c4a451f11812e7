"""The tables of docs/faults.md: `python -m eks_accelerators.simulator.faults_page` writes them anew.

The rest of the page is written by hand. `--check` exits 1 where a table is stale.
"""

import re
import sys
from collections.abc import Sequence

from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.settings.generated_files import ROOT, write_or_check
from eks_accelerators.settings.model.node_groups import NodeRepair, RepairAction
from eks_accelerators.simulator.alert_causes import CAUSES, Cause, CauseKind, Site, causes_of
from eks_accelerators.simulator.load.node_repair import READY, Unhealthy, action_of
from eks_accelerators.simulator.metrics import fault_kinds

PATH = ROOT / "docs" / "faults.md"

_ALERTS = ("| Alert | `for` | Fires of, and after how many minutes |", "| --- | --- | --- |")
_FAULTS = ("| Fault | On | Alerts, and after how many minutes | Node repair |", "| --- | --- | --- | --- |")


def page(current: str) -> str:
    """``current`` with the tables as the code has them."""
    alerts = [_alert_row(name) for name in ALERTS]
    faults = [_fault_row(cause) for cause in CAUSES if cause.kind is CauseKind.FAULT]
    kinds = fault_kinds.table()
    for head, rows in ((_ALERTS, alerts), (_FAULTS, faults), ((kinds[0], kinds[1]), kinds[2:])):
        current = _replaced(current, "\n".join(head), rows)
    return current


def _replaced(text: str, head: str, rows: Sequence[str]) -> str:
    before, found, after = text.partition(f"{head}\n")
    if not found:
        raise ValueError(f"{PATH.name} has no table {head.partition(chr(10))[0]}")
    return "".join([before, found, *(f"{row}\n" for row in rows), re.sub(r"\A(\|.*\n)*", "", after)])


def _alert_row(name: str) -> str:
    causes = ", ".join(f"{_named(cause)} {cause.fires[name]:g}" for cause in causes_of(name))
    return f"| `{name}` | {ALERTS[name].held or 'at once'} | {causes} |"


def _named(cause: Cause) -> str:
    if cause.kind is not CauseKind.FAULT:
        return cause.text + ":"
    return f"`{cause.text}`" if cause.site is Site.ONE_GPU else f"`{cause.text}` on {cause.site}:"


def _fault_row(cause: Cause) -> str:
    alerts = ", ".join(f"`{name}` {minutes:g}" for name, minutes in sorted(cause.fires.items(), key=lambda one: one[1]))
    return f"| `{cause.text}` | {cause.site} | {alerts or 'none'} | {_repair(cause)} |"


def _repair(cause: Cause) -> str:
    """What node repair does by default, and what it goes by."""
    found = [Unhealthy(each.condition, each.reason) for each in cause.signs.findings if each.is_fatal]
    if cause.signs.kubelet_gone:
        found.append(Unhealthy(READY, READY))
    done = [
        (wait, each.reason)
        for each in found
        for action, wait in [action_of(each, NodeRepair())]
        if action is RepairAction.REPLACE
    ]
    if done:
        wait, reason = min(done)
        return f"another node after {wait / 60:g} min (`{reason}`)"
    return f"nothing, by default (`{found[0].reason}`)" if found else "nothing"


if __name__ == "__main__":
    command = "python -m eks_accelerators.simulator.faults_page"
    sys.exit(write_or_check(PATH, page(PATH.read_text(encoding="utf-8")), sys.argv[1:], command))
