"""The report of `accel sharing check` for a terminal."""

from collections.abc import Iterator
from typing import Any

from eks_accelerators.settings.printable import each_text


def text(data: dict[str, Any]) -> str:
    """The report, of the documented JSON."""
    return "\n".join(_lines(each_text(data)))


def _lines(data: dict[str, Any]) -> Iterator[str]:
    ignored = data["ignored"]
    count = f"{len(ignored)} {'property' if len(ignored) == 1 else 'properties'}"
    what = f" {'the whole file' if '' in ignored else count}" if ignored else ""
    yield {"accepted-but-ignores": f"accepted, but ignores{what}"}.get(data["verdict"], data["verdict"])
    for problem in data["problems"]:
        line = f"line {problem['line']}" if problem["line"] else ""
        where = f"{problem['path']} ({line})" if problem["path"] and line else problem["path"] or line
        yield f"  {problem['severity']}: {where}{': ' if where else ''}{problem['message']} [{problem['code']}]"
    if data["chart"]:
        for key, effective in data["configurations"].items():
            yield f"nodes with the label nvidia.com/device-plugin.config={key}"
            if effective is None:
                yield "  advertise nothing: the configuration is refused"
            else:
                yield from (f"  {line}" for line in _effect(effective, data["instanceType"]))
    elif data["effective"]:
        yield from _effect(data["effective"], data["instanceType"])


def _effect(effective: dict[str, Any], instance_type: str | None) -> Iterator[str]:
    yield f"sharing: {effective['strategy']}, MIG strategy {effective['migStrategy']}"
    for one in effective["resources"]:
        renamed = f" as {one['advertisedAs']}" if one["advertisedAs"] != one["name"] else ""
        yield f"  each {one['name']} counts {one['replicas']} times{renamed}"
    if effective["memoryMibPerShare"]:
        held = "MPS holds each to" if effective["strategy"] == "mps" else "nothing holds any to"
        yield f"  {held} its {effective['memoryMibPerShare']:,} MiB of memory"
    if effective["advertised"] is not None:
        yield f"a node of {instance_type} advertises"
        for name, count in effective["advertised"].items():
            most = effective["largestRequest"][name]
            yield f"  {name}: {count}" + (f", a pod may ask for {most}" if most != count else "")
