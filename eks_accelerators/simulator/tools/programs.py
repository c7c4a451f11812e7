"""The programs, by name: what each prints on a simulated node, and its exit status.

Shapes are those that `eks_accelerators.verification` reads, from the tools' documentation and sources. Figures are made up
where nothing in a simulation decides on them; faults of devices show as the tools would show them, which is believed.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eks_accelerators.accelerators.collective_bandwidth import measured
from eks_accelerators.accelerators.gpus import driver_memory_mib
from eks_accelerators.accelerators.neuron import family_of, logical_core_size
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.simulator.metrics.devices import Device, SimulatedGpu
from eks_accelerators.simulator.tools.machine import SimulatedMachine
from eks_accelerators.verification.collectives import GIB_PER_GB
from eks_accelerators.verification.links import nvlinks_of

Printed = tuple[str, int]
"""What a program prints, and its exit status."""

DRIVER = "580.95.05"
_NO_GPU, _LOST_STATUS, _NOT_FOUND = 6, 15, 127
_CLOCK_BITS = {"sw_thermal": 0x20, "hw_slowdown": 0x8, "hw_thermal": 0x40, "hw_power_brake": 0x80}
_IDLE = 0x1
_SIZES = [2**power for power in range(27, 34)]
"""Bytes: 128 MiB to 8 GiB."""

_OTHER_LINKS = 20.0
"""GB/s of GPUs that PCIe connects, made up; of Neuron cores ten times as much."""

VOLUME, _VOLUME_MBPS = "/volume", 400.0
"""Where a verification mounts a volume of a workload, and how fast that is in 10^6 bytes per second, made up."""

_EFA, _TCP = 10.0, 1.0
"""GB/s between nodes whose type nobody has measured, made up."""


def run(machine: SimulatedMachine, command: Sequence[str]) -> Printed:
    """What a command prints in the pod that sees ``machine``."""
    program = _PROGRAMS.get(command[0].rpartition("/")[2])
    if program is None:
        return f"sh: {command[0]}: command not found\n", _NOT_FOUND
    return program(machine, command[1:])


def _nvidia_smi(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
    if not machine.visible or not machine.kind.has_nvidia_gpu:
        return "No devices were found\n", _NO_GPU
    if arguments[:1] == ["-L"] or arguments[:1] == ("-L",):
        lines = list(_listed(machine))
    elif arguments and arguments[0].startswith("--query-gpu="):
        lines = list(_queried(machine, arguments[0].partition("=")[2].split(",")))
    elif tuple(arguments[:2]) == ("nvlink", "-s"):
        lines = list(_links(machine))
    else:
        return f"Invalid combination of input arguments: {' '.join(arguments)}\n", 2
    if machine.loses_visible:
        lost = f"Unable to determine the device handle for GPU0000:{0x10:02X}:1C.0: GPU is lost.  Reboot the system to recover this GPU"
        return "\n".join([lost, *lines]) + "\n", _LOST_STATUS
    return "".join(f"{line}\n" for line in lines), 0


def _gpus(machine: SimulatedMachine) -> list[SimulatedGpu]:
    return list(dict.fromkeys(device.gpu for device in machine.present))


def _queried(machine: SimulatedMachine, fields: Sequence[str]) -> Iterator[str]:
    for gpu in _gpus(machine):
        divided = any(device.profile for device in machine.devices if device.gpu == gpu)
        mig_mode = "Disabled" if machine.kind.mig_capable else "[N/A]"
        values = {
            "index": str(gpu.index),
            "uuid": gpu.uuid,
            "name": gpu.model,
            "memory.total": f"{driver_memory_mib(gpu.name, gpu.memory_mib)} MiB",
            "driver_version": DRIVER,
            "mig.mode.current": "Enabled" if divided else mig_mode,
            "persistence_mode": "Enabled",
            "clocks_throttle_reasons.active": f"0x{_clock_bits(machine, gpu):016x}",
        }
        yield ", ".join(values.get(field, "[Unknown Error]") for field in fields)


def _clock_bits(machine: SimulatedMachine, gpu: SimulatedGpu) -> int:
    if gpu.index:
        return _IDLE
    events = {event for each in machine.signs for event in each.clock_events}
    return sum(_CLOCK_BITS[event] for event in events) or _IDLE


def _listed(machine: SimulatedMachine) -> Iterator[str]:
    for gpu in _gpus(machine):
        yield f"GPU {gpu.index}: {gpu.model} (UUID: {gpu.uuid})"
        instances = [device for device in machine.present if device.gpu == gpu and device.profile]
        for number, device in enumerate(instances):
            yield f"  MIG {device.profile:<12} Device {number:>2}: (UUID: {_mig_uuid(device)})"


def _mig_uuid(device: Device) -> str:
    digits = hashlib.sha256(f"{device.gpu.uuid}/{device.instance}".encode()).hexdigest()
    return f"MIG-{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{digits[16:20]}-{digits[20:32]}"


def _links(machine: SimulatedMachine) -> Iterator[str]:
    links = nvlinks_of(machine.kind)
    for gpu in _gpus(machine):
        yield f"GPU {gpu.index}: {gpu.model} (UUID: {gpu.uuid})"
        failed = not gpu.index and any(each.nvlink_recoveries or each.nvlink_checksums for each in machine.signs)
        for number in range(links.count if links else 0):
            up = f"{links.gb_per_second * 1.0625:.3f} GB/s" if links else ""
            yield f"\t Link {number}: {'<inactive>' if failed and number == 0 else up}"


def _vector_add(machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
    begin = "[Vector addition of 50000 elements]\n"
    if not machine.present or any(not each.handed_out for each in machine.signs if _is_struck(machine)):
        return f"{begin}Failed to allocate device vector A (error code no CUDA-capable device is detected)!\n", 1
    launched = "CUDA kernel launch with 196 blocks of 256 threads\n"
    return f"{begin}{launched}Test PASSED\nDone\n", 0


def _is_struck(machine: SimulatedMachine) -> bool:
    return any(device.gpu.index == 0 for device in machine.visible)


def _ls(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
    if tuple(arguments) != ("/sys/class/infiniband",) or not machine.efa_interfaces:
        return f"ls: cannot access '{' '.join(arguments)}': No such file or directory\n", 2
    return "".join(f"{_efa_name(number)}\n" for number in range(machine.efa_interfaces)), 0


def _efa_name(number: int) -> str:
    return f"rdmap{number // 4 * 8 + 16}s{number % 4 + 27}"


def _fi_info(machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
    """A pod sees the interfaces that it asks for."""
    given = _efa_of(machine)
    if not given:
        return "fi_getinfo: -61 (No data available)\n", 61
    entries = (
        f"provider: efa\n    fabric: efa-direct\n    domain: {_efa_name(number)}-rdm\n    version: 201.0\n"
        "    type: FI_EP_RDM\n    protocol: FI_PROTO_EFA\n"
        for number in range(given)
    )
    return "".join(entries), 0


def _neuron_ls(machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
    """As on the node itself: that a pod has the logical cores that the file of its node asks for is believed."""
    neuron = machine.kind.neuron
    if neuron is None:
        return "neuron-ls: no Neuron device found\n", 1
    size = logical_core_size(machine.kind, machine.logical_core_size)
    cores, family = neuron.cores_per_device // size, family_of(machine.kind)
    chosen = {"logical_neuroncore_config": size} if family and len(family.logical_core_sizes) > 1 else {}
    devices = [
        {
            "neuron_device": index,
            "bdf": f"{0x10 + index:02x}:1c.0",
            "connected_to": None,
            "nc_count": cores,
            **chosen,
            "memory_size": (machine.kind.accelerator.memory_mib or 0) * 2**20,
            "neuroncore_ids": list(range(index * cores, (index + 1) * cores)),
            "neuron_processes": [],
        }
        for index in range(neuron.device_count)
    ]
    return f"{json.dumps(devices, indent=2)}\n", 0


def _hostengine(_machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
    return "Started host engine version 4.6.0 using port number: 5555 \n", 0


def _dcgmi(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
    """Its diagnostic: the tests of each level, on GPUs that are whole."""
    level = int(arguments[arguments.index("-r") + 1])
    tests = [("Deployment", "software")]
    tests += [("Integration", "pcie"), ("Hardware", "memory")] if level > 1 else []
    failing = _failing(machine)
    categories: list[dict[str, Any]] = []
    for category, test in tests:
        results = []
        for gpu in _gpus(machine):
            fails = not gpu.index and test in failing
            warning = {"warning": failing.get(test, ""), "error_id": 0, "error_category": 2, "error_severity": 2}
            results.append(
                {
                    "entity_group": "GPU",
                    "entity_group_id": 1,
                    "entity_id": gpu.index,
                    "status": "Fail" if fails else "Pass",
                    **({"warnings": [warning]} if fails else {}),
                }
            )
        status = "Fail" if any(each["status"] == "Fail" for each in results) else "Pass"
        tested = {"name": test, "results": results, "test_summary": {"status": status}}
        categories.append({"category": category, "tests": [tested]})
    whole = {"DCGM Diagnostic": {"test_categories": categories}, "metadata": {"version": "4.6.0"}}
    return f"{json.dumps(whole, indent=2)}\n", 205 if any(test in failing for _, test in tests) else 0


def _failing(machine: SimulatedMachine) -> dict[str, str]:
    """Tests that the first GPU of the node does not pass."""
    found = {}
    for each in machine.signs:
        if each.remap_failed or each.uncorrected:
            found["software"] = "GPU 0 has memory that cannot be repaired"
        if each.replays:
            found["pcie"] = "GPU 0 reaches less bandwidth than the minimum"
    return found


def _all_reduce_perf(machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
    links = nvlinks_of(machine.kind)
    best = (links.rate * 0.9 if links else _OTHER_LINKS) * machine.link_speed
    lines = [
        "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong"
    ]
    count = len(_gpus(machine))
    for number, size in enumerate(_SIZES):
        bus = best * (0.7 + 0.3 * (number + 1) / len(_SIZES))
        algorithm = bus * count / (2 * (count - 1)) if count > 1 else bus
        run_ = f"{size / algorithm / 1000:.1f} {algorithm:.2f} {bus:.2f} 0"
        lines.append(f"{size} {size // 4} float sum -1 {run_} {run_}")
    lines += ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {best * 0.85:.2f}"]
    return "".join(f"{line}\n" for line in lines), 0


def _python(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
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
    if machine.takes_tcp or not _efa_of(machine):
        yield f"{host}:1:1 [0] NCCL INFO Using network Socket"
        return
    yield f"{host}:1:1 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa (found {_efa_of(machine)} nics)"
    yield f"{host}:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Libfabric/0/GDRDMA"


def _efa_of(machine: SimulatedMachine) -> int:
    """The EFA interfaces that the pod has."""
    requests = (machine.pod["spec"]["containers"][0].get("resources") or {}).get("requests") or {}
    return min(machine.efa_interfaces, int(requests.get(EFA_DEVICE, 0)))


def _measured(machine: SimulatedMachine, largest: int) -> Iterator[str]:
    """The table, which the first pod alone prints: as fast as somebody has measured the type, otherwise made up."""
    if machine.index_in_job:
        return
    known = measured(machine.kind.name, machine.nodes)
    ranks = machine.nodes * max(1, len(_gpus(machine)))
    by_tcp = any(each.without_efa for each in machine.signs_of_job) or not _efa_of(machine)
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


def _nccom_test(machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
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


def _dd(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
    """A disk of the node is as fast as the largest volume, file systems as made up: a simulation has no disks."""
    if not any(VOLUME in each for each in arguments):
        return "256+0 records in\n256+0 records out\n4294967296 bytes (4.3 GB, 4.0 GiB) copied, 2.0 s, 2.1 GB/s\n", 0
    rate = _VOLUME_MBPS * machine.volume_speed
    copied = f"1073741824 bytes (1.1 GB, 1.0 GiB) copied, {1073.741824 / rate:.5g} s, {rate:.3g} MB/s"
    return f"64+0 records in\n64+0 records out\n{copied}\n", 0


def _sh(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
    """A script of one line, of which its last program counts: it finds a file to read."""
    *_, last = arguments[1].partition("exec ")
    return run(machine, [*last.split(), *arguments[2:]]) if last else ("", 0)


def _nothing(_machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
    return "", 0


_PROGRAMS: Mapping[str, Callable[[SimulatedMachine, Sequence[str]], Printed]] = {
    "nvidia-smi": _nvidia_smi,
    "vectorAdd": _vector_add,
    "ls": _ls,
    "fi_info": _fi_info,
    "neuron-ls": _neuron_ls,
    "nv-hostengine": _hostengine,
    "dcgmi": _dcgmi,
    "all_reduce_perf": _all_reduce_perf,
    "nccom-test": _nccom_test,
    "python3": _python,
    "dd": _dd,
    "sh": _sh,
    "mkdir": _nothing,
    "rm": _nothing,
}

OWN_PROGRAMS = {"cuda-sample": "vectorAdd"}
"""What an image runs by itself, by the last part of its name."""
