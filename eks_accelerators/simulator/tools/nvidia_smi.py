"""What `nvidia-smi` prints on a simulated node."""

import hashlib
from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.gpus import driver_memory_mib
from eks_accelerators.simulator.metrics.devices import Device, SimulatedGpu
from eks_accelerators.simulator.tools.machine import Printed, SimulatedMachine
from eks_accelerators.verification.links import nvlinks_of

DRIVER = "580.95.05"
_NO_GPU, _LOST_STATUS = 6, 15
_CLOCK_BITS = {"sw_thermal": 0x20, "hw_slowdown": 0x8, "hw_thermal": 0x40, "hw_power_brake": 0x80}
_IDLE = 0x1


def nvidia_smi(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
    """Its list, a query or the state of NVLinks; refused where it has no such question here."""
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


def _queried(machine: SimulatedMachine, fields: Sequence[str]) -> Iterator[str]:
    for gpu in machine.gpus:
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
    for gpu in machine.gpus:
        yield f"GPU {gpu.index}: {gpu.model} (UUID: {gpu.uuid})"
        instances = [device for device in machine.present if device.gpu == gpu and device.profile]
        for number, device in enumerate(instances):
            yield f"  MIG {device.profile:<12} Device {number:>2}: (UUID: {_mig_uuid(device)})"


def _mig_uuid(device: Device) -> str:
    digits = hashlib.sha256(f"{device.gpu.uuid}/{device.instance}".encode()).hexdigest()
    return f"MIG-{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{digits[16:20]}-{digits[20:32]}"


def _links(machine: SimulatedMachine) -> Iterator[str]:
    links = nvlinks_of(machine.kind)
    for gpu in machine.gpus:
        yield f"GPU {gpu.index}: {gpu.model} (UUID: {gpu.uuid})"
        failed = not gpu.index and any(each.nvlink_recoveries or each.nvlink_checksums for each in machine.signs)
        for number in range(links.count if links else 0):
            up = f"{links.gb_per_second * 1.0625:.3f} GB/s" if links else ""
            yield f"\t Link {number}: {'<inactive>' if failed and number == 0 else up}"
