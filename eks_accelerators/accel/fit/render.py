"""The answer of `accel fit` for a terminal."""

from itertools import groupby
from typing import Any

from rich.console import Console

from eks_accelerators.accel.tables import Row, print_table
from eks_accelerators.settings.printable import each_text

SHOWN = 20
"""Rows that are shown unless all are asked for."""

_NAMES = {
    "exclusive": "exclusive",
    "fractional": "fractional",
    "mig": "MIG",
    "mps": "MPS",
    "timeSlicing": "time-slicing",
}
_LIMITS = {
    "gpuMemory": "GPU memory",
    "gpus": "one a GPU",
    "instances": "MIG layout",
    "replicas": "most replicas",
    "shares": "replicas",
    "cpu": "CPU of the node",
    "memory": "memory of the node",
    "pods": "pods of the node",
}


def print_answer(data: dict[str, Any], out: Console, *, everything: bool) -> None:
    """The arithmetic, the table, what fits nowhere, and what is estimated."""
    data = each_text(data)
    if data["server"]:
        _print_question(data, out)
    rows = data["rows"] if everything else data["rows"][:SHOWN]
    if rows:
        print_table("Cheapest first, on demand", [_row(one) for one in rows], out)
        left = len(data["rows"]) - len(rows)
        if left:
            out.print(f"{left} more with --all\n")
    if everything or not data["rows"]:
        _print_refused(data["refused"], out)
    _print_problems(data["problems"], out)
    if rows:
        out.print("Overhead, memory of MIG instances and room on a node are estimates; --json names their sources.")
        out.print("Servers on one GPU share its compute: the price of a server says nothing about its speed.")


def print_best(data: dict[str, Any], out: Console) -> None:
    """The fragment of a stack file; what is no worse by price and cannot be had is said in comments."""
    data = each_text(data, but={"fragment"})
    _print_problems(data["problems"], out)
    chosen = data["best"]
    if chosen is None:
        return
    row = chosen["row"]
    if row:
        price = f"{row['usdPerServerHour']} USD an hour each" if row["usdPerServerHour"] else "at an unknown price"
        cell = _row(row)
        out.print(
            f"# {cell['servers']} {'server' if row['serversPerNode'] == 1 else 'servers'} on a node, {price} in {data['region']}: {row['gpu']}, {cell['sharing']}",
            soft_wrap=True,
        )
    if chosen["passedOver"]:
        out.print("# No worse by price, but no stack file can have it:")
    for one in chosen["passedOver"]:
        names = ", ".join(one["instanceTypes"])
        out.print(f"#   {_NAMES[one['sharing']]} on {names}: {one['reason']}", soft_wrap=True)
    out.print((chosen["fragment"] or "# Nothing is left.").rstrip(), soft_wrap=True)


def _print_problems(problems: list[dict[str, Any]], out: Console) -> None:
    for problem in problems:
        out.print(f"error: {problem['path']}: {problem['message']} [{problem['code']}]", soft_wrap=True)


def _print_question(data: dict[str, Any], out: Console) -> None:
    server = data["server"]
    sequences = f"{server['concurrency']} sequences" if server["concurrency"] != 1 else "1 sequence"
    out.print(
        f"{data['model']}: {sequences} of {server['context']:,} tokens at once, in {data['region']}", style="bold"
    )
    out.print(
        f"{server['weightsGib']:.2f} weights + {server['overheadGib']:.2f} overhead + {server['kvCacheGib']:.2f} KV cache "
        f"= {server['totalGib']:.2f} GiB a server; {server['cpu']} CPU and {server['memoryGib']} GiB of the node\n",
        soft_wrap=True,
    )


def _row(one: dict[str, Any]) -> Row:
    return {
        "$/h each": one["usdPerServerHour"] or "unknown",
        "instance type": one["instanceType"],
        "sharing": _sharing(one),
        "servers": str(one["serversPerNode"]),
        "GiB each": f"{one['gibEach']:.2f}",
        "KV tokens": f"{one['kvTokensEach']:,}",
        "memory": one["isolation"]["memory"],
        "compute": one["isolation"]["compute"],
        "fault": one["isolation"]["fault"],
        "limited by": _LIMITS[one["limitedBy"]],
    }


def _sharing(one: dict[str, Any]) -> str:
    if one["migProfile"]:
        return f"{_NAMES['mig']} {one['serversPerGpu']} x {one['migProfile']}"
    if one["gpusPerServer"] > 1:
        return f"exclusive, {one['gpusPerServer']} GPUs each"
    name = _NAMES[one["sharing"]]
    return name if one["serversPerGpu"] == 1 else f"{name}, {one['serversPerGpu']} a GPU"


def _print_refused(refused: list[dict[str, Any]], out: Console) -> None:
    for reason, group in groupby(refused, lambda one: one["reason"]):
        out.print(f"not {', '.join(one['instanceType'] for one in group)}: {reason}", soft_wrap=True)
