"""A preflight for a terminal: readable without colour and when piped."""

from typing import Any

from rich.console import Console
from rich.text import Text

from eks_accelerators.settings.printable import each_text

_COLOURS = {"ok": "green", "problem": "red", "warning": "yellow", "unknown": "magenta"}
_LONG = 150
"""Characters of a call that are shown unasked."""
_ORDER = ("problem", "unknown", "warning", "ok")


def print_preflight(data: dict[str, Any], out: Console, *, everything: bool) -> None:
    """What is wrong first, each with its fix and the call it rests on; what is fine as lines, calls with ``everything``."""
    data = each_text(data)
    checks = sorted(data["checks"], key=lambda each: _ORDER.index(each["status"]))
    for each in _together(checks):
        head = Text(f"{each['status']:8}", style=_COLOURS[each["status"]])
        head.append(f"{each['path']}: {each['found']} [{each['code']}]", style="default")
        out.print(head, soft_wrap=True)
        if each["fix"]:
            out.print(Text(f"{'':8}fix:   {each['fix']}"), soft_wrap=True)
        if each["calls"] and (everything or each["status"] != "ok"):
            for call in each["calls"]:
                shown = call if everything or len(call) <= _LONG else f"{call[:_LONG]} ... (whole with --calls)"
                out.print(Text(f"{'':8}asked: {shown}", style="dim"), soft_wrap=True)
    counts = data["counts"]
    told = ", ".join(f"{counts[status]} {_PLURAL[status]}" for status in _ORDER)
    verdict = "AWS would let it through" if data["ok"] else "AWS would not let it through"
    if data["ok"] and counts["unknown"]:
        verdict = "nothing is known to stop it" if counts["ok"] else "nothing could be asked"
    out.print(
        f"\n{data['stack']} in {data['region']} of {data['account']}: {verdict}: {told} ({data['callCount']} calls)",
        style="bold",
    )


_PLURAL = {"ok": "ok", "problem": "problems", "warning": "warnings", "unknown": "unknown"}


def _together(checks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is unknown for one and the same reason is told once, with all its settings."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for each in checks:
        is_one = each["status"] == "unknown"
        key = (each["found"],) if is_one else (each["code"], each["path"], each["found"])
        if key not in found:
            found[key] = {**each, "paths": [], "codes": []}
        for name in ("path", "code"):
            if each[name] not in found[key][f"{name}s"]:
                found[key][f"{name}s"].append(each[name])
    return [{**each, "path": ", ".join(each["paths"]), "code": ", ".join(each["codes"])} for each in found.values()]
