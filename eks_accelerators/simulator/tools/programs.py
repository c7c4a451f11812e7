"""The programs, by name: what each prints on a simulated node, and its exit status.

Shapes are those that `eks_accelerators.verification` reads, from the tools' documentation and sources. Figures are made up
where nothing in a simulation decides on them; faults of devices show as the tools would show them, which is believed.
"""

import json
from collections.abc import Callable, Mapping, Sequence

from eks_accelerators.accelerators.neuron import family_of, logical_core_size
from eks_accelerators.simulator.tools.collectives import all_reduce_perf, nccom_test, python
from eks_accelerators.simulator.tools.dcgm import dcgmi, hostengine
from eks_accelerators.simulator.tools.machine import Printed, SimulatedMachine
from eks_accelerators.simulator.tools.nvidia_smi import nvidia_smi

VOLUME, _VOLUME_MBPS = "/volume", 400.0
"""Where a verification mounts a volume of a workload, and how fast that is in 10^6 bytes per second, made up."""

_NOT_FOUND = 127


def run(machine: SimulatedMachine, command: Sequence[str]) -> Printed:
    """What a command prints in the pod that sees ``machine``."""
    program = _PROGRAMS.get(command[0].rpartition("/")[2])
    if program is None:
        return f"sh: {command[0]}: command not found\n", _NOT_FOUND
    return program(machine, command[1:])


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
    given = machine.own_efa_interfaces
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
    "nvidia-smi": nvidia_smi,
    "vectorAdd": _vector_add,
    "ls": _ls,
    "fi_info": _fi_info,
    "neuron-ls": _neuron_ls,
    "nv-hostengine": hostengine,
    "dcgmi": dcgmi,
    "all_reduce_perf": all_reduce_perf,
    "nccom-test": nccom_test,
    "python3": python,
    "dd": _dd,
    "sh": _sh,
    "mkdir": _nothing,
    "rm": _nothing,
}

OWN_PROGRAMS = {"cuda-sample": "vectorAdd"}
"""What an image runs by itself, by the last part of its name."""
