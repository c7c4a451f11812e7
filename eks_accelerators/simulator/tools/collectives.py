"""What programs print that measure exchanges of data, on a simulated node or between several."""

from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.collective_bandwidth import measured
from eks_accelerators.simulator.tools.machine import Printed, SimulatedMachine
from eks_accelerators.verification.collectives import GIB_PER_GB
from eks_accelerators.verification.links import nvlinks_of

_SIZES = [2**power for power in range(27, 34)]
"""Bytes: 128 MiB to 8 GiB."""

_OTHER_LINKS = 20.0
"""GB/s of GPUs that PCIe connects, made up; of Neuron cores ten times as much."""

_EFA, _TCP = 10.0, 1.0
"""GB/s between nodes whose type nobody has measured, made up."""


def all_reduce_perf(machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
    """All-reduce between the GPUs of the node, by NCCL's own test."""
    links = nvlinks_of(machine.kind)
    best = (links.rate * 0.9 if links else _OTHER_LINKS) * machine.link_speed
    lines = [
        "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong"
    ]
    count = len(machine.gpus)
    for number, size in enumerate(_SIZES):
        bus = best * (0.7 + 0.3 * (number + 1) / len(_SIZES))
        algorithm = bus * count / (2 * (count - 1)) if count > 1 else bus
        run_ = f"{size / algorithm / 1000:.1f} {algorithm:.2f} {bus:.2f} 0"
        lines.append(f"{size} {size // 4} float sum -1 {run_} {run_}")
    lines += ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {best * 0.85:.2f}"]
    return "".join(f"{line}\n" for line in lines), 0


def python(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
    """The programs that measure between nodes, which `launch.py` and `launch_nccom.py` start; any other prints nothing."""
    if any(each.endswith("launch_nccom.py") for each in arguments):
        return _nccom_between(machine, arguments)
    if not any(each.endswith("measure_all_reduce.py") for each in arguments):
        return "", 0
    largest = int(arguments[arguments.index("--largest") + 1])
    return "".join(f"{line}\n" for line in (*_of_nccl(machine), *_measured(machine, largest))), 0


def _of_nccl(machine: SimulatedMachine) -> Iterator[str]:
    """What NCCL says of the network: every rank of every pod says it."""
    host = machine.node["metadata"]["name"].partition(".")[0]
    if machine.takes_tcp or not machine.own_efa_interfaces:
        yield f"{host}:1:1 [0] NCCL INFO Using network Socket"
        return
    yield f"{host}:1:1 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa (found {machine.own_efa_interfaces} nics)"
    yield f"{host}:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Libfabric/0/GDRDMA"


def _measured(machine: SimulatedMachine, largest: int) -> Iterator[str]:
    """The table, which the first pod alone prints: as fast as somebody has measured the type, otherwise made up."""
    if machine.index_in_job:
        return
    known = measured(machine.kind.name, machine.nodes)
    ranks = machine.nodes * max(1, len(machine.gpus))
    by_tcp = any(each.without_efa for each in machine.signs_of_job) or not machine.own_efa_interfaces
    yield f"# all-reduce by torch 2.13.0, {ranks} ranks, nccl"
    size = 2**20
    while size <= largest:
        usual = known.bus_gb_per_second.get(size, known.largest[1] / 2) if known else _EFA
        bus = (min(usual, _TCP) if by_tcp else usual) * machine.network_speed
        algorithm = bus * ranks / (2 * (ranks - 1)) if ranks > 1 else bus
        run_ = f"{size / algorithm / 1000:.1f} {algorithm:.2f} {bus:.2f} 0"
        yield f"{size} {size // 4} float sum -1 {run_} {run_}"
        size *= 2
    yield "# Out of bounds values : 0 OK"
    yield "# Avg bus bandwidth    : 1"


def nccom_test(machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
    """All-reduce between the Neuron cores of the node."""
    lines = ["size(B)    count(elems)    type    time(us)    algbw(GB/s)    busbw(GB/s)"]
    for power in range(20, 31, 3):
        bus = _OTHER_LINKS * 10 * machine.link_speed * power / 30
        lines.append(f"{2**power} {2**power // 4} fp32 {2**power / bus / 1000:.2f} {bus / 2:.2f} {bus:.2f}")
    lines.append("Avg bus bandwidth: 100.0000GB/s")
    return "".join(f"{line}\n" for line in lines), 0


def _nccom_between(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
    """As `nccom-test` prints it, in GiB/s: in the pod of index 0 the table, in the others what the launcher says."""
    if machine.index_in_job:
        return "launch: the pod of index 0 may come in\n", 0
    known = measured(machine.kind.name, machine.nodes)
    ranks, largest = (int(arguments[arguments.index(flag) + 1]) for flag in ("-r", "-e"))
    lines = ["      size(B)    count(elems)    type    time:avg(us)    algbw(GB/s)    busbw(GB/s)"]
    size = 2**20
    while size <= largest:
        usual = known.bus_gb_per_second.get(size, known.largest[1] / 2) if known else _EFA
        bus = usual * machine.network_speed / GIB_PER_GB
        algorithm = bus * ranks / (2 * (ranks - 1))
        lines.append(f"{size} {size // 4} fp32 {size / algorithm / 2**30 * 1e6:.2f} {algorithm:.2f} {bus:.2f}")
        size *= 2
    lines.append("Avg bus bandwidth:      1.0000GB/s")
    return "".join(f"{line}\n" for line in lines), 0
