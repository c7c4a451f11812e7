"""The answer of `accel fit` for a terminal."""

from collections.abc import Iterable
from itertools import groupby

from rich.console import Console

from eks_accelerators.accel.reports.findings import FindingReport
from eks_accelerators.accel.reports.fit import FitReport, FitRow, RefusedType, ServerReport
from eks_accelerators.accel.tables import Row, print_table
from eks_accelerators.accelerators.number_of import number_of

SHOWN = 20
"""Rows that are shown unless all are asked for."""

_NAMES = {
    "exclusive": "exclusive",
    "fractional": "fractional",
    "mig": "MIG",
    "mps": "MPS",
    "neuron": "Neuron",
    "timeSlicing": "time-slicing",
}
_LIMITS = {
    "gpuMemory": "GPU memory",
    "gpus": "one per GPU",
    "devices": "one per device",
    "instances": "MIG layout",
    "replicas": "most replicas",
    "shares": "replicas",
    "cpu": "CPU of the node",
    "memory": "memory of the node",
    "pods": "pods of the node",
}


def print_answer(report: FitReport, out: Console, *, everything: bool) -> None:
    """The arithmetic, the table, what fits nowhere, and what is estimated."""
    if server := report.server:
        _print_question(report, server, out)
    rows = report.rows if everything else report.rows[:SHOWN]
    if rows:
        print_table("Cheapest first, on demand", [_row(one) for one in rows], out)
        left = len(report.rows) - len(rows)
        if left:
            out.print(f"{left} more with --all\n")
    if everything or not report.rows:
        _print_refused(report.refused, out)
    _print_problems(report.problems, out)
    if rows:
        out.print(
            "Overhead, CUDA graphs, memory of MIG instances and headroom of a node are estimates; --json names their sources."
        )
        if any(row.sharing == "neuron" for row in rows):
            out.print(
                "Of Trainium and Inferentia, GiB each are those of a logical core, and overhead is what utilization leaves."
            )
        out.print("Servers on one GPU share its compute: the price of a server says nothing about its speed.")


def print_best(report: FitReport, out: Console) -> None:
    """The fragment of a stack file; what is no worse by price and cannot be had is said in comments."""
    _print_problems(report.problems, out)
    chosen = report.best
    if chosen is None:
        return
    row = chosen.row
    if row:
        price = (
            f"{row.usd_per_server_hour} USD per hour each"
            if row.usd_per_server_hour is not None
            else "at an unknown price"
        )
        cell = _row(row)
        out.print(
            f"# {cell['servers']} {'server' if row.servers_per_node == 1 else 'servers'} on a node, {price} in {report.region}: {row.gpu}, {cell['sharing']}",
            soft_wrap=True,
        )
    if chosen.passed_over:
        out.print("# No worse by price, but no stack file can have it:")
    for one in chosen.passed_over:
        names = ", ".join(one.instance_types)
        out.print(f"#   {_NAMES[one.sharing]} on {names}: {one.reason}", soft_wrap=True)
    out.print((chosen.fragment or "# Nothing is left.").rstrip(), soft_wrap=True)


def _print_problems(problems: Iterable[FindingReport], out: Console) -> None:
    for problem in problems:
        out.print(f"error: {problem.path}: {problem.message} [{problem.code}]", soft_wrap=True)


def _print_question(report: FitReport, server: ServerReport, out: Console) -> None:
    sequences = f"{server.concurrency} sequences" if server.concurrency != 1 else "1 sequence"
    out.print(f"{report.model}: {sequences} of {server.context:,} tokens at once, in {report.region}", style="bold")
    out.print(
        f"{server.weights_gib:.2f} weights + {server.overhead_gib:.2f} overhead + {server.kv_cache_gib:.2f} KV cache "
        f"= {server.total_gib:.2f} GiB per server; {server.cpu} CPU and {server.memory_gib} GiB of the node\n",
        soft_wrap=True,
    )


def _row(one: FitRow) -> Row:
    return {
        "$/h each": "unknown" if one.usd_per_server_hour is None else str(one.usd_per_server_hour),
        "instance type": one.instance_type,
        "sharing": _sharing(one),
        "servers": str(one.servers_per_node),
        "GiB each": f"{one.gib_each:.2f}",
        "KV tokens": f"{one.kv_tokens_each:,}",
        "memory": one.isolation.memory,
        "compute": one.isolation.compute,
        "fault": one.isolation.fault,
        "limited by": _LIMITS[one.limited_by],
    }


def _sharing(one: FitRow) -> str:
    if one.mig_profile:
        return f"{_NAMES['mig']} {one.servers_per_gpu} x {one.mig_profile}"
    if one.sharing == "neuron":
        return f"{_NAMES['neuron']}, {number_of(one.gpus_per_server, 'device')} each"
    if one.gpus_per_server > 1:
        return f"exclusive, {one.gpus_per_server} GPUs each"
    name = _NAMES[one.sharing]
    return name if one.servers_per_gpu == 1 else f"{name}, {one.servers_per_gpu} per GPU"


def _print_refused(refused: Iterable[RefusedType], out: Console) -> None:
    for reason, group in groupby(refused, lambda one: one.reason):
        out.print(f"not {', '.join(one.instance_type for one in group)}: {reason}", soft_wrap=True)
